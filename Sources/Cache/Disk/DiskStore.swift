import Synchronization

/// A store in a folder: crash-safe and checksummed.
///
/// ```swift
/// let store = try DiskStore(directory: folder, limits: CacheLimits(bytes: 256 << 20, count: 100_000))
/// try await store.set(CacheEntry(body: data, tags: ["users"]), for: "users/1")
/// let entry = try await store.get("users/1")
/// ```
///
/// You can use a store from any thread, and a folder from any number of stores and processes at once. An entry survives
/// a kill of the process once `set` has returned. After a loss of power, the newest entries may be missing.
///
/// The folder has a history of removals, so that a response which was requested before a sign-out is not stored after
/// it, whatever process signs out. A ``TieredStore`` in front forgets what other processes change.
///
/// Every read verifies checksums. An entry that fails is removed, reported to `onEvent`, and counts as a miss. A
/// damaged database is set aside, and the store starts empty.
///
/// Removed entries are overwritten in the database. Its log has them until it is copied, which happens soon, or at a
/// sign-out.
///
/// Small entries are read on the caller's thread in a few microseconds, without waiting for a lock. Longer reads and
/// all writes run on other threads.
public final class DiskStore: CacheStore {
    /// The number of keys that may be read on the caller's thread.
    private static let inlineKeyLimit = 32

    /// The folder.
    public let directory: URL

    /// The limits of the store.
    public let limits: CacheLimits

    private let opened: SQLiteEngine
    private let isClosed = Atomic(false)
    let clock: WallClock
    private let counters = Counters()
    private let events: Reporter
    private let schedule = MaintenanceSchedule()

    /// Opens a store and creates missing files.
    ///
    /// - Parameters:
    ///   - directory: The folder. It must contain nothing but this store, and belong to the user of this process or to
    ///     root. Another user could read and replace the entries.
    ///   - limits: The limits of size, count and age.
    ///   - version: The version of the application's data. A store that another version has filled starts empty.
    ///   - protection: The protection of the files on Apple platforms.
    ///   - onEvent: Receives the events of the store, on any thread. It must not wait for the store. If nil,
    ///     ``CacheEvents/onEvent`` receives them.
    ///   - now: Returns the time of day, for tests.
    public convenience init(
        directory: URL, limits: CacheLimits = .disk, version: Int = 0,
        protection: FileProtection = .untilFirstUnlock, onEvent: (@Sendable (CacheEvent) -> Void)? = nil,
        now: (@Sendable () -> Date)? = nil
    ) throws {
        try self.init(
            directory: directory, limits: limits, role: .owner(version: Int64(version)), onEvent: onEvent, now: now)
        try protection.apply(to: directory.absoluteURL.path)
    }

    /// Opens a store for its application, or for a tool that inspects it.
    init(
        directory: URL, limits: CacheLimits, role: Role, onEvent: (@Sendable (CacheEvent) -> Void)?,
        now: (@Sendable () -> Date)?
    ) throws {
        guard directory.isFileURL else {
            throw CacheError(
                .invalid, "\(directory.absoluteString) is not the URL of a folder. Create it with URL(filePath:).")
        }
        try limits.check()
        self.directory = directory
        self.limits = limits
        clock = WallClock(now)
        events = Reporter(onEvent, counters)
        let opening = EngineOpening(
            place: Place(folder: directory.absoluteURL.path), limits: limits, role: role, clock: clock,
            report: events.report)
        opened = try opening.open()
    }

    /// The storage, while the store is open.
    var disk: SQLiteEngine {
        get throws {
            if isClosed.load(ordering: .relaxed) { throw CacheError.closed }
            return opened
        }
    }

    /// Closes the files. Later calls throw ``CacheError/Code/closed``. Calls in flight finish or throw the same error:
    /// await them before you remove the folder.
    ///
    /// A store closes when it is released. Call this method before you remove or move the folder.
    public nonisolated(nonsending) func close() async {
        isClosed.store(true, ordering: .relaxed)
        let disk = opened
        await IO.run { disk.close() }
    }

    // MARK: One entry

    public nonisolated(nonsending) func get(_ key: CacheKey) async throws -> CacheEntry? {
        switch try disk.getAtOnce(key) {
        case .entry(let entry):
            counters.hit()
            return entry
        case .nothing:
            counters.miss()
            return nil
        case .wouldBlock:
            let disk = try disk
            let entry = try await IO.run { try disk.get(key) }
            counters.count(hit: entry != nil)
            return entry
        }
    }

    public nonisolated(nonsending) func set(_ entry: CacheEntry, for key: CacheKey) async throws {
        maintainIfDue()
        try await disk.set([(key, try stamped(entry, for: key))])
    }

    public nonisolated(nonsending) func remove(_ key: CacheKey) async throws {
        _ = try await disk.remove([key])
    }

    // MARK: Several processes

    /// True: removals are recorded in the folder, for all its stores.
    public var hasHistory: Bool { true }

    public nonisolated(nonsending) func moment() async throws -> CacheMoment? {
        let disk = try disk
        if let moment = disk.momentAtOnce() { return moment }
        return try await IO.run { try disk.moment() }
    }

