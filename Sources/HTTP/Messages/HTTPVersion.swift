/// The HTTP version of a response.
public struct HTTPVersion: Hashable, Sendable, Comparable, CustomStringConvertible {
    public let major: Int
    public let minor: Int

    public init(major: Int, minor: Int) {
        self.major = major
        self.minor = minor
    }

    public static let http1_0 = HTTPVersion(major: 1, minor: 0)
    public static let http1_1 = HTTPVersion(major: 1, minor: 1)
    public static let http2 = HTTPVersion(major: 2, minor: 0)
    public static let http3 = HTTPVersion(major: 3, minor: 0)

    public static func < (one: HTTPVersion, other: HTTPVersion) -> Bool {
        (one.major, one.minor) < (other.major, other.minor)
    }

    /// The version as browser tools print it: `HTTP/1.1`, `HTTP/2`.
    public var description: String {
        major < 2 ? "HTTP/\(major).\(minor)" : "HTTP/\(major)"
    }
}
