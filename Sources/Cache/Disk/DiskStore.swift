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
    /// The folder.
    public let directory: URL

    /// The limits of the store.
    public let limits: CacheLimits

    // Entries are rows of a database. The bodies of large ones are files beside it.

    let place: Place
    let files: FileSystem
    let role: Role
    let clock: WallClock
    let report: @Sendable (CacheEvent) -> Void
    let readers: Readers
    let connection: Connection
    let writer: Writer
    let bodies: Bodies
    let recentReads = RecentReads()
    let feed = ChangeFeed()
    let counters: Counters
    let schedule = MaintenanceSchedule()
    private let isClosed = Atomic(false)

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
    ///
    /// - Parameter problem: Returns the reason why SQLite cannot be used; nil if it can.
    init(
        directory: URL, limits: CacheLimits, role: Role, onEvent: (@Sendable (CacheEvent) -> Void)? = nil,
        now: (@Sendable () -> Date)? = nil, problem: () -> String? = { Database.problem }
    ) throws {
        guard directory.isFileURL else {
            throw CacheError(
                .invalid, "\(directory.absoluteString) is not the URL of a folder. Create it with URL(filePath:).")
        }
        try limits.check()
        self.directory = directory
        self.limits = limits
        self.role = role
        place = Place(folder: directory.absoluteURL.path)
        files = FileSystem()
        clock = WallClock(now)
        let counters = Counters()
        let report = { @Sendable event in
            counters.count(event)
            (onEvent ?? CacheEvents.onEvent)(event)
        }
        (self.counters, self.report) = (counters, report)
        let owned = OwnedFolder(
            path: place.folder, mayBelongToRoot: true, advice: "Choose a folder of yours.", files: files)
        if role.isOwner { try owned.check() }
        try Self.checkSQLite(files, problem)
        let opening = Opening(place: place, files: files, role: role)
        do {
            let database: Database?
            (database, bodies) = try Self.open(opening, now: clock.roughly, report)
            readers = Readers(place.database, database == nil ? .frozen : .reader)
            connection = try Connection(
                database, opening, limits: limits, clock: clock, readers: readers, bodies: bodies,
                recentReads: recentReads, report: report)
        } catch let failure as SQLiteFailure {
            throw CacheError(failure, at: place.database)
        }
        writer = Writer(connection)
        guard role.isOwner else { return }
        // Once more, because another user may have created it meanwhile.
        try owned.check()
        if !connection.isFrozen { maintainInBackground() }
    }

    /// Opens the database for writing. Returns nil if the folder cannot be written to but can be read.
    private static func open(
        _ opening: Opening, now: Double, _ report: (CacheEvent) -> Void
    ) throws -> (Database?, Bodies) {
        let place = opening.place
        var events: [CacheEvent] = []
        defer { events.forEach(report) }
        do {
            return (try opening.open(now: now, &events), try Bodies(place, opening.files, role: opening.role))
        } catch let error as CacheError where error.code == .readOnly && FileStatus(of: place.database) != nil {
            try opening.checkFrozen()
            return (nil, try Bodies(place, opening.files, role: opening.role, isFrozen: true))
        }
    }

    /// Throws if SQLite cannot be used.
    ///
    /// A library cannot be loaded while too many files are open. That is an error of its own, because it says nothing
    /// about the library. If a file could be opened since, loading is tried once more.
    private static func checkSQLite(_ files: FileSystem, _ problem: () -> String?) throws {
        guard problem() != nil else { return }
        _ = try files.open("/dev/null")
        if let problem = problem() { throw CacheError(sqliteProblem: problem) }
    }

    /// Closes the files. Later calls throw ``CacheError/Code/closed``. Calls in flight finish or throw the same error:
    /// await them before you remove the folder.
    ///
    /// A store closes when it is released. Call this method before you remove or move the folder.
    public nonisolated(nonsending) func close() async {
        isClosed.store(true, ordering: .relaxed)
        await IO.run { self.closeFiles() }
    }

    /// Closes the files on this thread.
    func closeFiles() {
        isClosed.store(true, ordering: .relaxed)
        feed.finish()
        Self.close((writer, readers, connection, bodies))
    }

    /// Listings and writers, which use the parts without the store, have ended by now.
    deinit {
        feed.finish()
        let parts = (writer, readers, connection, bodies)
        IO.submit { Self.close(parts) }
    }

    private static func close(_ parts: (Writer, Readers, Connection, Bodies)) {
        parts.0.close()
        parts.1.close()
        parts.2.close()
        parts.3.close()
    }

    func checkOpen() throws {
        if isClosed.load(ordering: .relaxed) { throw CacheError.closed }
    }

    // MARK: Reading

    public nonisolated(nonsending) func get(_ key: CacheKey) async throws -> CacheEntry? {
        try checkOpen()
        let entry = if let found = getAtOnce(key) { found } else { try await IO.run { try self.load(key) } }
        counters.count(hit: entry != nil)
        return entry
    }

    public nonisolated(nonsending) func getMany(_ keys: [CacheKey]) async throws -> [CacheEntry?] {
        try checkOpen()
        let entries =
            if let found = getManyAtOnce(keys) { found } else { try await IO.run { try self.loadMany(keys) } }
        for entry in entries { counters.count(hit: entry != nil) }
        return entries
    }

    public func entries() -> CacheEntries {
        CacheEntries { try await self.page(after: 0, includingOver: false) }
    }

    // MARK: Writing

    public nonisolated(nonsending) func set(_ entry: CacheEntry, for key: CacheKey) async throws {
        _ = try await set([(key, entry)], unlessRemovedSince: nil)
    }

    /// Stores several entries: all of them or none.
    public nonisolated(nonsending) func setMany(_ entries: [(key: CacheKey, entry: CacheEntry)]) async throws {
        if !entries.isEmpty { _ = try await set(entries, unlessRemovedSince: nil) }
    }

    @discardableResult
    public nonisolated(nonsending) func set(
        _ entry: CacheEntry, for key: CacheKey, unlessRemovedSince moment: CacheMoment
    ) async throws -> Bool {
        try await set([(key, entry)], unlessRemovedSince: HistoryPosition(moment)) > 0
    }

    // MARK: Removing

    public nonisolated(nonsending) func remove(_ key: CacheKey) async throws {
        _ = try await removeEntries(for: [key])
    }

    public nonisolated(nonsending) func removeMany(_ keys: [CacheKey]) async throws {
        _ = try await removeEntries(for: keys)
    }

    public nonisolated(nonsending) func removeAll(
        progress: @escaping @Sendable (CacheProgress) -> Void
    ) async throws {
        _ = try await remove(.removal(.all), progress: progress)
    }

    @discardableResult
    public nonisolated(nonsending) func remove(tag: String) async throws -> Int {
        try await remove(.removal(.tag(tag)))
    }

    /// Removes all entries whose key begins with a prefix, including pinned ones, and returns their number.
    ///
    /// If the prefix has a line break, the store finds the entries by an index of the first lines of keys. Otherwise
    /// every entry is read.
    @discardableResult
    public nonisolated(nonsending) func remove(prefix: CacheKey) async throws -> Int {
        try await remove(.removal(.prefix(prefix)))
    }

    @discardableResult
    public nonisolated(nonsending) func remove(olderThan age: Duration) async throws -> Int {
        try await remove(.olderThan(clock.now.addingTimeInterval(-age.seconds)))
    }

    // MARK: Several processes

    /// True: removals are recorded in the folder, for all its stores.
    public var hasHistory: Bool { true }

    public nonisolated(nonsending) func moment() async throws -> CacheMoment? {
        try checkOpen()
        if let moment = momentAtOnce() { return moment }
        return try await IO.run { try self.presentMoment() }
    }

    /// Returns the changes of other stores on the folder, in this and other processes.
    ///
    /// The store looks for them up to 20 times a second while other stores have the folder open, and once a second
    /// otherwise. A store that is closed has no changes.
    public func changes() -> CacheChanges? {
        isClosed.load(ordering: .relaxed) ? nil : feed.follow { Follower(self) }
    }

    // MARK: The whole

    public nonisolated(nonsending) func statistics() async throws -> CacheStatistics {
        try await IO.run { try self.presentStatistics() }
    }

    func presentStatistics() throws -> CacheStatistics {
        try checkOpen()
        return counters.statistics(of: try read { reader in try Totals(in: reader.database) })
    }
}

extension CacheLimits {
    /// The default limits of a disk store: 256 MB, 100 000 entries, of any age.
    public static let disk = CacheLimits(bytes: 256 << 20, count: 100_000)

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

extension CacheError {
    /// The error of a store whose library is missing or unsuitable.
    init(sqliteProblem problem: String) {
        self.init(
            .system,
            """
            SQLite cannot be used (\(problem)): install SQLite 3.24 or later, which is the package libsqlite3-0 on \
            Debian and Ubuntu, sqlite-libs on Fedora, Red Hat and Amazon Linux.
            """)
    }
}
