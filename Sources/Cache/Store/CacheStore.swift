/// Keeps entries under keys: the plug between what makes entries and where they rest.
///
/// Three stores are bundled: ``MemoryStore``, ``DiskStore``, and ``TieredStore`` with one in front of the other. A store
/// of your own implements five members; all others have implementations in terms of those, which it may replace where it
/// can do better.
///
/// **The contract.** ``CacheStoreConformance`` checks it, in one line of a test.
///
/// - Keys are bytes, of any length, also none. Different keys never share an entry.
/// - `get` returns what the last `set` stored: body, metadata, tags, expiry, pin. The time of writing is the entry's own
///   if it had one, else that of the `set`. Times are kept to the millisecond or better, those of the distant future too.
///   What was set is returned by every `get` that begins after `set` has returned, until it is replaced, removed,
///   expires, or gives way to others in a store with limits.
/// - A decoded `object` is returned with the entry that it was set with, or not at all.
/// - An entry that has expired is not returned, whether it has been removed or not.
/// - An entry is returned whole or not at all. Whoever reads while another writes gets the old one or the new one.
/// - `set` and `remove` either do what they say or throw and change nothing.
/// - Removing what is not there is no error.
/// - Everything may be called from any number of threads and tasks at once.
///
/// Methods run on the caller's actor where they do not say otherwise, so that a read that is answered at once costs no
/// hop. An implementation may be `async` on any actor, or not be `async` at all.
public protocol CacheStore: Sendable {
    /// The entry under a key, or nil.
    nonisolated(nonsending) func get(_ key: CacheKey) async throws -> CacheEntry?

    /// Stores an entry, in place of the one that may be there.
    nonisolated(nonsending) func set(_ entry: CacheEntry, for key: CacheKey) async throws

    /// Removes the entry under a key, if there is one.
    nonisolated(nonsending) func remove(_ key: CacheKey) async throws

    /// Removes all entries, and says how far it has come: at least once, at the end.
    nonisolated(nonsending) func removeAll(progress: @escaping @Sendable (CacheProgress) -> Void) async throws

    /// All entries without their bodies, in no particular order. Entries that come or go meanwhile may be in it or not;
    /// those that stay are in it once.
    func entries() -> CacheEntries

    // What follows has default implementations.

    /// The entries under several keys, in the order of the keys, nil where there is none.
    nonisolated(nonsending) func getMany(_ keys: [CacheKey]) async throws -> [CacheEntry?]

    /// Stores several entries, one after the other: the last one of a key stays. If it throws, some of them may have been
    /// stored.
    nonisolated(nonsending) func setMany(_ entries: [(key: CacheKey, entry: CacheEntry)]) async throws

    /// Removes the entries under several keys.
    nonisolated(nonsending) func removeMany(_ keys: [CacheKey]) async throws

    /// Removes all entries that have a tag, pinned ones too, and returns how many.
    @discardableResult
    nonisolated(nonsending) func remove(tag: String) async throws -> Int

    /// Removes all entries whose key begins with the bytes of another, pinned ones too, and returns how many.
    @discardableResult
    nonisolated(nonsending) func remove(prefix: CacheKey) async throws -> Int

    /// Removes all entries that were written longer ago, pinned ones too, and returns how many.
    @discardableResult
    nonisolated(nonsending) func remove(olderThan age: Duration) async throws -> Int

    /// What the store holds, and what it has done since it was opened.
    nonisolated(nonsending) func statistics() async throws -> CacheStatistics

    /// The entry under a key with its body in portions, each of which begins at index 0, or nil. What is returned stays
    /// readable to its end, whatever happens to the entry meanwhile.
    nonisolated(nonsending) func reader(for key: CacheKey) async throws -> CacheReader?

    /// Stores an entry whose body comes in portions. Nothing is visible before `commit`; a writer that is released
    /// without it leaves nothing.
    ///
    /// - Parameters:
    ///   - key: The key of the entry.
    ///   - entry: Everything but the body; bytes that it has already are the first portion.
    nonisolated(nonsending) func writer(for key: CacheKey, entry: CacheEntry) async throws -> CacheWriter
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

    /// Stores an entry without metadata whose body comes in portions.
    public nonisolated(nonsending) func writer(for key: CacheKey) async throws -> CacheWriter {
        try await writer(for: key, entry: CacheEntry(body: .init()))
    }
}
