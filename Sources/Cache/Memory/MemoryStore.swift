import Synchronization

/// A store in memory.
///
/// The store works synchronously on the calling thread. Each method has two forms: a synchronous one, and the one of
/// ``CacheStore``, which never suspends.
///
/// ```swift
/// let store = MemoryStore(limits: CacheLimits(bytes: 32 << 20, count: 1000))
/// try store.put(CacheEntry(body: data, object: image), for: "logo")
/// let logo = store.peek("logo")?.object as? Image
/// ```
///
/// When the limits are exceeded, the store evicts the entries that were read least. An entry that was never read is
/// evicted before one that was, so a scan through a long list does not evict the entries in use. Pinned entries are
/// never evicted. If they leave no room, storing throws ``CacheError/Code/full``.
///
/// A decoded ``CacheEntry/object`` is stored with the bytes that it was decoded from. The store does not know its size.
/// Pass a `cost` if objects are large.
///
/// One lock guards the store, and is held for some tens of nanoseconds per read. Shards with a lock each are not
/// faster. Two threads that only read took 0.12 to 0.5 µs per read on one store, and 0.11 to 0.16 µs on a store each. A
/// single thread took 0.2 µs. Each shard would also refuse entries for which the whole store has room.
public final class MemoryStore: CacheStore {
    private let limits: CacheLimits
    private let shelf: Mutex<Shelf>
    private let clock: WallClock
    private let cost: (@Sendable (CacheEntry) -> Int)?
    private let onEvent: (@Sendable (CacheEvent) -> Void)?

    #if canImport(Darwin)
        private let pressure = Mutex<MemoryPressureSource?>(nil)
    #endif

    /// Creates an empty store.
    ///
    /// - Parameters:
    ///   - limits: The limits of size, count and age. With a negative one, the store takes no entries: see
    ///     ``put(_:for:)``.
    ///   - onEvent: Receives the events of the store, such as evictions; ``CacheEvents/onEvent`` if nil.
    ///   - cost: Returns the bytes that an entry counts for. If nil, that is the size of body, key, metadata and tags,
    ///     plus the overhead of storing them.
    ///   - now: Returns the time of day, for tests; the system's if nil.
    public init(
        limits: CacheLimits = .memory, onEvent: (@Sendable (CacheEvent) -> Void)? = nil,
        cost: (@Sendable (CacheEntry) -> Int)? = nil, now: (@Sendable () -> Date)? = nil
    ) {
        self.limits = limits
        shelf = Mutex(Shelf(limits: limits))
        clock = WallClock(now)
        self.cost = cost
        self.onEvent = onEvent
        #if canImport(Darwin)
            let source = MemoryPressureSource(self)
            pressure.withLock { $0 = source }
        #endif
    }

    /// Returns the entry under a key, or nil.
    public func peek(_ key: CacheKey) -> CacheEntry? {
        var deadline = Double.infinity
        let entry = shelf.withLock { $0.read(key, digest: key.digest, deadline: &deadline) }
        if deadline < .infinity, clock.hasReached(deadline) {
            change { $0.removeEnded(key, digest: key.digest, deadline: deadline, removed: &$1) }
            return nil
        }
        return entry
    }

    /// Returns the entry under a key, or nil.
    ///
    /// - Parameter isUse: A Boolean value that indicates whether the read is counted.
    package func peek(_ key: CacheKey, isUse: Bool) -> CacheEntry? {
        if isUse { return peek(key) }
        var deadline = Double.infinity
        let entry = shelf.withLock { $0.entry(key, digest: key.digest, deadline: &deadline) }
        return deadline < .infinity && clock.hasReached(deadline) ? nil : entry
    }

    /// Stores an entry and replaces the old one, if any.
    ///
    /// Throws ``CacheError/Code/tooLarge`` if the entry alone exceeds the limit, and ``CacheError/Code/full`` if pinned
    /// entries leave no room. If one of its dates is not a number, or a limit of the store is negative, the error is
    /// ``CacheError/Code/invalid``. In these cases the store is unchanged.
    public func put(_ entry: CacheEntry, for key: CacheKey) throws {
        try put(entry, for: key, pinned: entry.pinned) { true }
    }

