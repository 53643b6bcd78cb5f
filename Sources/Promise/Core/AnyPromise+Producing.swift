extension AnyPromise {
    /// Makes the caller the one who settles an open promise. False if somebody else is or was.
    @usableFromInline
    final func claim() -> Bool {
        let producer = locked { () -> Producer? in
            guard phase == .open else { return nil }
            phase = .running
            return slot.take()
        }
        return producer != nil
    }

    /// Hands a link to a producer: a task, or a timer. False if it was cancelled meanwhile.
    final func reopen() -> Bool {
        locked {
            guard phase == .running else { return false }
            phase = .open
            slot.place(Producer())
            return true
        }
    }

    /// Adds a handler for a cancellation that comes before the promise is settled.
    final func onCancel(_ handler: @escaping @Sendable () -> Void) {
        let isCancelled = locked {
            guard phase == .open else { return phase == .cancelled }
            var producer = slot.take(as: Producer.self)
            producer.onCancel.append(handler)
            slot.place(producer)
            return false
        }
        if isCancelled { handler() }
    }

    /// Names the combinator that stands behind an open promise.
    final func gather(by gathering: Gathering) {
        locked {
            guard phase == .open else { return }
            var producer = slot.take(as: Producer.self)
            producer.gathering = gathering
            slot.place(producer)
        }
    }

    /// Makes an open promise follow another. One that is cancelled already leaves it, as it would have just now.
    @usableFromInline
    final func followOpen(_ inner: AnyPromise) {
        if claim() {
            follow(inner)
        } else if phase == .cancelled {
            leave(inner)
        }
    }

    /// Nobody is left who could settle the promise.
    @usableFromInline
    final func abandon() {
        guard phase == .open, claim() else { return }
        reportDropped()
        reject(PromiseError.abandoned, isHandled: true)
    }

    /// Settles an open promise like `source`, which has settled.
    @usableFromInline
    final func takeOverOpen(_ source: AnyPromise, isHandled: Bool = false) {
        if claim() { takeOver(source, isHandled: isHandled) }
    }

    /// Lets a task settle the link whose turn it is. Cancelling the link cancels the task, unless it is there to clean up.
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
