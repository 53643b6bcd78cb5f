extension AnyPromise {
    /// Gives the caller the exclusive right to settle an open promise. Returns false if it was claimed or settled
    /// before.
    @usableFromInline
    final func claim() -> Bool {
        let producer = locked { () -> Producer? in
            guard phase == .open else { return nil }
            phase = .running
            return slot.take()
        }
        return producer != nil
    }

    /// Transfers a link to a producer, a task or a timer. Returns false if it was cancelled meanwhile.
    final func reopen() -> Bool {
        locked {
            guard phase == .running else { return false }
            phase = .open
            slot.place(Producer.unaware)
            return true
        }
    }

    /// Adds a handler that runs if the promise is cancelled before it is settled.
    final func onCancel(_ handler: @escaping @Sendable () -> Void) {
        let isCancelled = locked {
            guard phase == .open else { return phase == .cancelled }
            var producer = slot.take(as: Producer.self)
            producer.add(handler)
            slot.place(producer)
            return false
        }
        if isCancelled { handler() }
    }

    /// Records the combinator that will settle an open promise.
    final func gather(by gathering: Gathering) {
        locked {
            guard phase == .open else { return }
            _ = slot.take(as: Producer.self)
            slot.place(Producer.combinator(gathering))
        }
    }

    /// Makes an open promise follow another. A promise that is cancelled already leaves the other at once.
    @usableFromInline
    final func followOpen(_ inner: AnyPromise) {
        if claim() {
            follow(inner)
        } else if phase == .cancelled {
            leave(inner)
        }
    }

    /// Rejects the promise as abandoned, because nothing can settle it any more.
    @usableFromInline
    final func abandon() {
        guard phase == .open, claim() else { return }
        reportDropped()
        reject(PromiseError.abandoned, isHandled: true)
    }

    /// Settles an open promise with the outcome of `source`, which has settled.
    @usableFromInline
    final func takeOverOpen(_ source: AnyPromise, isHandled: Bool = false) {
        if claim() { takeOver(source, isHandled: isHandled) }
    }

    /// Lets a task settle the running link. Cancelling the link cancels the task, unless the task runs a `finally`
    /// handler.
    @usableFromInline
    final func runTask<Output: Sendable>(
        _ work: @escaping @Sendable () async throws -> Output,
        then settle: @escaping @Sendable (AnyPromise, Output) -> Void
    ) {
        let isCleanup = traits.contains(.cleanup)
        guard reopen() || isCleanup else { return }
        let task = start(work, then: settle)
        if !isCleanup { onCancel { task.cancel() } }
    }

    /// Lets a task settle an open promise. Cancelling the promise cancels the task.
    @usableFromInline
    final func run<Output: Sendable>(
        priority: TaskPriority?,
        _ work: @escaping @Sendable () async throws -> Output,
        then settle: @escaping @Sendable (AnyPromise, Output) -> Void
    ) {
        let task = start(priority: priority, work, then: settle)
        onCancel { task.cancel() }
    }

    private func start<Output: Sendable>(
        priority: TaskPriority? = nil,
        _ work: @escaping @Sendable () async throws -> Output,
        then settle: @escaping @Sendable (AnyPromise, Output) -> Void
    ) -> Task<Void, Never> {
        Task(priority: priority) {
            do {
                settle(self, try await work())
            } catch {
                if claim() { reject(error) }
            }
        }
    }
}
