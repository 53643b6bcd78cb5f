import Dispatch

extension BodyStream {
    /// Writes the rest of the body to a file descriptor, and returns the number of bytes.
    ///
    /// The server waits while the descriptor accepts no bytes. The descriptor stays open. It may be that of a file, a pipe or a
    /// socket, blocking or not. An error of the system is a ``RequestError/Code/notWritten`` and closes the connection. A
    /// pipe without a reader is such an error, and raises no signal. Cancelling the task or the call also ends a wait for the
    /// descriptor, as does the `total` time of its timeouts.
    @discardableResult
    public func write(to descriptor: Int32) async throws -> Int {
        let writer = try DescriptorWriter(descriptor)
        let call = source as? any EndedSource
        let watch = call.map { call in
            Task {
                await call.ended()
                writer.cancel()
            }
        }
        defer { watch?.cancel() }
        return try await withTaskCancellationHandler {
            do {
                return try await write(with: { portion in try writer.write(portion) })
            } catch let error as CancellationError {
                throw call?.failure ?? error
            }
        } onCancel: {
            writer.cancel()
        }
    }

    /// Writes the rest of the body with a closure that may block, and returns the number of bytes.
    ///
    /// The closure gets one portion at a time, on a thread of its own queue. The next portion is read when it has returned.
    /// Cancelling the task takes effect then.
    @discardableResult
    public func write(with sink: @escaping @Sendable (Data) throws -> Void) async throws -> Int {
        let queue = DispatchQueue(label: "tango.sink")
        let reader = reader()
        defer { reader.end() }
        var count = 0
        while let portion = try await reader.next() {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                queue.async { continuation.resume(with: Result { try sink(portion) }) }
            }
            count += portion.count
        }
        return count
    }
}

/// A source that may end while its reader is busy with a portion.
package protocol EndedSource: BodySource {
    /// The error that has ended the body, other than one of its own.
    var failure: (any Error)? { get }
    /// Returns once the body has ended, or the task is cancelled.
    func ended() async
}

extension RequestError {
    static func notWritten(_ reason: String, _ underlying: (any Error)? = nil) -> RequestError {
        RequestError(
            .notWritten, phase: .receive,
            detail: "the body could not be written to its destination: \(reason)", underlying: underlying)
    }
}

extension ByteStream {
    /// Writes the rest of the body to a file descriptor: see ``BodyStream/write(to:)-(Int32)``.
    @discardableResult
    public func write(to descriptor: Int32) async throws -> Int {
        try await stream.write(to: descriptor)
    }

    /// Writes the rest of the body with a closure that may block: see ``BodyStream/write(with:)``.
    @discardableResult
    public func write(with sink: @escaping @Sendable (Data) throws -> Void) async throws -> Int {
        try await stream.write(with: sink)
    }
}
