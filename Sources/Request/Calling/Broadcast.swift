import Synchronization

/// A value that changes, told to whoever follows it: the last one first, then each new one, until the end.
///
/// A follower that is slow misses values in between where `keepsAll` is false, and never the last one.
final class Broadcast<Value: Sendable>: Sendable {
    private typealias Followers = [Int: AsyncStream<Value>.Continuation]

    private struct State {
        var value: Value
        var isOver = false
        var nextFollower = 0
        var followers: Followers = [:]

        /// Returns those who are to be told that it is over: outside the lock, for they come back to leave.
        mutating func end() -> Followers {
            isOver = true
            defer { followers = [:] }
            return followers
        }
    }

    private let state: Mutex<State>
    private let keepsAll: Bool

    init(_ value: Value, keepsAll: Bool) {
        state = Mutex(State(value: value))
        self.keepsAll = keepsAll
    }

    var value: Value { state.withLock(\.value) }

    /// Changes the value, unless the function returns that it stays. Nothing changes after the end.
    func update(_ change: (inout Value) -> Bool) {
        state.withLock { state in
            guard !state.isOver, change(&state.value) else { return }
            for follower in state.followers.values { follower.yield(state.value) }
        }
    }

    func end() {
        let left = state.withLock { $0.end() }
        for follower in left.values { follower.finish() }
    }

    var values: AsyncStream<Value> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Value.self, bufferingPolicy: keepsAll ? .unbounded : .bufferingNewest(1))
        let number = state.withLock { state -> Int? in
            continuation.yield(state.value)
            guard !state.isOver else { return nil }
            state.nextFollower += 1
            state.followers[state.nextFollower] = continuation
            return state.nextFollower
        }
        guard let number else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in
            _ = self?.state.withLock { $0.followers.removeValue(forKey: number) }
        }
        return stream
    }
}
