import Synchronization

/// Reads of single keys that are sent together: while two reads are in flight, later ones wait and then share one.
///
/// So a lone read is sent at once, and many reads at once share commands and round trips.
final class Gathering<Key: Sendable, Value: Sendable>: Sendable {
    private typealias Waiter = (key: Key, continuation: CheckedContinuation<Result<Value, any Error>, Never>)

    private struct State {
        var waiting: [Waiter] = []
        var inFlight = 0
    }

    private let state = Mutex(State())
    private let limit: Int

    /// - Parameter limit: The number of keys that are read together.
    init(limit: Int) {
        self.limit = limit
    }

    /// Reads a key, alone or with others.
    func read(_ key: Key, _ read: @escaping @Sendable ([Key]) async throws -> [Value]) async throws -> Value? {
        let isAlone = state.withLock { state in
            guard state.inFlight < 2 else { return false }
            state.inFlight += 1
            return true
        }
        if isAlone {
            defer { next(read) }
            return try await read([key]).first
        }
        let result = await withCheckedContinuation { continuation in
            state.withLock { $0.waiting.append((key, continuation)) }
            // The reads in flight may have ended meanwhile.
            next(read, ended: 0)
        }
        return try result.get()
    }

    /// Ends reads, and sends those that wait.
    private func next(_ read: @escaping @Sendable ([Key]) async throws -> [Value], ended: Int = 1) {
        let batch = state.withLock { state in
            state.inFlight -= ended
            guard !state.waiting.isEmpty, state.inFlight < 2 else { return [Waiter]() }
            state.inFlight += 1
            let batch = Array(state.waiting.prefix(limit))
            state.waiting.removeFirst(batch.count)
            return batch
        }
        guard !batch.isEmpty else { return }
        Task.detached { [self] in
            do {
                let values = try await read(batch.map(\.key))
                next(read)
                for (waiter, value) in zip(batch, values) { waiter.continuation.resume(returning: .success(value)) }
            } catch {
                next(read)
                for waiter in batch { waiter.continuation.resume(returning: .failure(error)) }
            }
        }
    }
}