    @discardableResult
    public nonisolated(nonsending) func set(
        _ entry: CacheEntry, for key: CacheKey, unlessRemovedSince moment: CacheMoment
    ) async throws -> Bool {
        maintainIfDue()
        let position = try HistoryPosition(moment)
        return try await disk.set(try stamped(entry, for: key), for: key, unlessRemovedSince: position)
    }

    /// Returns the changes of other stores on the folder, in this and other processes.
    ///
    /// The store looks for them up to 20 times a second while other stores have the folder open, and once a second
    /// otherwise. A store that is closed has no changes.
    public func changes() -> CacheChanges? {
        isClosed.load(ordering: .relaxed) ? nil : opened.changes()
    }

    // MARK: Many entries

    public nonisolated(nonsending) func getMany(_ keys: [CacheKey]) async throws -> [CacheEntry?] {
        let disk = try disk
        let found = keys.count <= Self.inlineKeyLimit ? try disk.getManyAtOnce(keys) : nil
        let entries = if let found { found } else { try await IO.run { try disk.getMany(keys) } }
        for entry in entries { counters.count(hit: entry != nil) }
        return entries
    }

    /// Stores several entries: all of them or none.
    public nonisolated(nonsending) func setMany(_ entries: [(key: CacheKey, entry: CacheEntry)]) async throws {
        guard !entries.isEmpty else { return }
        maintainIfDue()
        try await disk.set(entries.map { ($0.key, try stamped($0.entry, for: $0.key)) })
    }

    public nonisolated(nonsending) func removeMany(_ keys: [CacheKey]) async throws {
        _ = try await disk.remove(keys)
    }

    public nonisolated(nonsending) func removeAll(
        progress: @escaping @Sendable (CacheProgress) -> Void
    ) async throws {
        _ = try await disk.removeAll(.all, progress: progress)
    }

    @discardableResult
    public nonisolated(nonsending) func remove(tag: String) async throws -> Int {
        try await disk.removeAll(.tagged(tag)) { _ in }
    }

    /// Removes all entries whose key begins with a prefix, including pinned ones, and returns their number.
    ///
    /// If the prefix has a line break, the store finds the entries by an index of the first lines of keys. Otherwise
    /// every entry is read.
    @discardableResult
    public nonisolated(nonsending) func remove(prefix: CacheKey) async throws -> Int {
        try await disk.removeAll(.prefixed(prefix)) { _ in }
    }

    @discardableResult
    public nonisolated(nonsending) func remove(olderThan age: Duration) async throws -> Int {
        try await disk.removeAll(.olderThan(clock.now.addingTimeInterval(-age.seconds))) { _ in }
    }

    public func entries() -> CacheEntries {
        CacheEntries { [self] in try await disk.entries().first() }
    }

    // MARK: Streams

    public nonisolated(nonsending) func reader(for key: CacheKey) async throws -> CacheReader? {
        let disk = try disk
        let reader = try await IO.run { try disk.reader(for: key) }
        counters.count(hit: reader != nil)
        return reader
    }

    public nonisolated(nonsending) func writer(for key: CacheKey, entry: CacheEntry) async throws -> CacheWriter {
        let disk = try disk
        let entry = try stamped(entry, for: key)
        return CacheWriter(try await IO.run { try disk.writer(for: key, entry: entry) })
    }

    // MARK: The whole

    public nonisolated(nonsending) func statistics() async throws -> CacheStatistics {
        let disk = try disk
        let fill = try await IO.run { try disk.fill() }
        return counters.statistics(of: fill)
    }

    /// Removes expired entries and files that killed processes have left.
    ///
    /// The store does this by itself once an hour while entries are stored, and when it is opened.
    /// An application can call it when it is idle.
    public nonisolated(nonsending) func maintain() async throws {
        try await disk.maintain()
    }

    /// Begins maintenance in the background, if it is due.
    private func maintainIfDue() {
        guard schedule.isDue else { return }
        let report = events.report
        Task.detached(priority: .utility) { [opened] in
            do {
                try await opened.maintain()
            } catch {
                let failure = error as? CacheError ?? CacheError(.system, "\(error)", underlying: error)
                if failure.code != .closed { report(.failed(failure)) }
            }
        }
    }

    /// Returns the entry with a time of writing. Throws if one of its dates is not a number.
    private func stamped(_ entry: CacheEntry, for key: CacheKey) throws -> CacheEntry {
        try entry.validate(for: key)
        guard entry.written == nil else { return entry }
        var entry = entry
        entry.written = clock.now
        return entry
    }
}

extension CacheLimits {
    /// The default limits of a disk store: 256 MB, 100 000 entries, of any age.
    public static let disk = CacheLimits(bytes: 256 << 20, count: 100_000)

    /// Throws if a limit is negative.
    func check() throws {
        if let bytes, bytes < 0 {
            throw CacheError(.invalid, "A limit of \(bytes) bytes is negative. For no limit, pass nil.")
        }
        if let count, count < 0 {
            throw CacheError(.invalid, "A limit of \(count) entries is negative. For no limit, pass nil.")
        }
        if let age, age < .zero { throw CacheError(.invalid, "An age of \(age) is negative. For no limit, pass nil.") }
    }
}
