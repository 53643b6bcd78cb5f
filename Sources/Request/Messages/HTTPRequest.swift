#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A message to a server, as it is sent.
public struct HTTPRequest: Sendable {
    /// What is wanted of the server.
    public var method: HTTPMethod
    /// Where it goes: a whole URL, `http` or `https`.
    public var url: URL
    /// The fields before the body. Transports add those that the connection needs.
    public var headers: Headers
    /// What is sent after the headers.
    public var body: Body

    public init(method: HTTPMethod = .get, url: URL, headers: Headers = [:], body: Body = .none) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
    }
}
