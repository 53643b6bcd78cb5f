extension AnyPromise {
    /// Waits for `inner` and settles like it. Called by the one who runs this promise.
    ///
    /// Where nobody can know this promise but one that follows it, that one follows `inner` instead, and this promise ends
    /// here. So a loop of handlers that return promises, each of which follows the next, needs no more memory than one of
    /// its turns.
    @usableFromInline
    final func follow(_ inner: AnyPromise) {
        if inner === self { return reject(PromiseError.cycle) }
        var follower: Node?
        let isRunning = locked {
            guard phase == .running else { return false }
            follower = consumers.popOnlyFollower { $0.redirect(from: self, to: inner) }
            if follower == nil {
                phase = .waiting
                traits = []
                slot.place(Wait(handler: nil, source: inner))
            } else {
                phase = .cancelled
            }
            return true
        }
        guard isRunning else { return leave(inner) }
        (follower?.takeRetainedValue() ?? self).join(inner)
    }

    /// Enters the list of the promise that this one follows.
    private func join(_ inner: AnyPromise) {
        inner.attach(self)
        // Only a promise that somebody waits for can be part of a cycle. Two threads that close one together both look
        // after they have attached, so at least one of them sees it.
        let isAwaited = locked { phase == .waiting && !consumers.isEmpty }
        if isAwaited, inner.waits(for: self) {
            detach(from: inner)
            breakCycle()
        }
    }

    /// Makes a follower of `old` follow `inner`, if nobody else holds `old`, whose lock the caller has.
    ///
    /// Locks are taken in this direction only, from a promise that runs to one that waits for it.
    private func redirect(from old: AnyPromise, to inner: AnyPromise) -> Bool {
        locked {
            guard phase == .waiting else { return false }
            _ = slot.take(as: Wait.self)
            let isFree = old.isHeldOnce
            slot.place(Wait(handler: nil, source: isFree ? inner : old))
            return isFree
        }
    }

    /// Whether there is one reference to this promise: that of the pass which runs it.
    private var isHeldOnce: Bool {
        var reference = Unmanaged.passUnretained(self)
        return withUnsafeMutablePointer(to: &reference) { pointer in
            pointer.withMemoryRebound(to: AnyPromise.self, capacity: 1) { isKnownUniquelyReferenced(&$0.pointee) }
        }
    }
}
