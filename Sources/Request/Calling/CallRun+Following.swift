import TangoPromise

/// Those who hear of more than one delivery.
extension CallRun {
    /// What concerns a second delivery, and those who hear of it.
    final class Audience: @unchecked Sendable {
        // Unchecked: the lock of the outcome guards it.
        var second: Promise<Output>?
        var isUnchanged = false
        var isToldAgain = false
        var repeated: [(callback: Callback, link: Promise<Void>)] = []
        private var followers: [Int: (continuation: Follower, hasFirst: Bool)] = [:]
        private var lastFollower = 0

        var isFollowed: Bool { !followers.isEmpty }

        func add(_ follower: Follower, hasFirst: Bool) -> Int {
            lastFollower += 1
            followers[lastFollower] = (follower, hasFirst)
            return lastFollower
        }

        /// Takes a follower out; nil if it was not there.
        func remove(_ number: Int) -> Follower? { followers.removeValue(forKey: number)?.continuation }

        /// Those who are to be given the first delivery, and have not been.
        func takeFirst() -> [Follower] {
            let waiting = followers.filter { !$0.value.hasFirst }
            for number in waiting.keys { followers[number]?.hasFirst = true }
            return waiting.values.map(\.continuation)
        }

        /// All, who will hear no more.
        func takeAll() -> [Follower] {
            defer { followers = [:] }
            return followers.values.map(\.continuation)
        }
    }

    /// What was delivered, and what will be.
    ///
    /// - Parameter leave: Called if the follower leaves before the end.
    func values(leave: @escaping @Sendable () -> Void) -> AsyncThrowingStream<Output, any Error> {
        let (stream, follower) = AsyncThrowingStream.makeStream(of: Output.self)
        let number = outcome.withLock { outcome -> Int? in
            let isDelivered = outcome.isDeliveredTwice || outcome.isOver && outcome.error == nil
            let first = isDelivered ? outcome.promise?.output : nil
            if let first { follower.yield(first) }
            // Where it was delivered, and is not there yet, whoever is about to fulfil the promise will tell.
            guard !outcome.isOver || isDelivered && first == nil else {
                if let second = outcome.audience?.second?.output, outcome.audience?.isUnchanged == false {
                    follower.yield(second)
                }
                return nil
            }
            return outcome.attended.add(follower, hasFirst: first != nil)
        }
        guard let number else {
            follower.finish(throwing: outcome.withLock(\.error))
            return stream
        }
        follower.onTermination = { [weak self] termination in
            guard let self, outcome.withLock({ $0.audience?.remove(number) }) != nil else { return }
            if case .cancelled = termination { leave() }
        }
        return stream
    }
}

extension CallRun.Outcome {
    /// Those who hear of more than one delivery.
    var attended: CallRun<Output>.Audience {
        mutating get {
            if let audience { return audience }
            let new = CallRun<Output>.Audience()
            audience = new
            return new
        }
    }

    /// Those who came when a delivery had begun and its promise did not have it yet, what they are to be given, whether that
    /// is all, and the error that comes after it.
    func takeLate() -> (output: Output, followers: [CallRun<Output>.Follower], isOver: Bool, error: (any Error)?)? {
        guard let audience, audience.isFollowed, let output = promise?.output else { return nil }
        let late = audience.takeFirst()
        if isOver { _ = audience.takeAll() }
        return (output, late, isOver, error)
    }
}
