import Synchronization

/// A promise, whatever its value is: what can be cancelled, and kept in a list with others.
///
/// All run-time work happens here, in a class that is not generic, because methods of generic classes run unspecialised
/// and cost several times as much. `Promise` adds no storage, only types.
///
/// Every consumer is an `AnyPromise` too: each link, each `await`, each input of a combinator. While it waits it holds
/// its source and is held by it; settling or cancelling breaks both.
public class AnyPromise: @unchecked Sendable {
    // Unchecked: `traits`, `marks` and `consumers` are touched under `lock` (or where only one thread can know the
    // promise). `phase` is written under it and may be read anywhere: what a settled promise holds stays as it is. `next`,
    // `previous` and `nextBusy` belong to whoever holds the list or line. `slot` and `outcome` are written once for each
    // phase, by its owner, before the lock publishes it.

    private let lock = Mutex<Void>(())
    private let phaseCell: Atomic<Phase>
    @exclusivity(unchecked) final var traits: Traits
    @exclusivity(unchecked) final var marks: Marks = []
    @exclusivity(unchecked) final var outcome: Outcome = []
    /// Before settling: who waits for the outcome. After: whose turn on the concurrent scheduler is still to come.
    @exclusivity(unchecked) final var consumers = Consumers()
    /// The neighbours in a list of consumers; `next` alone in a line of ready links.
    @exclusivity(unchecked) final var next: Unmanaged<AnyPromise>?
    @exclusivity(unchecked) final var previous: Unmanaged<AnyPromise>?
    /// The neighbour in a line of settled promises that have handlers to run on the concurrent scheduler.
    @exclusivity(unchecked) final var nextBusy: Unmanaged<AnyPromise>?
    @exclusivity(unchecked) @usableFromInline final var slot = Slot()
    /// Where handlers run: this link's own, and by default those of the links after it.
    @usableFromInline final let scheduler: Scheduler
    #if DEBUG
        final let site: CreationSite
    #endif

    /// A promise that its producer will settle.
    @usableFromInline
    init(on scheduler: Scheduler, at site: CreationSite) {
        phaseCell = Atomic(.open)
        traits = []
        self.scheduler = scheduler
        #if DEBUG
            self.site = site
        #endif
        slot.place(Producer())
    }

    /// A link that waits for `source` with a handler. It is not attached yet: see `add(_:)`.
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

    /// A consumer of `source` that runs no code of the user's and is told once: see `told(of:)`.
    init(watching source: AnyPromise) {
        phaseCell = Atomic(.waiting)
        traits = .watcher
        scheduler = .immediate
        #if DEBUG
            site = source.site
        #endif
        slot.place(Wait(handler: nil, source: source))
    }

    /// A promise that is about to be settled by whoever makes it.
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

    /// A watcher's source has settled; or the watcher has been cancelled, and then `source` is the watcher itself.
    func told(of source: consuming AnyPromise) {}

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

    /// A copy of what the slot holds, which stays.
    ///
    /// The promise is kept until the copy is made: the slot is bare words to the compiler, which would otherwise release the
    /// promise, and all that they refer to, as soon as it has read them.
    @inlinable
    final func loadSlot<Content>(as _: Content.Type = Content.self) -> Content {
        withExtendedLifetime(self) { slot.load() }
    }

    @inline(__always)
    final func locked<Result>(_ body: () -> Result) -> Result {
        lock.withLock { _ in body() }
    }
}
