import Synchronization

extension Transport {
    /// Sends a request and returns the head of its response, or all of it: see ``TransportOptions/delivery``.
    ///
    /// Cancelling the task closes the connection and throws `CancellationError`. Every other failure is a
    /// ``RequestError``.
    public func send(
        _ request: HTTPRequest, options: TransportOptions = TransportOptions()
    ) async throws -> HTTPResponse {
        let waiter = ResponseWaiter()
        return try await withCancellation {
            try await waiter.response { completion in
                start(request, options: options, completion: completion)
            }
        } onCancel: {
            waiter.cancel()
        }
    }
}

/// The Swift task that waits for the response of one request.
private final class ResponseWaiter: Sendable {
    private struct State: ~Copyable {
        var continuation: UnsafeContinuation<Void, Never>?
        var response: (@Sendable () throws -> HTTPResponse)?
        var task: TransportTask?
        var isCancelled = false
    }

    private let state = Mutex(State())

    func response(
        startedBy start: (@escaping TransportCompletion) -> TransportTask
    ) async throws -> HTTPResponse {
        await withUnsafeContinuation { continuation in
            let isCancelled = state.withLock { state in
                if !state.isCancelled { state.continuation = continuation }
                return state.isCancelled
            }
            if isCancelled { return continuation.resume() }
            note(start { self.complete(with: $0) })
        }
        let response = state.withLock { state in
            defer { state.response = nil }
            return state.response
        }
        guard let response else { throw CancellationError() }
        return try response()
    }

    private func note(_ task: TransportTask) {
        let isCancelled = state.withLock { state in
            if state.continuation != nil { state.task = task }
            return state.isCancelled
        }
        if isCancelled { task.cancel() }
    }

    /// Resumes the waiting task. A second completion of a faulty transport is ignored.
    private func complete(with response: @escaping @Sendable () throws -> HTTPResponse) {
        let (continuation, task) = state.withLock { state in
            let continuation = state.continuation
            if continuation != nil { state.response = response }
            defer { (state.continuation, state.task) = (nil, nil) }
            return (continuation, state.task)
        }
        withExtendedLifetime(task) {}
        continuation?.resume()
    }

    func cancel() {
        let task = state.withLock { state in
            state.isCancelled = true
            return state.task
        }
        task?.cancel()
    }
}
