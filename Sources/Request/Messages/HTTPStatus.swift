/// The status code of a response, with its name and class.
///
/// It compares with numbers: `response.status == 404`, `200..<300 ~= response.status`.
public struct HTTPStatus: RawRepresentable, Hashable, Sendable {
    public let code: Int

    public init(_ code: Int) {
        self.code = code
    }

    public init(rawValue: Int) {
        code = rawValue
    }

    public var rawValue: Int { code }

    /// What the first digit says.
    public enum Class: Hashable, Sendable {
        case informational
        case success
        case redirection
        case clientError
        case serverError
        case unknown
    }

    public var `class`: Class {
        switch code {
        case 100..<200: .informational
        case 200..<300: .success
        case 300..<400: .redirection
        case 400..<500: .clientError
        case 500..<600: .serverError
        default: .unknown
        }
    }

    public var isInformational: Bool { `class` == .informational }
    public var isSuccess: Bool { `class` == .success }
    public var isRedirection: Bool { `class` == .redirection }
    public var isClientError: Bool { `class` == .clientError }
    public var isServerError: Bool { `class` == .serverError }
}

extension HTTPStatus: ExpressibleByIntegerLiteral, Comparable, CustomStringConvertible {
    public init(integerLiteral value: Int) {
        code = value
    }

    public static func < (one: HTTPStatus, other: HTTPStatus) -> Bool {
        one.code < other.code
    }

    public static func ~= (range: some RangeExpression<Int>, status: HTTPStatus) -> Bool {
        range.contains(status.code)
    }

    /// The number alone; ``name`` has the words.
    public var description: String { String(code) }
}

extension Int {
    public init(_ status: HTTPStatus) {
        self = status.code
    }
}
