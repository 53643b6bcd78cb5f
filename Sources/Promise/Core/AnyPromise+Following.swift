extension AnyPromise {
    /// Waits for `inner` and settles like it. Called by the one who runs this promise.
    ///
    /// Where the only consumer is a promise that follows this one, that consumer follows `inner` instead, and this promise
    /// steps aside until somebody else asks for it. So a loop of handlers that return promises, each of which follows the
    /// next, needs no more memory than one of its turns.
    @usableFromInline
    final func follow(_ inner: AnyPromise) {
        if inner === self { return reject(PromiseError.cycle) }
        var follower: Node?
        let isRunning = locked {
            guard phase == .running else { return false }
            phase = .waiting
            traits = []
            slot.place(Wait(handler: nil, source: inner))
            follower = consumers.popOnlyFollower()
            if follower != nil { marks.insert(.aside) }
            return true
        }
        guard isRunning else { return leave(inner) }
        guard let follower = follower?.takeRetainedValue() else { return join(inner) }
        // A follower that was cancelled just now is about to leave this promise, which will then leave `inner`.
        if follower.redirect(to: inner) { follower.join(inner) }
    }

    /// Enters the list of the promise that this one follows.
    private func join(_ inner: AnyPromise) {
        inner.attach(self)
        // Only a promise that somebody waits for can be part of a cycle. Two threads that close one together both look
        // after they have attached, so at least one of them sees it.
        let isAwaited = locked { phase == .waiting && !consumers.isEmpty }
        if isAwaited, inner.isUpstream(where: { $0 === self }) {
            detach(from: inner)
            breakCycle()
        }
    }

    /// Follows another promise, unless this one has been cancelled meanwhile.
    private func redirect(to inner: AnyPromise) -> Bool {
        let wait = locked { () -> Wait? in
            guard phase == .waiting else { return nil }
            let wait = slot.take(as: Wait.self)
            slot.place(Wait(handler: nil, source: inner))
            return wait
        }
        return wait != nil
    }
}
