import Synchronization

/// A log of changes: of entries that were removed or replaced in a store, and of what requests have changed on servers.
///
/// A response that was requested before a change must not be cached after it, nor shared with a call that starts after
/// it. Each store has one log, which all clients of the store use. Clients without a store use one log for each
/// transport.
///
/// Changes are recorded by place: the key of a response, its URL, its tags. A change of one place does not concern
/// others. The log is bounded: once it is full, the older half of it is removed. Everything that began before the
/// removed changes counts as changed.
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

    /// The condition that none of these places has changed since a mark.
    struct Guard: Sendable {
        let log: ChangeLog
        var places: [Place]
        let mark: Int
        /// The moment in the history of the store. The store itself refuses what was removed since.
        var moment = StoreMoment.absent

        var holds: Bool { !log.hasChanged(places, since: mark) }
    }

    fileprivate struct State {
        /// The last number that a mark or a change has received.
        var last = 0
        /// The number of the last change of each place.
        var changes: [Place: Int] = [:]
        /// The number of the last removed change. Everything that began before it counts as changed.
        var floor = 0
    }

    /// The highest number of recorded places. It is so high that removal is rare, even while one slow response is in
    /// flight and many requests change something.
    static let limit = 16_384

    /// A mark since which every place counts as changed.
    static let beginning = -1

    private let state = Mutex(State())
    /// The number of changes so far. While it stays the same, nothing has changed.
    private let count = Atomic<Int>(0)

    /// Returns a mark for work that begins now. Later changes come after the mark.
    func begin() -> Int {
        state.withLock { state in
            state.last += 1
            return state.last
        }
    }

    /// The number of changes so far.
    var revision: Int { count.load(ordering: .acquiring) }

    /// Records a change of places.
    ///
    /// - Parameter mark: The mark of the request that has detected the change; nil for a change that happens now. Work
    ///   that began after the mark is not concerned.
    func note(_ places: [Place], asOf mark: Int? = nil) {
        state.withLock { state in
            if mark == nil { state.last += 1 }
            let number = mark ?? state.last
            for place in places { state.changes[place] = max(state.changes[place] ?? 0, number) }
            if state.changes.count > Self.limit { state.forget() }
        }
        count.add(1, ordering: .releasing)
    }

    /// Returns whether one of the places has changed since a mark, or may have changed.
    func hasChanged(_ places: [Place], since mark: Int) -> Bool {
        state.withLock { state in
            if state.floor > mark { return true }
            return places.contains { place in state.changes[place].map { $0 > mark } ?? false }
        }
    }
}

extension ChangeLog.State {
    /// Removes the older half of all changes.
    fileprivate mutating func forget() {
        let numbers = changes.values.sorted()
        floor = max(floor, numbers[numbers.count / 2])
        changes = changes.filter { $0.value > floor }
    }
}

extension ChangeLog.Place {
    static func tag(_ text: String) -> Self { .tag(CacheKey(text)) }
}

// MARK: One for each store or transport

extension ChangeLog {
    private static let logs = WeakTable<ChangeLog>()

    /// Returns the log of clients without a store, by their transport. If a transport is not an object, each client has
    /// its own log.
    static func of(_ transport: any Transport) -> ChangeLog {
        logs.value(for: transport) { ChangeLog() }
    }
}
