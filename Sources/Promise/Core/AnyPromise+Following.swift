extension AnyPromise {
    /// Waits for `inner` and settles like it. Called by the one who runs this promise.
    @usableFromInline
    final func follow(_ inner: AnyPromise) {
        if inner === self { return reject(PromiseError.cycle) }
        let isRunning = locked {
            guard phase == .running else { return false }
            phase = .waiting
            traits = []
            slot.place(Wait(handler: nil, source: inner))
            return true
        }
        guard isRunning else { return leave(inner) }
        inner.attach(self)
        let isAwaited = locked { phase == .waiting && !consumers.isEmpty }
        // Only a promise that somebody waits for can be part of a cycle. Two threads that close one together both look
        // after they have attached, so at least one of them sees it.
        if isAwaited, inner.isUpstream(where: { $0 === self }) {
            detach(from: inner)
            breakCycle()
        }
    }
}
