/// A store of entries under keys.
///
/// Tango has three stores: ``MemoryStore``, ``DiskStore``, and ``TieredStore``, which puts memory in front of another
/// store. A store of your own implements five members. All others have default implementations, which a store may
/// replace by better ones.
///
/// **The contract.** `CacheStoreConformance`, in the product `CacheConformance`, checks it in one line of a test.
///
/// - A store is a class or an actor. Clients recognise a shared store by its object: a change by one of them applies to
///   the calls and the pending writes of all.
/// - Keys are bytes of any length, including zero. Different keys never share an entry.
/// - `get` returns the entry that the last `set` stored: body, metadata, tags, expiry and pin. The time of writing is
///   that of the entry, or else that of the `set`. Times are exact to at least a millisecond, even in the distant
///   future.
/// - Every `get` that begins after `set` has returned finds the entry until it is replaced, removed, expires or is
///   evicted.
/// - A decoded `object` is returned with the entry that it was set with, or not at all.
/// - An expired entry is never returned, even before it is removed.
/// - An entry is returned whole or not at all. A read during a write returns the old entry or the new one.
/// - `set` and `remove` either succeed, or throw and change nothing.
/// - Removing a missing entry is not an error.
/// - All methods may be called from any number of threads and tasks at once.
///
/// Methods run on the caller's actor by default, so that a read from memory costs no hop. An implementation may be
/// `async` on any actor, or not `async` at all.
public protocol CacheStore: AnyObject, Sendable {
    /// Returns the entry under a key, or nil.
    nonisolated(nonsending) func get(_ key: CacheKey) async throws -> CacheEntry?

    /// Stores an entry and replaces the old one, if any.
    nonisolated(nonsending) func set(_ entry: CacheEntry, for key: CacheKey) async throws

    /// Removes the entry under a key, if any.
    nonisolated(nonsending) func remove(_ key: CacheKey) async throws

    /// Removes all entries and reports the progress, at least once at the end.
    nonisolated(nonsending) func removeAll(progress: @escaping @Sendable (CacheProgress) -> Void) async throws

    /// Returns all entries without their bodies, in no particular order. Entries that are added or removed meanwhile
    /// may be missing. All others are returned once.
    func entries() -> CacheEntries

    // The following members have default implementations.

    /// Returns the entries under several keys, in the order of the keys, with nil for each missing one.
    nonisolated(nonsending) func getMany(_ keys: [CacheKey]) async throws -> [CacheEntry?]

    /// Stores several entries in order; of several entries with one key, the last stays. If it throws, some of them may
    /// have been stored.
    nonisolated(nonsending) func setMany(_ entries: [(key: CacheKey, entry: CacheEntry)]) async throws

    /// Removes the entries under several keys.
    nonisolated(nonsending) func removeMany(_ keys: [CacheKey]) async throws

    /// Removes all entries that have a tag, including pinned ones, and returns their number.
    @discardableResult
    nonisolated(nonsending) func remove(tag: String) async throws -> Int

    /// Removes all entries whose key begins with a prefix, including pinned ones, and returns their number.
    ///
    /// A client calls it after each request that changes something. The default implementation reads the whole listing.
    @discardableResult
    nonisolated(nonsending) func remove(prefix: CacheKey) async throws -> Int

    /// Removes all entries older than an age, including pinned ones, and returns their number.
    @discardableResult
    nonisolated(nonsending) func remove(olderThan age: Duration) async throws -> Int

    /// Returns the size of the store, and its counters since it was opened.
    nonisolated(nonsending) func statistics() async throws -> CacheStatistics

    /// Returns the entry under a key with its body in portions, or nil. Each portion begins at index 0. The reader
    /// stays valid to its end, even if the entry is removed or replaced.
    nonisolated(nonsending) func reader(for key: CacheKey) async throws -> CacheReader?

    /// Returns a writer that stores an entry in portions. The entry is visible after `commit`. A writer that is
    /// released before leaves nothing behind.
    ///
    /// - Parameters:
    ///   - key: The key of the entry.
    ///   - entry: The entry without its body. If it has a body, that is the first portion.
    nonisolated(nonsending) func writer(for key: CacheKey, entry: CacheEntry) async throws -> CacheWriter

    // The following members matter for stores that several processes share.

    /// A Boolean value that indicates whether the store has a history of removals, so that ``moment()`` returns moments.
    /// The default is false.
    var hasHistory: Bool { get }

    /// Returns the present moment in the history of removals; nil if the store has no history. The default returns nil.
    ///
    /// Call it before you request what you want to store.
    nonisolated(nonsending) func moment() async throws -> CacheMoment?

    /// Stores an entry, unless its key, a prefix of it, one of its tags or everything was removed since a moment, by any
    /// process. Returns whether it was stored.
    ///
    /// A store may also refuse an entry if it no longer knows what was removed since then.
    @discardableResult
    nonisolated(nonsending) func set(
        _ entry: CacheEntry, for key: CacheKey, unlessRemovedSince moment: CacheMoment
    ) async throws -> Bool

    /// Returns the changes that other processes make from now on; nil if the store does not report them. The default
    /// returns nil.
    func changes() -> CacheChanges?
}

extension CacheStore {
    /// Removes all entries.
    public nonisolated(nonsending) func removeAll() async throws {
        try await removeAll(progress: { _ in })
    }

    /// Stores the entries of a dictionary.
    public nonisolated(nonsending) func setMany(_ entries: [CacheKey: CacheEntry]) async throws {
        try await setMany(entries.map { (key: $0.key, entry: $0.value) })
    }

    /// Returns a writer that stores an entry without metadata in portions.
    public nonisolated(nonsending) func writer(for key: CacheKey) async throws -> CacheWriter {
        try await writer(for: key, entry: CacheEntry(body: .init()))
    }
}