    /// Stores an entry if a condition holds while the store is locked. Returns false if it does not hold.
    ///
    /// - Parameter pinned: Overrides the pin of the entry.
    @discardableResult
    @inline(never)
    package func put(
        _ entry: CacheEntry, for key: CacheKey, pinned: Bool, if condition: () -> Bool
    ) throws -> Bool {
        try limits.check()
        try entry.validate(for: key)
        let now = clock.now
        let entry = entry.stamped(now)
        let charge = cost.map { max(0, $0(entry)) } ?? entry.charge(under: key)
        let time = now.timeIntervalSinceReferenceDate
        var isStored = false
        try change { shelf, removed in
            guard condition() else { return }
            try shelf.store(
                entry, for: key, digest: key.digest, charge: charge, pinned: pinned, now: time, removed: &removed)
            isStored = true
        }
        return isStored
    }

    /// Attaches a decoded object to an entry. Does nothing if the entry was removed or replaced.
    package func attach(_ object: any Sendable, to entry: CacheEntry, under key: CacheKey) {
        var full = entry
        full.object = object
        let charge = cost.map { max(0, $0(full)) } ?? entry.charge(under: key)
        let time = clock.now.timeIntervalSinceReferenceDate
        change { shelf, removed in
            shelf.replace(entry, with: full, for: key, charge: charge, now: time, removed: &removed)
        }
    }

    /// Returns the entry with a time of writing, which is now if it has none.
    func stamped(_ entry: CacheEntry) -> CacheEntry {
        entry.stamped(clock.now)
    }

    /// Removes the entry under a key, if any.
    public func drop(_ key: CacheKey) {
        change { $0.remove(key, digest: key.digest, removed: &$1) }
    }

    /// Removes all entries and returns their number.
    @discardableResult
    public func dropAll() -> Int {
        var count = 0
        let slots = shelf.withLock { shelf in
            count = shelf.count
            return shelf.clear()
        }
        return withExtendedLifetime(slots) { count }
    }

    /// Removes all entries that have a tag, including pinned ones, and returns their number. Finds them by an index.
    @discardableResult
    public func drop(tag: String) -> Int {
        change { $0.removeAll(removed: &$1, tag: tag) }
    }

    /// Removes all entries whose key begins with a prefix, including pinned ones, and returns their number.
    ///
    /// If the prefix has a line break, the entries are found by an index of the first lines of keys. Otherwise every
    /// entry is read.
    @discardableResult
    public func drop(prefix: CacheKey) -> Int {
        change { $0.removeAll(removed: &$1, prefix: prefix) }
    }

    /// Removes all entries older than an age, including pinned ones, and returns their number. Reads every entry.
    @discardableResult
    public func drop(olderThan age: Duration) -> Int {
        let limit = clock.now.addingTimeInterval(-age.seconds)
        return change { shelf, removed in
            shelf.removeAll(removed: &removed) { entry in entry.written.map { $0 < limit } ?? false }
        }
    }

    /// Evicts entries until a fraction of the current content is left.
    ///
    /// - Parameter fraction: The fraction of the entries, and of their bytes, that may stay. 0 removes all entries that
    ///   are not pinned; 1 or more removes none.
    public func trim(to fraction: Double) {
        let now = clock.now.timeIntervalSinceReferenceDate
        change { $0.trim(to: fraction, now: now, removed: &$1) }
    }

    /// Returns the size of the store and its counters.
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

    /// Returns one page of entries. An entry keeps its slot while it stays in the store.
    private func page(from first: Int) -> CacheEntries.Page {
        let now = clock.now.timeIntervalSinceReferenceDate
        let (items, next) = shelf.withLock { $0.items(from: first, now: now) }
        guard let next else { return CacheEntries.Page(items) }
        return CacheEntries.Page(items) { [self] in page(from: next) }
    }

    /// Changes the shelf. After releasing the lock, releases the removed entries and reports events. Returns the number
    /// of removed entries.
    @discardableResult
    @inline(never)
    private func change(_ body: (inout Shelf, inout RemovedEntries) throws -> Void) rethrows -> Int {
        var removed = RemovedEntries()
        try shelf.withLock { try body(&$0, &removed) }
        if removed.evicted.count > 0 {
            (onEvent ?? CacheEvents.onEvent)(.evicted(count: removed.evicted.count, bytes: removed.evicted.bytes))
        }
        return withExtendedLifetime(removed) { removed.count }
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
    /// The longest time by which ``roughly`` may lag behind, in seconds.
    private static let lag = 0.05

    /// Returns whether a deadline has passed. Reads the precise clock, which is slow, only close to the deadline.
    fileprivate func hasReached(_ deadline: Double) -> Bool {
        let time = roughly
        if time >= deadline { return true }
        return time + Self.lag >= deadline && now.timeIntervalSinceReferenceDate >= deadline
    }
}
