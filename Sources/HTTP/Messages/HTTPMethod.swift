/// The method of a request: `GET`, `POST`, or any other token, with the case in which it is sent.
///
/// An invalid name, such as one with a space, is stored unchanged. A request with it is refused before anything is
/// sent.
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

    /// A Boolean value that indicates whether the method only reads (RFC 9110, 9.2.1). Cached responses stay valid after
    /// it.
    ///
    /// The methods of WebDAV that only read are safe too: `PROPFIND`, `REPORT` and `SEARCH`.
    public var isSafe: Bool {
        switch self {
        case .get, .head, .options, .trace, .query, "PROPFIND", "REPORT", "SEARCH": true
        default: false
        }
    }

    /// A Boolean value that indicates whether repeating the request has the same effect (RFC 9110, 9.2.2). It may then
    /// be sent again.
    public var isIdempotent: Bool {
        isSafe || self == .put || self == .delete
    }

    /// A Boolean value that indicates whether servers may expect a body.
    package var expectsBody: Bool {
        switch self {
        case .get, .head, .trace: false
        default: true
        }
    }

    /// A Boolean value that indicates whether the name is a token (RFC 9110, 5.6.2), as all methods are.
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
