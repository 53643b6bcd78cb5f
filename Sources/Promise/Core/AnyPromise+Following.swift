extension AnyPromise {
    /// Waits for `inner` and settles with its outcome. Only the thread that runs this promise calls it.
    ///
    /// If the only reference to this promise is that of its single follower, the follower waits for `inner` directly
    /// and this promise ends here. A loop of handlers that return promises therefore needs no more memory than one of
    /// its iterations.
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

    /// Joins the consumers of the promise that this one follows.
    private func join(_ inner: AnyPromise) {
        inner.attach(self)
        // Only a promise with a consumer can be part of a cycle. If two threads close a cycle together, both search
        // after they have attached, so at least one of them finds it.
        let isAwaited = locked { phase == .waiting && !consumers.isEmpty }
        if isAwaited, inner.waits(for: self) {
            detach(from: inner)
            breakCycle()
        }
    }

    /// Makes the follower of `old` follow `inner`, if nothing else refers to `old`. The caller holds the lock of `old`.
    ///
    /// Two promises are always locked in this order: first the one that runs, then the one that waits for it.
    private func redirect(from old: AnyPromise, to inner: AnyPromise) -> Bool {
        locked {
            guard phase == .waiting else { return false }
            _ = slot.take(as: Wait.self)
            let isFree = old.isHeldOnce
            slot.place(Wait(handler: nil, source: isFree ? inner : old))
            return isFree
        }
    }

    /// A Boolean value that indicates whether only the pass that runs this promise refers to it.
    private var isHeldOnce: Bool {
        var reference = Unmanaged.passUnretained(self)
        return withUnsafeMutablePointer(to: &reference) { pointer in
            pointer.withMemoryRebound(to: AnyPromise.self, capacity: 1) { isKnownUniquelyReferenced(&$0.pointee) }
        }
    }
}
