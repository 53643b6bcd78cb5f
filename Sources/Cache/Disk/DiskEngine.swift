#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What a disk store works with: a database, or plain files.
///
/// Whatever is not `async` blocks while it works: the store sees to the threads. What is `async` leaves the caller's
/// thread itself, and comes back to the caller's actor.
protocol DiskEngine: Sendable {
    /// The entry under a key, if that takes neither waiting for a lock nor reading a file: for the caller's own thread.
    func glance(_ key: CacheKey) throws -> Glance

    /// The same for several keys; nil if it takes longer for one of them.
    func glanceMany(_ keys: [CacheKey]) throws -> [CacheEntry?]?

    /// The entry under a key, or nil.
    func get(_ key: CacheKey) throws -> CacheEntry?

    /// The entries under several keys, in their order.
    func getMany(_ keys: [CacheKey]) throws -> [CacheEntry?]

    /// Stores entries. Each has its time of writing.
    nonisolated(nonsending) func set(_ entries: [(key: CacheKey, entry: CacheEntry)]) async throws

    /// Removes the entries under several keys, and returns how many there were.
    @discardableResult
    nonisolated(nonsending) func remove(_ keys: [CacheKey]) async throws -> Int

    /// Removes all entries of a selection, and returns how many there were. The progress is told at least at the end.
    nonisolated(nonsending) func removeAll(
        _ selection: Selection, progress: @escaping @Sendable (CacheProgress) -> Void
    ) async throws -> Int

    /// All entries without their bodies.
    func entries() -> CacheEntries

    /// The same, and those that nobody gets any more because their time is over.
    func everything() -> CacheEntries

    /// The entry under a key without its body, also one that has expired.
    func item(_ key: CacheKey) throws -> CacheItem?

    /// What the folder holds, and what its files say about the store.
    nonisolated(nonsending) func inspect() async throws -> DiskInspection

    /// Reads everything, and finds what is not as it was written.
    ///
    /// - Parameters:
    ///   - repair: Whether to remove what is damaged.
    ///   - progress: Hears how many entries have been checked, and how many there are about.
    nonisolated(nonsending) func verify(
        repair: Bool, progress: @escaping @Sendable (_ checked: Int, _ total: Int) -> Void
    ) async throws -> CacheVerification

    /// What the store holds.
    func fill() throws -> DiskFill

    /// The entry under a key with its body in portions, or nil.
    func reader(for key: CacheKey) throws -> CacheReader?

    /// Takes an entry whose body comes in portions.
    func writer(for key: CacheKey, entry: CacheEntry) throws -> any CacheWriter.Target

    /// Removes what has expired, what is too much, and what killed processes have left.
    nonisolated(nonsending) func maintain() async throws

    /// Lets go of everything that is open.
    func close()
}

/// What an engine knows about a key at a glance.
enum Glance: Sendable {
    /// The entry.
    case entry(CacheEntry)

    /// There is none.
    case nothing

    /// To find out takes a while: ask `get`, on a thread that may block.
    case elsewhere
}

/// Which entries to remove.
package enum Selection: Sendable {
    /// All.
    case all

    /// Those that have a tag.
    case tagged(String)

    /// Those whose key begins with the bytes of this one.
    case prefixed(CacheKey)

    /// Those that were written before a date.
    case olderThan(Date)

    /// Those that have expired at a date.
    case expired(Date)

    /// Whether an entry is one of them.
    package func contains(_ item: CacheItem) -> Bool {
        switch self {
        case .all: true
        case .tagged(let tag): item.tags.containsBytes(of: tag)
        case .prefixed(let prefix): item.key.hasPrefix(prefix)
        case .olderThan(let date): item.written < date
        case .expired(let date): item.expires.map { $0 <= date } ?? false
        }
    }
}

/// What a store on disk holds, as it counts towards the limits.
struct DiskFill: Hashable, Sendable {
    /// What an entry counts for besides its key, facts and body: about what it takes to keep one.
    static let overhead = 128

    /// The number of entries.
    var count = 0

    /// The bytes of all entries.
    var bytes = 0

    /// How many of the entries are pinned.
    var pinnedCount = 0

    /// How many of the bytes belong to pinned entries.
    var pinnedBytes = 0
}
