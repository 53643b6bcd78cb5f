import Synchronization
import TangoCache

/// A log of changes: of what was removed or replaced in a store, and of what requests have changed on servers.
///
/// A response that was requested before a change must not be cached after it, nor shared with a call that began after it. There
/// is one log for each store, which all clients of the store use; clients without a store have one for each transport.
///
/// The log is asked about places: the key of a response, its URL, its tags. So a change of one place does not concern others. It
/// is bounded: once it is full, the older half of it is forgotten, and everything that began before the forgotten changes counts
/// as changed.
final class ChangeLog: Sendable {
    /// A place where changes happen. A response is in several.
    enum Place: Hashable, Sendable {
        case key(CacheKey)
        /// Everything that is cached for a URL, as ``HTTPCacheKey/prefix(of:host:)``.
        case url(CacheKey)
        /// Everything that is cached for a scheme, host and port, as ``HTTPCacheKey/prefix(ofSite:host:)``.
        case site(CacheKey)
        /// Everything that is cached for an identity, or for none.
        case identity(CacheKey)
        case tag(CacheKey)
    }

    /// A condition: no change of these places since a mark.
    struct Guard: Sendable {
        let log: ChangeLog
        let places: [Place]
        let mark: Int

        var holds: Bool { !log.hasChanged(places, since: mark) }
    }

    fileprivate struct State {
        /// The last number that was given out, as a mark or to a change.
        var last = 0
        /// The number of the last change of each place.
        var changes: [Place: Int] = [:]
        /// Everything counts as changed at this number.
        var floor = 0
    }

    /// How many places are remembered. So many that forgetting is rare where one slow response is in flight while many requests
    /// change something.
    static let limit = 16_384

    private let state = Mutex(State())
    /// How often something has changed: as long as it stays the same, nothing has.
    private let count = Atomic<Int>(0)

    /// A mark for what begins now. Later changes are after it.
    func begin() -> Int {
        state.withLock { state in
            state.last += 1
            return state.last
        }
    }

    /// The number of changes so far.
    var revision: Int { count.load(ordering: .acquiring) }

    /// Notes a change of places.
    ///
    /// - Parameter mark: The mark of the request that found out about the change; nil for a change that happens now. What began
    ///   after the mark is not concerned.
    func note(_ places: [Place], asOf mark: Int? = nil) {
        state.withLock { state in
            if mark == nil { state.last += 1 }
            let number = mark ?? state.last
            for place in places { state.changes[place] = max(state.changes[place] ?? 0, number) }
            if state.changes.count > Self.limit { state.forget() }
        }
        count.add(1, ordering: .releasing)
    }

    /// A Boolean value that indicates whether one of the places has changed since a mark, or may have.
    func hasChanged(_ places: [Place], since mark: Int) -> Bool {
        state.withLock { state in
            if state.floor > mark { return true }
            return places.contains { place in state.changes[place].map { $0 > mark } ?? false }
        }
    }
}

extension ChangeLog.State {
    /// Forgets the older half of all changes.
    fileprivate mutating func forget() {
        let numbers = changes.values.sorted()
        floor = max(floor, numbers[numbers.count / 2])
        changes = changes.filter { $0.value > floor }
    }
}

extension ChangeLog.Place {
    static func tag(_ text: String) -> Self { .tag(CacheKey(text)) }

    /// - Parameter scope: ``ResponseKey/scope(of:)``.
    static func identity(_ scope: String) -> Self { .identity(CacheKey(scope)) }
}

// MARK: One for each store or transport

extension ChangeLog {
    private static let logs = WeakTable<ChangeLog>()

    /// The log of clients without a store, by their transport. A transport that is no object has a log for each client.
    static func of(_ transport: any Transport) -> ChangeLog {
        logs.value(for: transport) { ChangeLog() }
    }
}
