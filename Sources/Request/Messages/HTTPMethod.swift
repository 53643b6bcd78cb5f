/// What a request wants done: `GET`, `POST`, and any other token, in the case in which it is sent.
///
/// A name that no method can have, such as one with a space, is kept as it is: the request that carries it is refused
/// before anything is sent.
public struct HTTPMethod: RawRepresentable, Hashable, Sendable {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    public init(_ name: String) {
        rawValue = name
    }

    public static let get = HTTPMethod("GET")
    public static let head = HTTPMethod("HEAD")
    public static let post = HTTPMethod("POST")
    public static let put = HTTPMethod("PUT")
    public static let patch = HTTPMethod("PATCH")
    public static let delete = HTTPMethod("DELETE")
    public static let options = HTTPMethod("OPTIONS")
    public static let trace = HTTPMethod("TRACE")
    public static let connect = HTTPMethod("CONNECT")
    public static let query = HTTPMethod("QUERY")

    /// Whether the method only reads (RFC 9110, 9.2.1), so that a response to it may be answered from a cache.
    public var isSafe: Bool {
        switch self {
        case .get, .head, .options, .trace, .query: true
        default: false
        }
    }

    /// Whether doing it twice is the same as doing it once (RFC 9110, 9.2.2), so that it may be sent again.
    public var isIdempotent: Bool {
        isSafe || self == .put || self == .delete
    }

    /// Whether a server may look for a body.
    var expectsBody: Bool {
        switch self {
        case .get, .head, .trace: false
        default: true
        }
    }

    /// Whether the name is a token (RFC 9110, 5.6.2), which all methods are.
    package var isValid: Bool {
        !rawValue.isEmpty && rawValue.utf8.allSatisfy(\.isTokenCharacter)
    }
}

extension HTTPMethod: ExpressibleByStringLiteral, CustomStringConvertible {
    public init(stringLiteral value: String) {
        rawValue = value
    }

    public var description: String { rawValue }
}
