/// An object that sends requests to servers and delivers their responses.
///
/// Transports follow no redirects, respond to no challenges, store no cookies and cache nothing. The client does this
/// above them, in the same way for each transport. A transport may be called on any thread, and its requests are
/// independent of each other.
public protocol Transport: Sendable {
    /// The features of this transport. A request that needs another feature fails before anything is sent.
    var capabilities: TransportCapabilities { get }

    /// Starts a request and returns at once.
    ///
    /// The transport calls the completion exactly once, on any thread, possibly before this function returns. With
    /// ``TransportOptions/Delivery/stream``, it does so when the head of the response has arrived. With
    /// ``TransportOptions/Delivery/whole(limit:)``, it does so when the body is complete as well.
    ///
    /// - After ``TransportTask/cancel()``, the transport closes the connection of an unfinished request and completes
    ///   it with `CancellationError`. If the request has completed, cancelling has no effect.
    /// - After ``shutdown()``, every request completes with ``RequestError/Code/shutDown``.
    /// - Every other failure is a ``RequestError`` with the request. If the transport cannot send a request, it
    ///   completes it with the error and does not start it: see ``TransportCapabilities/refusal(of:options:)``.
    ///
    /// To send requests with an async function, return ``TransportTask/init(completing:with:)``.
    func start(
        _ request: HTTPRequest, options: TransportOptions, completion: @escaping TransportCompletion
    ) -> TransportTask

    /// Ends all requests in flight with ``RequestError/Code/shutDown`` and refuses later ones. Returns once all
    /// connections are closed.
    func shutdown() async
}

/// Receives the response of a request, as a function that returns it or throws the error of the request.
///
/// The completion must return at once, because it may be called on the thread of an event loop. The receiver calls the
/// function once, on a thread of its own. So a transport can leave work such as parsing to that function.
///
/// ```swift
/// completion { HTTPResponse(status: .noContent, request: request) }
/// completion { throw RequestError(.hostNotFound, phase: .connect, detail: "no network", request: request) }
/// ```
public typealias TransportCompletion = @Sendable (_ response: @escaping @Sendable () throws -> HTTPResponse) -> Void
