/// The status code of a response, with its name and class.
///
/// A status can be compared with numbers: `response.status == 404`, `200..<300 ~= response.status`.
public struct HTTPStatus: RawRepresentable, Hashable, Sendable {
    /// The number, which need not be a registered one.
    public let code: Int

    public init(_ code: Int) {
        self.code = code
    }

    public init(rawValue: Int) {
        code = rawValue
    }

    public var rawValue: Int { code }

    /// The class of a code, which its first digit determines.
    package enum Class: Hashable, Sendable {
        /// 100 to 199: an interim response
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

    /// The class of the code.
    package var `class`: Class {
        switch code {
        case 100..<200: .informational
        case 200..<300: .success
        case 300..<400: .redirection
        case 400..<500: .clientError
        case 500..<600: .serverError
        default: .unknown
        }
    }

    /// A Boolean value that indicates whether the code is from 100 to 199.
    public var isInformational: Bool { `class` == .informational }
    /// A Boolean value that indicates whether the code is from 200 to 299.
    public var isSuccess: Bool { `class` == .success }
    /// A Boolean value that indicates whether the code is from 300 to 399. That includes codes that redirect nowhere,
    /// such as 304.
    public var isRedirection: Bool { `class` == .redirection }

    /// A Boolean value that indicates whether the response redirects to another URL. In the class, 304 to 306 do not.
    package var isRedirect: Bool { isRedirection && !(304...306).contains(code) }
    /// A Boolean value that indicates whether the code is from 400 to 499.
    public var isClientError: Bool { `class` == .clientError }
    /// A Boolean value that indicates whether the code is from 500 to 599.
    public var isServerError: Bool { `class` == .serverError }
}

extension HTTPStatus: ExpressibleByIntegerLiteral, Comparable, CustomStringConvertible {
    public init(integerLiteral value: Int) {
        code = value
    }

    public static func < (one: HTTPStatus, other: HTTPStatus) -> Bool {
        one.code < other.code
    }

    /// Matches a status with a range of numbers: `case 200..<300`.
    public static func ~= (range: some RangeExpression<Int>, status: HTTPStatus) -> Bool {
        range.contains(status.code)
    }

    /// The number; for the text, see ``name``.
    public var description: String { String(code) }
}

extension Int {
    /// Creates a number from the code of a status.
    public init(_ status: HTTPStatus) {
        self = status.code
    }
}

extension HTTPStatus {
    /// A Boolean value that indicates whether a client may follow the status without a person who chooses, as with 300.
    package var isFollowed: Bool {
        switch code {
        case 301, 302, 303, 307, 308: true
        default: false
        }
    }
}
