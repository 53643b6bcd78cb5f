/// The error of a cookie that cannot be stored, or of a file of cookies that cannot be read or written.
public struct CookieJarError: Error, Sendable, CustomStringConvertible {
    /// The problem, and the way to solve it. It contains no value of a cookie.
    public let message: String

    public var description: String { message }
}
