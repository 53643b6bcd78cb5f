import Synchronization

/// A value that changes, told to whoever follows it: the last one first, then each new one, until the end.
///
/// A follower that is slow misses values in between where `keepsAll` is false, and never the last one.
final class Broadcast<Value: Sendable>: Sendable {
    private struct State {
        var value: Value
        var isOver = false
        var nextFollower = 0
        var followers: [Int: AsyncStream<Value>.Continuation] = [:]
    }

    private let state: Mutex<State>
    private let keepsAll: Bool

    init(_ value: Value, keepsAll: Bool) {
        state = Mutex(State(value: value))
        self.keepsAll = keepsAll
    }

    var value: Value { state.withLock(\.value) }

    /// Changes the value and returns whether it may be changed still. Nothing changes after the end.
    @discardableResult
    func update(ends: Bool = false, _ change: (inout Value) -> Bool) -> Bool {
        state.withLock { state in
            guard !state.isOver, change(&state.value) else { return false }
            for follower in state.followers.values { follower.yield(state.value) }
            if ends { Self.end(&state) }
            return true
        }
    }

    func end() {
        state.withLock { Self.end(&$0) }
    }

    private static func end(_ state: inout State) {
        state.isOver = true
        for follower in state.followers.values { follower.finish() }
        state.followers = [:]
    }

    var values: AsyncStream<Value> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Value.self, bufferingPolicy: keepsAll ? .unbounded : .bufferingNewest(1))
        let number = state.withLock { state -> Int? in
            continuation.yield(state.value)
            guard !state.isOver else {
                continuation.finish()
                return nil
            }
            state.nextFollower += 1
            state.followers[state.nextFollower] = continuation
            return state.nextFollower
        }
        if let number {
            continuation.onTermination = { [weak self] _ in
                _ = self?.state.withLock { $0.followers.removeValue(forKey: number) }
            }
        }
        return stream
    }
}
