/// The consumers of more than one delivery.
extension Outcome {
    /// The second delivery, and the callbacks and followers that get both.
    final class Audience: @unchecked Sendable {
        // Unchecked: the lock of the outcome guards it.

        var second: Promise<Output>?
        var isUnchanged = false
        var hasNotifiedAgain = false
        var repeated: [Callback] = []
        private var followers: [Int: (continuation: Follower, hasFirst: Bool)] = [:]
        private var lastFollower = 0

        var isFollowed: Bool { !followers.isEmpty }

        func add(_ follower: Follower, hasFirst: Bool) -> Int {
            lastFollower += 1
            followers[lastFollower] = (follower, hasFirst)
            return lastFollower
        }

        /// Removes and returns a follower; nil if it was removed before.
        func remove(_ number: Int) -> Follower? { followers.removeValue(forKey: number)?.continuation }

        /// Returns the followers that have not had the first delivery, and marks that they have it.
        func takeFirst() -> [Follower] {
            let waiting = followers.filter { !$0.value.hasFirst }
            for number in waiting.keys { followers[number]?.hasFirst = true }
            return waiting.values.map(\.continuation)
        }

        /// Removes and returns all followers.
        func takeAll() -> [Follower] {
            defer { followers = [:] }
            return followers.values.map(\.continuation)
        }
    }

    /// Returns a stream of the deliveries so far and of those to come.
    ///
    /// - Parameter leave: Called if the follower leaves before the end.
    func values(leave: @escaping @Sendable () -> Void) -> AsyncThrowingStream<Output, any Error> {
        let (stream, follower) = AsyncThrowingStream.makeStream(of: Output.self)
        let number = withState { state -> Int? in
            state.isErrorSeen = true
            let isDelivered = state.isDeliveredTwice || state.isOver && state.error == nil
            let first = isDelivered ? state.promise.flatMap { typed($0).output } : nil
            if let first { follower.yield(first) }
            // If the promise is not fulfilled yet, the thread that fulfils it notifies the follower.
            guard !state.isOver || isDelivered && first == nil else {
                if let audience = audience(of: state), let second = audience.second?.output, !audience.isUnchanged {
                    follower.yield(second)
                }
                return nil
            }
            return attended(&state).add(follower, hasFirst: first != nil)
        }
        guard let number else {
            follower.finish(throwing: withState(\.error))
            return stream
        }
        follower.onTermination = { [weak self] termination in
            guard let self, withState({ audience(of: $0)?.remove(number) }) != nil else { return }
            if case .cancelled = termination { leave() }
        }
        return stream
    }

    /// The consumers of more than one delivery; nil for none.
    func audience(of state: OutcomeState) -> Audience? {
        state.audience.map { unsafeDowncast($0, to: Audience.self) }
    }

    /// The consumers of more than one delivery, made at the first use.
    func attended(_ state: inout OutcomeState) -> Audience {
        if let audience = audience(of: state) { return audience }
        let new = Audience()
        state.audience = new
        return new
    }

    /// Returns the followers that were added after a delivery and before its promise had it, with that output, and with the error
    /// after it. `isOver` indicates whether nothing follows.
    func takeLate(
        _ state: inout OutcomeState
    ) -> (output: Output, followers: [Follower], isOver: Bool, error: (any Error)?)? {
        guard let audience = audience(of: state), audience.isFollowed, let promise = state.promise,
            let output = typed(promise).output
        else { return nil }
        let late = audience.takeFirst()
        if state.isOver { _ = audience.takeAll() }
        return (output, late, state.isOver, state.error)
    }
}
