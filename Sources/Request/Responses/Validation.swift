/// The rules by which a response counts as a success, checked in order before anything is made of it.
///
/// The default is a status from 200 to 299. Rules are joined by `+`, and the first that refuses decides:
///
/// ```swift
/// let validation: Validation =
///     .status(200..<300) + .contentType("application/json", "application/*+json")
///     + .business(code: "status.code", success: [0], message: "status.text")
/// ```
public struct Validation: Sendable {
    typealias Rule = @Sendable (HTTPResponse, SerializationContext) throws -> Void

    private let rules: [Rule]
    /// Whether they look at the head alone and are no code of the user's, so that any thread may check them.
    let isQuick: Bool

    init(rules: [Rule], isQuick: Bool) {
        self.rules = rules
        self.isQuick = isQuick
    }

    init(isQuick: Bool = false, _ rule: @escaping Rule) {
        self.init(rules: [rule], isQuick: isQuick)
    }

    /// A status from 200 to 299.
    public static let `default` = Validation.status(200..<300)

    /// Takes every response as it comes.
    public static let none = Validation(rules: [], isQuick: true)

    /// Both, the first one first.
    public static func + (first: Validation, second: Validation) -> Validation {
        Validation(rules: first.rules + second.rules, isQuick: first.isQuick && second.isQuick)
    }

    /// A rule of the application's own, which throws to refuse.
    ///
    /// A ``RequestError`` is passed on, with the response; any other error is below one of
    /// ``RequestError/Code/refusedResponse``.
    public static func custom(_ rule: @escaping @Sendable (HTTPResponse) throws -> Void) -> Validation {
        Validation { response, _ in try rule(response) }
    }

    /// Throws a ``RequestError`` with the response if a rule refuses it.
    ///
    /// Rules that look into the body pass over a response whose body is still on its way.
    public func check(
        _ response: HTTPResponse, context: SerializationContext = SerializationContext()
    ) throws {
        do {
            for rule in rules { try rule(response, context) }
        } catch {
            throw RequestError.from(
                error, response: response, code: .refusedResponse,
                detail: "a rule of the application refused the response")
        }
    }
}
