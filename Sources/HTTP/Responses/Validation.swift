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
    /// A Boolean value that indicates whether the rule is the default, which needs no response but its status.
    package private(set) var isDefault = false

    init(rules: [Rule], isQuick: Bool) {
        self.rules = rules
        self.isQuick = isQuick
    }

    package init(isQuick: Bool = false, _ rule: @escaping Rule) {
        self.init(rules: [rule], isQuick: isQuick)
    }

    /// Requires a status from 200 to 299.
    public static let `default`: Validation = {
        var validation = Validation.status(200..<300)
        validation.isDefault = true
        return validation
    }()

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

    /// Returns whether the rules certainly accept a response. False if they run code of the application.
    ///
    /// - Parameter response: The response. The default rule needs its status only.
    package func accepts(_ status: HTTPStatus, _ response: @autoclosure () -> HTTPResponse) -> Bool {
        if isDefault { return status.isSuccess }
        return isQuick && (try? check(response())) != nil
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

extension Validation {
    /// Requires a status in a range: `.status(200..<400)`.
    public static func status(_ range: some RangeExpression<Int> & Sendable) -> Validation {
        Validation(isQuick: true) { response, _ in
            guard !range.contains(response.status.code) else { return }
            throw badStatus(response, expected: words(for: range))
        }
    }

    /// Requires one of these statuses: `.status([200, 304])`.
    public static func status(_ statuses: Set<HTTPStatus>) -> Validation {
        Validation(isQuick: true) { response, _ in
            guard !statuses.contains(response.status) else { return }
            throw badStatus(response, expected: statuses.ordered(by: <).map(\.description).joined(separator: ", "))
        }
    }

    /// Returns a range as it is written in Swift.
    private static func words(for range: some RangeExpression<Int>) -> String {
        switch range {
        case let range as PartialRangeFrom<Int>: "\(range.lowerBound)..."
        case let range as PartialRangeUpTo<Int>: "..<\(range.upperBound)"
        case let range as PartialRangeThrough<Int>: "...\(range.upperBound)"
        default: "\(range)"
        }
    }

    private static func badStatus(_ response: HTTPResponse, expected: String) -> RequestError {
        var detail = "the status is \(response.status) \(response.status.name), expected \(expected)"
        if response.status.isRedirect {
            let location = response.headers["Location"].map { Redaction.standard.redact($0, ofHeader: "Location") }
            detail += location.map { "; the redirect to \($0) was not followed" } ?? "; it names no URL to follow"
        }
        if let advice = advice(for: response.status) { detail += ": \(advice)" }
        return RequestError(.badStatus, phase: .decode, detail: detail)
    }

    private static func advice(for status: HTTPStatus) -> String? {
        switch status {
        case .unauthorized, .forbidden: "check the credentials"
        case .notFound, .gone: "check the URL"
        case .requestTimeout, .tooEarly, .tooManyRequests, 500..<600: "try again later"
        case 400..<500: "check the request, and the body of the response for the reason"
        default: nil
        }
    }

    /// Requires one of these content types, with any parameters: `application/json`, `image/*`, `application/*+json`,
    /// `*/*`.
    ///
    /// A response without a body passes.
    public static func contentType(_ patterns: String...) -> Validation {
        contentType(patterns)
    }

    /// Requires one of these content types.
    public static func contentType(_ patterns: [String]) -> Validation {
        Validation(isQuick: true) { response, _ in
            guard response.isStreaming || !response.body.isEmpty, !response.isBodiless else { return }
            let value = response.headers["Content-Type"]
            if let type = value.flatMap({ MIMEType(parsing: $0) }),
                patterns.contains(where: { MIMEType(parsing: $0).map(type.matches(essenceOf:)) ?? false })
            {
                return
            }
            throw RequestError(
                .badContentType, phase: .decode,
                detail: "the content type is \(value.map(\.debugDescription) ?? "missing"), "
                    + "expected \(patterns.joined(separator: ", ")): check the URL, or whether a proxy or a page to sign in responded"
            )
        }
    }
}
