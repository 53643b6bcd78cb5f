/// The status code of a response, with its name and class.
///
/// It compares with numbers: `response.status == 404`, `200..<300 ~= response.status`.
public struct HTTPStatus: RawRepresentable, Hashable, Sendable {
    /// The number, also one that no standard knows.
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
        /// 100 to 199: there is more to come.
        case informational
        /// 200 to 299
        case success
        /// 300 to 399
        case redirection
        /// 400 to 499
        case clientError
        /// 500 to 599
        case serverError
        /// Any other number
        case unknown
    }

    /// What the first digit of the code says.
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

    /// Whether it is from 100 to 199.
    public var isInformational: Bool { `class` == .informational }
    /// Whether it is from 200 to 299.
    public var isSuccess: Bool { `class` == .success }
    /// Whether it is from 300 to 399, also where it leads nowhere, as 304.
    public var isRedirection: Bool { `class` == .redirection }

    /// Whether the response sends its client to another place. Of the class, 304 to 306 do not.
    var isRedirect: Bool { isRedirection && !(304...306).contains(code) }
    /// Whether it is from 400 to 499.
    public var isClientError: Bool { `class` == .clientError }
    /// Whether it is from 500 to 599.
    public var isServerError: Bool { `class` == .serverError }
}

extension HTTPStatus: ExpressibleByIntegerLiteral, Comparable, CustomStringConvertible {
    public init(integerLiteral value: Int) {
        code = value
    }

    public static func < (one: HTTPStatus, other: HTTPStatus) -> Bool {
        one.code < other.code
    }

    /// Lets a status be matched by numbers: `case 200..<300`.
    public static func ~= (range: some RangeExpression<Int>, status: HTTPStatus) -> Bool {
        range.contains(status.code)
    }

    /// The number alone; ``name`` has the words.
    public var description: String { String(code) }
}

extension Int {
    /// The code of a status.
    public init(_ status: HTTPStatus) {
        self = status.code
    }
}
