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
