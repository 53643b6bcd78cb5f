import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Keeps entries in memory, as many as its limits allow.
///
/// Everything it does, it does at once on the calling thread, so each method has two forms: a synchronous one, and the
/// one of ``CacheStore``, which never suspends.
///
/// ```swift
/// let store = MemoryStore(limits: CacheLimits(bytes: 32 << 20, count: 1000))
/// try store.put(CacheEntry(body: data, object: image), for: "logo")
/// let logo = store.peek("logo")?.object as? Image
/// ```
///
/// When there is no room for an entry, others go: those that were read least. One that was never read again after it
/// came goes before one that was, so a scan through a long list does not cost the entries that are in use. Pinned entries
/// stay whatever comes; when they leave no room, storing throws ``CacheError/Code/full``.
///
/// A decoded ``CacheEntry/object`` rides along with the bytes it was made from. The store cannot know its size: give a
/// `cost` where it matters.
///
/// One lock guards it all, and is held for some tens of nanoseconds per read. Shards with a lock each would not pay: two
/// threads that did nothing but read one store took 0.12 to 0.5 µs a read between them, and 0.11 to 0.16 µs with a store
/// each, while one thread alone took 0.2 µs; but each shard would have a part of the room only, and refuse entries that
/// the whole has room for.
public final class MemoryStore: CacheStore {
    private let shelf: Mutex<Shelf>
    private let clock: WallClock
    private let cost: (@Sendable (CacheEntry) -> Int)?
    private let onEvent: (@Sendable (CacheEvent) -> Void)?

    #if canImport(Darwin)
        private let pressure = Mutex<MemoryPressureSource?>(nil)
    #endif

    /// An empty store.
    ///
    /// - Parameters:
    ///   - limits: How much it may hold, and for how long.
    ///   - onEvent: Hears of entries that were removed to make room; ``CacheEvents/onEvent`` if nil.
    ///   - cost: The bytes that an entry counts for; if nil, those of body, key, metadata and tags, and what it takes to
    ///     keep them.
    ///   - now: The time of day, for tests; the system's if nil.
    public init(
        limits: CacheLimits = .memory, onEvent: (@Sendable (CacheEvent) -> Void)? = nil,
        cost: (@Sendable (CacheEntry) -> Int)? = nil, now: (@Sendable () -> Date)? = nil
    ) {
        shelf = Mutex(Shelf(limits: limits))
        clock = WallClock(now)
        self.cost = cost
        self.onEvent = onEvent
        #if canImport(Darwin)
            let source = MemoryPressureSource(self)
            pressure.withLock { $0 = source }
        #endif
    }

    /// The entry under a key, or nil.
    public func peek(_ key: CacheKey) -> CacheEntry? {
        var deadline = Double.infinity
        let entry = shelf.withLock { $0.read(key, digest: key.digest, deadline: &deadline) }
        if deadline < .infinity, clock.hasReached(deadline) {
            change { $0.removeEnded(key, digest: key.digest, deadline: deadline, removed: &$1) }
            return nil
        }
        return entry
    }

    /// The entry under a key, or nil, without counting as a look at it.
    package func glance(_ key: CacheKey) -> CacheEntry? {
        var deadline = Double.infinity
        let entry = shelf.withLock { $0.entry(key, digest: key.digest, deadline: &deadline) }
        return deadline < .infinity && clock.hasReached(deadline) ? nil : entry
    }

    /// Stores an entry, in place of the one that may be there.
    ///
    /// Throws ``CacheError/Code/tooLarge`` if the entry alone is larger than the limit, ``CacheError/Code/full`` if pinned
    /// entries leave no room for it, and ``CacheError/Code/invalid`` if a date of it is not a number. The store is unchanged
    /// then.
    public func put(_ entry: CacheEntry, for key: CacheKey) throws {
        try put(entry, for: key, pinned: entry.pinned) { true }
    }

    /// Stores an entry if, with the store locked, a condition holds. False if it did not.
    ///
    /// - Parameter pinned: Whether the entry stays when others need its room, whatever it says itself.
    @discardableResult
    package func put(
        _ entry: CacheEntry, for key: CacheKey, pinned: Bool, if condition: () -> Bool
    ) throws -> Bool {
        try put(entry, for: key, pinned: pinned, where: { _ in condition() })
    }

    /// Stores an entry in place of the one that is there, if, with the store locked, a condition holds for that.
    package func put(_ entry: CacheEntry, for key: CacheKey, replacing isReplaced: (CacheEntry) -> Bool) throws -> Bool
    {
        try put(
            entry, for: key, pinned: entry.pinned,
            where: { shelf in
                var deadline = Double.infinity
                return shelf.read(key, digest: key.digest, deadline: &deadline).map(isReplaced) ?? false
            })
    }

    private func put(
        _ entry: CacheEntry, for key: CacheKey, pinned: Bool, where condition: (inout Shelf) -> Bool
    ) throws -> Bool {
        try entry.validate(for: key)
        let now = clock.now
        let entry = entry.stamped(now)
        let charge = cost.map { max(0, $0(entry)) } ?? entry.charge(under: key)
        let time = now.timeIntervalSinceReferenceDate
        return try change { shelf, removed in
            guard condition(&shelf) else { return false }
            try shelf.store(
                entry, for: key, digest: key.digest, charge: charge, pinned: pinned, now: time, removed: &removed)
            return true
        }
    }

