import Synchronization

/// The listener of a run: its observers, or the calls that share it.
protocol EventListener: AnyObject, Sendable {
    /// Sets the run of the listener, before the first event.
    func attach(to core: CallCore)

    /// Adds an event of a run.
    func notify(_ content: CallEvent.Content, of core: CallCore)

    /// Adds an event on a thread of the transport, which must not release anything of the user's.
    func notifyFromTransport(_ content: CallEvent.Content)

    /// Calls a function once all events so far have been delivered.
    func afterEvents(_ work: @escaping @Sendable () -> Void)

    /// Returns the entry to cache in place of the given one, or nil for none.
    func willStore(_ entry: CacheEntry, of core: CallCore) -> CacheEntry?

    /// A Boolean value that indicates whether only responses and ends matter, so that a call is sent as without a listener.
    var isQuick: Bool { get }
}

extension EventListener {
    var isQuick: Bool { false }

    /// Returns once all events so far have been delivered.
    func deliverAll() async {
        await withUnsafeContinuation { continuation in
            afterEvents { continuation.resume() }
        }
    }
}

/// Delivers the events of one call to its observers: in order, one event at a time, from `willStart` to `finished`.
///
/// Events come from any thread and are delivered by the ``EventQueue`` of the client. So a slow observer delays the calls that
/// it observes, and neither the transport nor the tasks of other calls.
///
/// The events that wait are bounded: newer progress replaces progress that was not delivered yet, and older interim responses
/// are dropped. Progress that is equal to the previous one is not delivered. All other events come a few times in each call.
final class CallEvents: EventListener {
    fileprivate enum Item {
        case event(CallEvent.Content)
        case work(@Sendable () -> Void)

        var isProgress: Bool {
            if case .event(let content) = self, case .progress = content.kind { true } else { false }
        }

        var isInterim: Bool {
            if case .event(let content) = self, case .informational = content.kind { true } else { false }
        }
    }

    fileprivate struct State: ~Copyable {
        var waiting: [Item] = []
        /// A Boolean value that indicates whether the listener is in the queue.
        var isQueued = false
        var hasStarted = false
        var isOver = false
        /// The newest progress, and the number of its attempt.
        var progress: (CallProgress, attempt: Int?)?
    }

    private let observers: [any CallObserver]
    private let queue: EventQueue
    private let state = Mutex(State())
    nonisolated(unsafe) private weak var core: CallCore?  // set once, before the first event

    /// The highest number of interim responses that wait.
    static let interimLimit = 64

    private init(_ observers: [any CallObserver], on queue: EventQueue) {
        self.observers = observers
        self.queue = queue
    }

    /// Returns the listener of a call with observers.
    static func of(_ observers: [any CallObserver], on queue: EventQueue) -> any EventListener {
        let quick = observers.compactMap { $0 as? any QuickObserver }
        return quick.count == observers.count ? QuickEvents(quick) : CallEvents(observers, on: queue)
    }

    func attach(to core: CallCore) {
        self.core = core
    }

    func willStore(_ entry: CacheEntry, of core: CallCore) -> CacheEntry? {
        var entry = entry
        for observer in observers {
            guard let edited = observer.willStore(entry, of: AnyCall(core)) else { return nil }
            entry = edited
        }
        return entry
    }

    // MARK: Adding

    func notify(_ content: CallEvent.Content, of core: CallCore) {
        if state.withLock({ $0.add(content) }) { queue.add(self, of: core) }
    }

    func notifyFromTransport(_ content: CallEvent.Content) {
        if state.withLock({ $0.add(content) }) { queue.add(self, of: nil) }
    }

    func afterEvents(_ work: @escaping @Sendable () -> Void) {
        let isDelivered = state.withLock { state in
            if state.isQueued { state.waiting.append(.work(work)) }
            return !state.isQueued
        }
        if isDelivered { work() }
    }

    // MARK: Delivering

    /// Delivers the events that wait, also those that are added meanwhile. One thread at a time calls it.
    func deliver(of core: CallCore?) {
        let call = (core ?? self.core).map(AnyCall.init)
        while true {
            var items = state.withLock { state in
                defer { state.waiting = [] }
                state.isQueued = !state.waiting.isEmpty
                return Array(state.waiting.reversed())
            }
            if items.isEmpty { return }
            // Each event is released before the call goes on: it may hold the last reference to a body.
            while let item = items.popLast() {
                switch item {
                case .work(let work): work()
                case .event(let content):
                    // A call that is gone has ended, and been reported as finished.
                    guard let call else { continue }
                    let event = CallEvent(call: call, content)
                    for observer in observers { observer.observe(event) }
                }
            }
        }
    }
}

extension CallEvents.State {
    /// Adds an event. Returns true if the queue does not know yet that something waits.
    fileprivate mutating func add(_ content: CallEvent.Content) -> Bool {
        switch content.kind {
        case .cache: break
        case _ where isOver: return false
        case .willStart where hasStarted: return false
        case .willStart: hasStarted = true
        case .progress(let progress):
            // Portions that arrive together are reported one after the other, all with the progress after the last one.
            if let newest = self.progress, newest == (progress, content.attempt) { return false }
            self.progress = (progress, content.attempt)
            if waiting.last?.isProgress == true { waiting.removeLast() }
        case .informational: dropOldestInterim()
        case .finished:
            // The call was cancelled or refused before it began.
            if !hasStarted { waiting.append(.event(CallEvent.Content(.willStart(nil)))) }
            isOver = true
        default: break
        }
        waiting.append(.event(content))
        defer { isQueued = true }
        return !isQueued
    }

    /// A server may send any number of interim responses, faster than an observer takes them.
    private mutating func dropOldestInterim() {
        guard waiting.count >= CallEvents.interimLimit else { return }
        let places = waiting.indices.filter { waiting[$0].isInterim }
        if places.count >= CallEvents.interimLimit { waiting.remove(at: places[0]) }
    }
}
