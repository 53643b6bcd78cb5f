/// What carries a request to a server and its answer back.
///
/// Transports follow no redirects, answer no challenges, keep no cookies and cache nothing: all that is done above them, the
/// same way for each. Any thread may call, and each request stands for itself.
public protocol Transport: Sendable {
    /// What this transport can do. What it cannot do is refused before anything is sent.
    var capabilities: TransportCapabilities { get }

    /// Sends a request, and returns when the head of the response is there, or all of it: see ``TransportOptions/delivery``.
    ///
    /// Cancelling the task closes the connection and throws `CancellationError`; everything else that goes wrong is a
    /// ``RequestError``.
    func send(_ request: HTTPRequest, options: TransportOptions) async throws -> HTTPResponse

    /// Ends everything under way with ``RequestError/Code/shutDown``, refuses what comes later, and returns when all
    /// connections are closed.
    func shutdown() async
}

extension Transport {
    /// Sends a request with the options that are the default, and returns when all of the body is there.
    public func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        try await send(request, options: TransportOptions())
    }
}
