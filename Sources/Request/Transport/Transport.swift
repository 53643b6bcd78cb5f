/// Sends requests to servers and delivers their responses.
///
/// Transports follow no redirects, answer no challenges, keep no cookies and cache nothing. The client does all that above
/// them, the same way for each transport. Any thread may call a transport, and requests do not depend on each other.
public protocol Transport: Sendable {
    /// The features of this transport. A request that needs another feature fails before anything is sent.
    var capabilities: TransportCapabilities { get }

    /// Starts a request and returns at once.
    ///
    /// The transport calls the completion exactly once, on any thread, also before this function returns. For
    /// ``TransportOptions/Delivery/stream`` it does so when the head of the response has arrived, and for
    /// ``TransportOptions/Delivery/whole(limit:)`` when the body is complete as well.
    ///
    /// - After ``TransportTask/cancel()``, the transport closes the connection of an unfinished request and completes it with
    ///   `CancellationError`. If the request has completed, cancelling has no effect.
    /// - After ``shutdown()``, every request completes with ``RequestError/Code/shutDown``.
    /// - Every other failure is a ``RequestError`` with the request. A request that the transport cannot send is completed
    ///   with its error in place of being started: see ``TransportCapabilities/refusal(of:options:)``.
    ///
    /// To send requests with an async function, return ``TransportTask/init(completing:with:)``.
    func start(
        _ request: HTTPRequest, options: TransportOptions, completion: @escaping TransportCompletion
    ) -> TransportTask

    /// Ends all requests in flight with ``RequestError/Code/shutDown``, refuses later ones, and returns once all connections
    /// are closed.
    func shutdown() async
}

/// Receives the response of a request, as a function that returns it or throws the error of the request.
///
/// The completion returns at once: it may be called on the thread of an event loop. The receiver calls the function once, on
/// a thread of its own, so that a transport can leave work such as parsing to that function.
///
/// ```swift
/// completion { HTTPResponse(status: .noContent, request: request) }
/// completion { throw RequestError(.hostNotFound, phase: .connect, detail: "no network", request: request) }
/// ```
public typealias TransportCompletion = @Sendable (_ response: @escaping @Sendable () throws -> HTTPResponse) -> Void
