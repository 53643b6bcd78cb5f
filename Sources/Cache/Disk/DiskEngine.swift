/// The storage of a disk store: a database, or plain files.
///
/// Methods that are not `async` block; the store calls them on suitable threads. Methods that are `async` leave the
/// caller's thread themselves and return to the caller's actor.
protocol DiskEngine: Sendable {
    /// Returns the entry under a key if that needs neither a lock nor a read of the disk. Meant for the caller's own
    /// thread.
    func getAtOnce(_ key: CacheKey) throws -> ImmediateResult

    /// Does the same for several keys. Returns nil if one of them takes longer.
    func getManyAtOnce(_ keys: [CacheKey]) throws -> [CacheEntry?]?

    /// Returns the entry under a key, or nil.
    func get(_ key: CacheKey) throws -> CacheEntry?

    /// Returns the entries under several keys, in their order.
    func getMany(_ keys: [CacheKey]) throws -> [CacheEntry?]

    /// Stores entries. Each has its time of writing.
    nonisolated(nonsending) func set(_ entries: [(key: CacheKey, entry: CacheEntry)]) async throws

    /// Removes the entries under several keys and returns their number.
    @discardableResult
    nonisolated(nonsending) func remove(_ keys: [CacheKey]) async throws -> Int

    /// Removes all entries of a selection and returns their number. Reports the progress at least at the end.
    nonisolated(nonsending) func removeAll(
        _ selection: Selection, progress: @escaping @Sendable (CacheProgress) -> Void
    ) async throws -> Int

    /// Returns all entries without their bodies.
    func entries() -> CacheEntries

    /// Returns all entries without their bodies, including expired ones.
    func everything() -> CacheEntries

    /// Returns the entry under a key without its body, even if it has expired.
    func item(_ key: CacheKey) throws -> CacheItem?

    /// Returns the content of the folder and the properties of its files.
    nonisolated(nonsending) func inspect() async throws -> DiskInspection

    /// Reads everything and finds all damage.
    ///
    /// - Parameters:
    ///   - repair: Removes damaged entries.
    ///   - progress: Called with the number of entries checked, and their approximate total.
    nonisolated(nonsending) func verify(
        repair: Bool, progress: @escaping @Sendable (_ checked: Int, _ total: Int) -> Void
    ) async throws -> CacheVerification

    /// Returns the size of the store.
    func fill() throws -> DiskFill

    /// Returns the entry under a key with its body in portions, or nil.
    func reader(for key: CacheKey) throws -> CacheReader?

    /// Returns the target of a writer for an entry in portions.
    func writer(for key: CacheKey, entry: CacheEntry) throws -> any CacheWriter.Target

    /// Returns the present moment in the history of removals, if that needs neither a lock nor a read of the disk.
    func momentAtOnce() -> CacheMoment?

    /// Returns the present moment in the history of removals. Nil if nothing can be stored.
    func moment() throws -> CacheMoment?

    /// Stores an entry that has its time of writing, unless it was removed since a position. Returns whether it was
    /// stored.
    nonisolated(nonsending) func set(
        _ entry: CacheEntry, for key: CacheKey, unlessRemovedSince position: HistoryPosition
    ) async throws -> Bool

    /// Returns the changes of other stores.
    func changes() -> CacheChanges

    /// Removes expired entries, excess entries, and files that killed processes have left.
    nonisolated(nonsending) func maintain() async throws

    /// Removes what the files still contain of removed entries. A reader of another process may delay this.
    func removeTraces() throws

    /// Closes all open files.
    func close()
}

/// The result of a read that does not block.
enum ImmediateResult: Sendable {
    /// The entry.
    case entry(CacheEntry)

    /// There is no entry.
    case nothing

    /// The read would block. Call `get` on a thread that may block.
    case wouldBlock
}

/// A selection of entries to remove.
package enum Selection: Sendable {
    /// All entries.
    case all

    /// The entries that have a tag.
    case tagged(String)

    /// The entries whose key begins with a prefix.
    case prefixed(CacheKey)

    /// The entries written before a date.
    case olderThan(Date)

    /// The entries that have expired at a date.
    case expired(Date)

    /// Returns whether an entry belongs to the selection.
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

/// The size of a disk store, as it counts towards the limits.
struct DiskFill: Hashable, Sendable {
    /// The bytes that an entry counts for besides its key, facts and body: the approximate overhead of storing it.
    static let overhead = 128

    /// The number of entries.
    var count = 0

    /// The bytes of all entries.
    var bytes = 0

    /// The number of pinned entries.
    var pinnedCount = 0

    /// The number of bytes of pinned entries.
    var pinnedBytes = 0
}
