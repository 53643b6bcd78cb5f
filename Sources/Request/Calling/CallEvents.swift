import Synchronization
import TangoCache

/// Tells the observers of one call what happens to it: in order, one event at a time, from `willStart` to `finished`.
///
/// Events come from several threads. Whoever finds nobody telling tells what there is, also what others add meanwhile; so
/// an observer may cancel the call it hears of, and hears of that afterwards.
final class CallEvents: Sendable {
    fileprivate struct State {
        var waiting: [CallEvent.Kind] = []
        var isTelling = false
        var hasStarted = false
        var isOver = false
    }

    private let observers: [any CallObserver]
    private let state = Mutex(State())

    /// Nil where nobody would hear anything.
    init?(_ ours: [any CallObserver], _ ofClient: [any CallObserver], _ global: [any CallObserver]) {
        if ours.isEmpty, ofClient.isEmpty, global.isEmpty { return nil }
        observers = ours + ofClient + global
    }

    /// What the observers, one after the other, make of an entry that is to be kept; nil if one would rather not have it kept.
    func willStore(_ entry: CacheEntry, of core: CallCore) -> CacheEntry? {
        var entry = entry
        for observer in observers {
            guard let edited = observer.willStore(entry, of: AnyCall(core)) else { return nil }
            entry = edited
        }
        return entry
    }

    func tell(_ kind: CallEvent.Kind, of core: CallCore) {
        guard state.withLock({ $0.add(kind) }) else { return }
        let call = AnyCall(core)
        while true {
            let kinds = state.withLock { state in
                defer { state.waiting = [] }
                state.isTelling = !state.waiting.isEmpty
                return state.waiting
            }
            if kinds.isEmpty { return }
            for kind in kinds {
                let event = CallEvent(call: call, kind: kind)
                for observer in observers { observer.observe(event) }
            }
        }
    }
}

extension CallEvents.State {
    /// Adds what is to be told. True if nobody is telling.
    fileprivate mutating func add(_ kind: CallEvent.Kind) -> Bool {
        switch kind {
        case .cache: break
        case _ where isOver: return false
        case .willStart where hasStarted: return false
        case .willStart: hasStarted = true
        case .finished:
            // Cancelled, or refused, before it began.
            if !hasStarted { waiting.append(.willStart(nil)) }
            isOver = true
        default: break
        }
        waiting.append(kind)
        defer { isTelling = true }
        return !isTelling
    }
}
