/// The rules by which a response counts as a success. They are checked in order before the response is decoded.
///
/// The default is a status from 200 to 299. The operator `+` combines rules, and the first rule that refuses determines
/// the error:
///
/// ```swift
/// let validation: Validation =
///     .status(200..<300) + .contentType("application/json", "application/*+json")
///     + .business(code: "status.code", success: [0], message: "status.text")
/// ```
public struct Validation: Sendable {
    package typealias Rule = @Sendable (HTTPResponse, SerializationContext) throws -> Void

    private let rules: [Rule]
    /// A Boolean value that indicates whether the rules read only the head and run no code of the application. Any
    /// thread may then check them.
    package let isQuick: Bool

    init(rules: [Rule], isQuick: Bool) {
        self.rules = rules
        self.isQuick = isQuick
    }

    package init(isQuick: Bool = false, _ rule: @escaping Rule) {
        self.init(rules: [rule], isQuick: isQuick)
    }

    /// Requires a status from 200 to 299.
    public static let `default` = Validation.status(200..<300)

    /// Accepts every response.
    public static let none = Validation(rules: [], isQuick: true)

    /// Combines two validations. The rules of the first run first.
    public static func + (first: Validation, second: Validation) -> Validation {
        Validation(rules: first.rules + second.rules, isQuick: first.isQuick && second.isQuick)
    }

    /// Checks the response with a closure, which throws to refuse it.
    ///
    /// A ``RequestError`` is passed on, with the response. Any other error becomes the underlying error of a
    /// ``RequestError/Code/refusedResponse``.
    public static func custom(_ rule: @escaping @Sendable (HTTPResponse) throws -> Void) -> Validation {
        Validation { response, _ in try rule(response) }
    }

    /// Throws a ``RequestError`` with the response if a rule refuses it.
    ///
    /// Rules that read the body accept a response whose body is still arriving.
    public func check(
        _ response: HTTPResponse, context: SerializationContext = SerializationContext()
    ) throws {
        do {
            for rule in rules { try rule(response, context) }
        } catch {
            throw RequestError.from(
                error, response: response, code: .refusedResponse,
                detail: "a validation rule of the application refused the response")
        }
    }
}
