import Synchronization

/// A writer of a body that is produced while it is sent.
public struct ResponseWriter: Sendable {
    fileprivate let stream: ResponseStream

    /// Sends bytes as one chunk, and waits until there is room for more.
    ///
    /// Throws `CancellationError` once the connection is closed.
    public func write(_ bytes: some Sequence<UInt8>) async throws {
        let block = Block(Array(bytes))
        // An empty chunk would be the last one.
        if block.count > 0 { try await stream.write(block) }
    }

    /// Sends text as one chunk, and waits until there is room for more.
    public func write(_ text: String) async throws {
        try await write(text.utf8)
    }
}

/// Hands the portions of a body from the task that produces them to the connection that sends them, one at a time.
final class ResponseStream: Sendable {
    enum Portion {
        case bytes(Block)
        case later
        case end
        case failure
    }

    private struct State {
        var block: Block?
        var writer: CheckedContinuation<Void, any Error>?
        var reader: (@Sendable () -> Void)?
        var task: Task<Void, Never>?
        var hasStarted = false
        var isOver = false
        var hasFailed = false
    }

    private let state = Mutex(State())
    private let body: @Sendable (ResponseWriter) async throws -> Void

    init(_ body: @escaping @Sendable (ResponseWriter) async throws -> Void) {
        self.body = body
    }

    /// Returns the next portion. If it is not ready, returns `.later` and calls `reader` once it is.
    func take(_ reader: @escaping @Sendable () -> Void) -> Portion {
        start()
        let (portion, writer): (Portion, CheckedContinuation<Void, any Error>?) = state.withLock { state in
            if let block = state.block {
                state.block = nil
                return (.bytes(block), state.writer.take())
            }
            if state.isOver { return (state.hasFailed ? .failure : .end, nil) }
            state.reader = reader
            return (.later, nil)
        }
        writer?.resume()
        return portion
    }

    private func start() {
        guard
            state.withLock({ state in
                defer { state.hasStarted = true }
                return !state.hasStarted
            })
        else { return }
        let task = Task { [self] in
            do {
                try await body(ResponseWriter(stream: self))
                end(failed: false)
            } catch {
                end(failed: true)
            }
        }
        let isOver = state.withLock { state in
            if !state.isOver { state.task = task }
            return state.isOver
        }
        if isOver { task.cancel() }
    }

    fileprivate func write(_ block: Block) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            let (reader, isOver) = state.withLock { state in
                if state.isOver { return (nil as (@Sendable () -> Void)?, true) }
                state.block = block
                state.writer = continuation
                return (state.reader.take(), false)
            }
            if isOver { continuation.resume(throwing: CancellationError()) }
            reader?()
        }
    }

    private func end(failed: Bool) {
        let reader = state.withLock { state in
            state.isOver = true
            state.hasFailed = state.hasFailed || failed
            state.task = nil
            return state.reader.take()
        }
        reader?()
    }

    /// Cancels the task that produces the body, because the connection is closed.
    func cancel() {
        let (writer, task) = state.withLock { state in
            state.isOver = true
            state.block = nil
            state.reader = nil
            return (state.writer.take(), state.task.take())
        }
        writer?.resume(throwing: CancellationError())
        task?.cancel()
    }
}
