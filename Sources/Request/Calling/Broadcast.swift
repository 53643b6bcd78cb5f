import Synchronization

/// A value that changes, delivered to its followers: streams get the current one first, then each new one, until the end.
///
/// A slow follower misses values in between where `keepsAll` is false, and never the last one.
///
/// Changing and delivering are two steps. ``change(_:)`` only notes the value, so it may be called under another lock.
/// ``deliver()`` resumes the followers, so it must not.
package final class Broadcast<Value: Sendable>: Sendable {
    fileprivate struct Follower {
        let receive: @Sendable (Value) -> Void
        let finish: @Sendable () -> Void
        /// The number of the change that it began with.
        let start: Int
    }

    fileprivate struct State {
        var value: Value
        var isOver = false
        var changeCount = 0
        /// The changes that have not been delivered, with their numbers.
        var waiting: [(number: Int, value: Value)] = []
        var isDelivering = false
        var nextFollower = 0
        var followers: [Int: Follower] = [:]
    }

    private let state: Mutex<State>
    private let keepsAll: Bool

    package init(_ value: Value, keepsAll: Bool) {
        state = Mutex(State(value: value))
        self.keepsAll = keepsAll
    }

    package var value: Value { state.withLock(\.value) }

    /// Changes the value and delivers it, unless the function returns that it stays. Nothing changes after the end.
    func update(_ body: (inout Value) -> Bool) {
        change(body)
        deliver()
    }

    /// Changes the value, unless the function returns that it stays. ``deliver()`` must follow.
    func change(_ body: (inout Value) -> Bool) {
        state.withLock { $0.change(body, keepsAll: keepsAll) }
    }

    /// Delivers the changes. One thread at a time does that, so that followers get the changes in order.
    func deliver() {
        while true {
            let (values, followers, isEnd) = state.withLock { $0.takeDelivery() }
            guard !followers.isEmpty else { return }
            for follower in followers {
                for (number, value) in values where number > follower.start { follower.receive(value) }
                if isEnd { follower.finish() }
            }
            state.withLock { $0.isDelivering = false }
        }
    }

    /// Ends the streams of all followers, once everything that has changed is delivered.
    ///
    /// - Parameter body: Makes the last change, as in ``update(_:)``.
    func end(_ body: (inout Value) -> Bool = { _ in false }) {
        state.withLock { state in
            state.change(body, keepsAll: keepsAll)
            state.isOver = true
        }
        deliver()
    }

    var values: AsyncStream<Value> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Value.self, bufferingPolicy: keepsAll ? .unbounded : .bufferingNewest(1))
        let number = state.withLock { state -> Int? in
            // Nothing reads the stream yet, so this resumes nothing.
            continuation.yield(state.value)
            return state.isOver ? nil : state.add({ continuation.yield($0) }, { continuation.finish() })
        }
        guard let number else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in self?.remove(number) }
        return stream
    }

    /// Calls a function with each change from now on, one at a time and never under a lock. Returns the number for ``remove(_:)``.
    func observe(_ receive: @escaping @Sendable (Value) -> Void) -> Int {
        state.withLock { $0.add(receive, {}) }
    }

    func remove(_ number: Int) {
        // The follower is released after the lock, because that may run code of the user.
        withExtendedLifetime(state.withLock { $0.followers.removeValue(forKey: number) }) {}
    }

    package var followerCount: Int { state.withLock(\.followers.count) }
}

extension Broadcast.State {
    fileprivate mutating func add(
        _ receive: @escaping @Sendable (Value) -> Void, _ finish: @escaping @Sendable () -> Void
    ) -> Int {
        nextFollower += 1
        followers[nextFollower] = Broadcast.Follower(receive: receive, finish: finish, start: changeCount)
        return nextFollower
    }

    fileprivate mutating func change(_ body: (inout Value) -> Bool, keepsAll: Bool) {
        guard !isOver, body(&value) else { return }
        changeCount += 1
        if !keepsAll { waiting = [] }
        if !followers.isEmpty { waiting.append((changeCount, value)) }
    }

    /// The changes to deliver, their followers, and whether they are the last. There are no followers while another thread
    /// delivers.
    fileprivate mutating func takeDelivery() -> (
        values: [(number: Int, value: Value)], followers: [Broadcast.Follower], isEnd: Bool
    ) {
        guard !isDelivering, isOver || !waiting.isEmpty else { return ([], [], false) }
        defer {
            waiting = []
            if isOver { followers = [:] }
        }
        isDelivering = !followers.isEmpty
        return (waiting, Array(followers.values), isOver)
    }
}