    /// Keeps an object beside the bytes of an entry that it was made of. Does nothing where that entry has gone, or
    /// another is in its place.
    package func attach(_ object: any Sendable, to entry: CacheEntry, under key: CacheKey) {
        var full = entry
        full.object = object
        let charge = cost.map { max(0, $0(full)) } ?? entry.charge(under: key)
        let time = clock.now.timeIntervalSinceReferenceDate
        change { shelf, removed in
            shelf.replace(entry, with: full, for: key, charge: charge, now: time, removed: &removed)
        }
    }

    /// The entry with a time of writing: now, if it had none.
    func stamped(_ entry: CacheEntry) -> CacheEntry {
        entry.stamped(clock.now)
    }

    /// Removes the entry under a key, if there is one.
    public func drop(_ key: CacheKey) {
        change { $0.remove(key, digest: key.digest, removed: &$1) }
    }

    /// Removes all entries, and returns how many there were.
    @discardableResult
    public func dropAll() -> Int {
        var count = 0
        let slots = shelf.withLock { shelf in
            count = shelf.count
            return shelf.clear()
        }
        return withExtendedLifetime(slots) { count }
    }

    /// Removes all entries that have a tag, pinned ones too, and returns how many. Looks at every entry.
    @discardableResult
    public func drop(tag: String) -> Int {
        dropAll { entry in entry.tags.containsBytes(of: tag) }
    }

    /// Removes all entries whose key begins with the bytes of another, pinned ones too, and returns how many. Looks at
    /// every entry.
    @discardableResult
    public func drop(prefix: CacheKey) -> Int {
        change { shelf, removed in
            shelf.removeAll(removed: &removed, prefix: prefix)
            return removed.count
        }
    }

    /// Removes all entries that were written longer ago, pinned ones too, and returns how many. Looks at every entry.
    @discardableResult
    public func drop(olderThan age: Duration) -> Int {
        let limit = clock.now.addingTimeInterval(-age.seconds)
        return dropAll { entry in entry.written.map { $0 < limit } ?? false }
    }

    private func dropAll(where condition: (CacheEntry) -> Bool) -> Int {
        change { shelf, removed in
            shelf.removeAll(removed: &removed, where: condition)
            return removed.count
        }
    }

    /// Gives memory back: removes the entries that are best spared until so much is left of what is there now.
    ///
    /// - Parameter fraction: The share of the entries, and of their bytes, that may stay. 0 removes all but the pinned
    ///   ones; 1 and more does nothing.
    public func trim(to fraction: Double) {
        let now = clock.now.timeIntervalSinceReferenceDate
        change { $0.trim(to: fraction, now: now, removed: &$1) }
    }

    /// What the store holds, and what it has done.
    public func statistics() -> CacheStatistics {
        numbers
    }

    var numbers: CacheStatistics {
        shelf.withLock { shelf in
            CacheStatistics(
                count: shelf.count, bytes: shelf.bytes, pinnedCount: shelf.pinned.count,
                pinnedBytes: shelf.pinned.bytes, hits: shelf.hits, misses: shelf.misses, evictions: shelf.evictions)
        }
    }

    public func entries() -> CacheEntries {
        CacheEntries { [self] in page(from: 0) }
    }

    /// The entries of some slots, and the way to the next ones. An entry keeps its slot while it stays.
    private func page(from first: Int) -> CacheEntries.Page {
        let now = clock.now.timeIntervalSinceReferenceDate
        let (items, next) = shelf.withLock { $0.items(from: first, now: now) }
        guard let next else { return CacheEntries.Page(items) }
        return CacheEntries.Page(items) { [self] in page(from: next) }
    }

    /// Changes what is on the shelf, and then, with the lock released, lets go of what left it and reports.
    private func change<Result: Sendable>(
        _ body: (inout Shelf, inout Removed) throws -> Result
    ) rethrows -> Result {
        var removed = Removed()
        let result = try shelf.withLock { try body(&$0, &removed) }
        if removed.evicted.count > 0 {
            (onEvent ?? CacheEvents.onEvent)(.evicted(count: removed.evicted.count, bytes: removed.evicted.bytes))
        }
        withExtendedLifetime(removed) {}
        return result
    }
}

extension CacheEntry {
    fileprivate func stamped(_ now: Date) -> CacheEntry {
        guard written == nil else { return self }
        var entry = self
        entry.written = now
        return entry
    }
}

extension WallClock {
    /// How far ``roughly`` may lag behind.
    private static let lag = 0.05

    /// Whether it is that late, or later. Precise, but asks the slow clock only when it is a close thing.
    fileprivate func hasReached(_ deadline: Double) -> Bool {
        let time = roughly
        if time >= deadline { return true }
        return time + Self.lag >= deadline && now.timeIntervalSinceReferenceDate >= deadline
    }
}
