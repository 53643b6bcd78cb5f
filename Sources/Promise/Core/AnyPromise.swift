import Synchronization

/// A promise of any value type. Use it to cancel promises of different types, or to store them in one list.
///
/// All run-time work happens in this class, which is not generic: methods of generic classes run unspecialised, at
/// several times the cost. `Promise` adds types and no storage.
///
/// Every consumer is an `AnyPromise` too: each link, each `await`, each input of a combinator. A waiting consumer and
/// its source retain each other; settling or cancelling breaks both references.
public class AnyPromise: @unchecked Sendable {
    // Unchecked: `traits`, `marks` and `consumers` are accessed under `lock`, or while only one thread can know the
    // promise. `phase` is written under the lock and may be read anywhere, because a settled promise does not change.
    // `next`, `previous` and `nextBusy` belong to the owner of the list or queue. `slot` and `outcome` are written once
    // in each phase, by its owner, before the lock publishes it.

    private let lock = Mutex<Void>(())
    private let phaseCell: Atomic<Phase>
    @exclusivity(unchecked) final var traits: Traits
    @exclusivity(unchecked) final var marks: Marks = []
    @exclusivity(unchecked) final var outcome: Outcome = []
    /// Before settling: the consumers that wait. After: the consumers that still have to run on the concurrent
    /// scheduler.
    @exclusivity(unchecked) final var consumers = Consumers()
    /// The neighbours in a list of consumers. A queue of ready links uses `next` alone.
    @exclusivity(unchecked) final var next: Unmanaged<AnyPromise>?
    @exclusivity(unchecked) final var previous: Unmanaged<AnyPromise>?
    /// The next element in a queue of settled promises that have handlers to run on the concurrent scheduler.
    @exclusivity(unchecked) final var nextBusy: Unmanaged<AnyPromise>?
    @exclusivity(unchecked) @usableFromInline final var slot = Slot()
    /// The scheduler of this promise's handlers. Links inherit it.
    @usableFromInline final let scheduler: Scheduler
    #if DEBUG
        final let site: CreationSite
    #endif

    /// Creates a promise that its producer will settle.
    @usableFromInline
    init(on scheduler: Scheduler, at site: CreationSite) {
        phaseCell = Atomic(.open)
        traits = []
        self.scheduler = scheduler
        #if DEBUG
            self.site = site
        #endif
        slot.place(Producer.unaware)
    }

    /// Creates a link that waits for `source` with a handler. It is not attached yet: see `add(_:)`.
    @usableFromInline
    init(after source: AnyPromise, on scheduler: Scheduler, _ traits: Traits, _ handler: @escaping Handler) {
        phaseCell = Atomic(.waiting)
        self.traits = traits
        self.scheduler = scheduler
        #if DEBUG
            site = source.site
        #endif
        slot.place(Wait(handler: handler, source: source))
    }

    /// Creates a consumer of `source` that runs no user code and is notified once: see `sourceSettled(_:)`.
    init(watching source: AnyPromise) {
        phaseCell = Atomic(.waiting)
        traits = .watcher
        scheduler = .immediate
        #if DEBUG
            site = source.site
        #endif
        slot.place(Wait(handler: nil, source: source))
    }

    /// Creates a promise that its creator settles right away.
    @usableFromInline
    init(runningOn scheduler: Scheduler, at site: CreationSite) {
        phaseCell = Atomic(.running)
        traits = []
        self.scheduler = scheduler
        #if DEBUG
            self.site = site
        #endif
    }

    deinit {
        switch phase {
        case .fulfilled:
            if !outcome.contains(.plain) { destroyValue() }
        case .rejected:
            let error = slot.take(as: (any Error).self)
            if !marks.contains(.observed), !outcome.contains(.handled) { reportUnhandled(error) }
        case .open:
            _ = slot.take(as: Producer.self)
        case .waiting:
            _ = slot.take(as: Wait.self)
        case .running, .cancelled:
            break
        }
    }

    /// Notifies a watcher that its source has settled. If the watcher was cancelled, `source` is the watcher itself.
    func sourceSettled(_ source: consuming AnyPromise) {}

    /// Lets the task of a watcher run work, and returns true, if it waits and may do so.
    func runInWaitingTask(_ work: @escaping @Sendable () -> Void) -> Bool { false }

    /// The combinator that a watcher belongs to.
    var gathering: Gathering? { nil }

    /// Destroys the value in the slot.
    func destroyValue() {}

    /// Copies the value of a promise of the same type into the slot.
    func copyValue(of source: AnyPromise) {}

    final var phase: Phase {
        @inline(__always) get { phaseCell.load(ordering: .acquiring) }
        @inline(__always) set { phaseCell.store(newValue, ordering: .releasing) }
    }

    @usableFromInline final var isFulfilled: Bool { phase == .fulfilled }

    /// The error of a promise that was rejected or cancelled.
    @usableFromInline final var error: any Error {
        phase == .rejected ? loadSlot(as: (any Error).self) : CancellationError()
    }

    /// Returns a copy of the slot's content, which stays in the slot.
    ///
    /// The promise must live until the copy exists. To the compiler the slot is plain words, so it would otherwise
    /// release the promise, and all that the words refer to, right after reading them.
    @inlinable
    final func loadSlot<Content>(as _: Content.Type = Content.self) -> Content {
        withExtendedLifetime(self) { slot.load() }
    }

    @inline(__always)
    final func locked<Result>(_ body: () -> Result) -> Result {
        lock.withLock { _ in body() }
    }
}

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

    /// Records the producer of an open promise that has none yet.
    final func setProducer(_ producer: Producer) {
        locked {
            guard phase == .open else { return }
            _ = slot.take(as: Producer.self)
            slot.place(producer)
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
