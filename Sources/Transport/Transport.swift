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
    /// It may be called on any thread. A request that has waited for a ``Limiter`` has no task-local values of the task that started
    /// its call.
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

/// A request that a transport has started.
public struct TransportTask: Sendable {
    private let whenCancelled: @Sendable () -> Void

    /// Creates a task with the function that cancels its request. That function may be called on any thread, more than
    /// once.
    public init(cancel: @escaping @Sendable () -> Void) {
        whenCancelled = cancel
    }

    /// Runs an async function that sends a request, and passes its result to the completion.
    ///
    /// ```swift
    /// func start(
    ///     _ request: HTTPRequest, options: TransportOptions, completion: @escaping TransportCompletion
    /// ) -> TransportTask {
    ///     TransportTask(completing: completion) {
    ///         var request = request
    ///         request.headers["X-Sent-At"] = "\(Date.now.timeIntervalSince1970)"
    ///         return try await inner.send(request, options: options)
    ///     }
    /// }
    /// ```
    ///
    /// Cancelling cancels the Swift task in which the function runs.
    public init(
        completing completion: @escaping TransportCompletion,
        with send: @escaping @Sendable () async throws -> HTTPResponse
    ) {
        let task = Task {
            do {
                let response = try await send()
                completion { response }
            } catch {
                completion { throw error }
            }
        }
        self.init { task.cancel() }
    }

    /// The task of a request that has completed: cancelling it has no effect.
    public static let completed = TransportTask {}

    /// Closes the connection of the request unless it has completed.
    public func cancel() {
        whenCancelled()
    }
}

/// A transport with limits of its own. Clients without another limiter use that of the transport, so that their calls wait
/// in the order in which they were started. Requests that are sent without a client wait in an ``AdmissionQueue``.
package protocol LimitedTransport: Transport {
    /// Nil without limits.
    var limiter: Limiter? { get }
}

extension Transport {
    /// The limiter for the limits of this transport; nil if it has none.
    package var limiter: Limiter? { (self as? any LimitedTransport)?.limiter }
}

extension Limiter {
    /// Creates a limiter for the limits of a transport; nil if it has none, and if it refuses all requests because of them.
    package convenience init?(transport total: Int?, perHost: Int?) {
        guard total != nil || perHost != nil, total ?? 1 >= 1, perHost ?? 1 >= 1 else { return nil }
        self.init(total: total, perHost: perHost)
    }
}
