import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Keeps entries in a folder, across launches and across kills.
///
/// ```swift
/// let store = try DiskStore(directory: folder, limits: CacheLimits(bytes: 256 << 20, count: 100_000))
/// try await store.set(CacheEntry(body: data, tags: ["users"]), for: "users/1")
/// let entry = try await store.get("users/1")
/// ```
///
/// It may be used from any thread, and the folder by any number of stores and processes at once. What `set` has
/// acknowledged survives a kill of the process; after a loss of power the newest entries may be missing. No entry is ever
/// returned that is not, byte for byte, what was set: everything has checksums, and what fails them is a miss, is removed,
/// and is reported to `onEvent`. A damaged database is set aside, and the store begins anew.
///
/// Small entries are read on the caller's thread, in a few microseconds, and never wait for a lock; whatever takes longer,
/// and every write, leaves the caller's thread.
public final class DiskStore: CacheStore {
    /// How a store keeps its entries.
    public enum Engine: Sendable {
        /// The engine whose entries the folder holds. In a new folder this is SQLite, or plain files where SQLite cannot
        /// be loaded.
        ///
        /// Plain files are reported to `onEvent`. If the folder holds a database and SQLite cannot be loaded, opening
        /// throws: a store that cannot remove the entries of the database must not take its place.
        case automatic

        /// A database for small entries and files for large bodies: the fastest, in every respect.
        ///
        /// If the folder holds plain files, they are discarded, the store starts empty, and `onEvent` is notified.
        case sqlite

        /// A file for each entry, and no locks: for folders that are shared by an app and its extensions on Apple
        /// platforms, where a process is killed if it is suspended while it holds one.
        ///
        /// If the folder holds a database, it is discarded, the store starts empty, and `onEvent` is notified.
        case files
    }

    /// So many keys are looked up on the caller's thread.
    private static let few = 32

    /// The folder.
    public let directory: URL

    /// How much the store may hold.
    public let limits: CacheLimits

    /// How the store keeps its entries: never `automatic`.
    public let engine: Engine

    private let opened: any DiskEngine
    private let isClosed = Atomic(false)
    let clock: WallClock
    private let counters = Counters()
    private let events: Reporter
    private let upkeep = Upkeep()

    /// Opens a store, and creates what is missing.
    ///
    /// - Parameters:
    ///   - directory: The folder, which is for this store alone.
    ///   - limits: How much the store may hold.
    ///   - engine: How the store keeps its entries.
    ///   - version: The version of what the application stores. A store that was filled by another version starts empty.
    ///   - protection: When the files can be read, on Apple platforms.
    ///   - onEvent: Hears of what no caller would hear of otherwise, on any thread. It must not wait for the store. Nil:
    ///     ``CacheEvents/onEvent`` does.
    ///   - now: The time of day, for tests.
    public convenience init(
        directory: URL, limits: CacheLimits = .disk, engine: Engine = .automatic, version: Int = 0,
        protection: FileProtection = .untilFirstUnlock, onEvent: (@Sendable (CacheEvent) -> Void)? = nil,
        now: (@Sendable () -> Date)? = nil
    ) throws {
        try self.init(
            directory: directory, limits: limits, engine: engine, role: .owner(version: Int64(version)),
            onEvent: onEvent, now: now)
        try protection.apply(to: directory.absoluteURL.path)
    }

    /// Opens a store for its application, or for somebody who only looks at it.
    init(
        directory: URL, limits: CacheLimits, engine: Engine, role: Role, onEvent: (@Sendable (CacheEvent) -> Void)?,
        now: (@Sendable () -> Date)?
    ) throws {
        guard directory.isFileURL else {
            throw CacheError(.invalid, "\(directory.absoluteString) is not a folder: make the URL with URL(filePath:).")
        }
        try limits.check()
        self.directory = directory
        self.limits = limits
        clock = WallClock(now)
        events = Reporter(onEvent, counters)
        let opening = EngineOpening(
            place: Place(folder: directory.absoluteURL.path), limits: limits, role: role, clock: clock,
            report: events.report)
        (self.engine, opened) = try opening.open(engine)
    }

    /// What the store works with, while it is open.
    var disk: any DiskEngine {
        get throws {
            if isClosed.load(ordering: .relaxed) { throw CacheError.closed }
            return opened
        }
    }

    /// Closes the files, and returns then. What is called later throws ``CacheError/Code/closed``; what is under way is
    /// finished, or throws the same: await it before you remove the folder.
    ///
    /// A store that is released closes by itself; closing explicitly is for whoever wants to remove or move the folder.
    public nonisolated(nonsending) func close() async {
        isClosed.store(true, ordering: .relaxed)
        let disk = opened
        await IO.run { disk.close() }
    }

    // MARK: One entry

    public nonisolated(nonsending) func get(_ key: CacheKey) async throws -> CacheEntry? {
        switch try disk.glance(key) {
        case .entry(let entry):
            counters.hit()
            return entry
        case .nothing:
            counters.miss()
            return nil
        case .elsewhere:
            let disk = try disk
            let entry = try await IO.run { try disk.get(key) }
            counters.count(hit: entry != nil)
            return entry
        }
    }

    public nonisolated(nonsending) func set(_ entry: CacheEntry, for key: CacheKey) async throws {
        keepUp()
        try await disk.set([(key, try stamped(entry, for: key))])
    }

    public nonisolated(nonsending) func remove(_ key: CacheKey) async throws {
        _ = try await disk.remove([key])
    }

    // MARK: Many entries

    public nonisolated(nonsending) func getMany(_ keys: [CacheKey]) async throws -> [CacheEntry?] {
        let disk = try disk
        let glance = keys.count <= Self.few ? try disk.glanceMany(keys) : nil
        let entries = if let glance { glance } else { try await IO.run { try disk.getMany(keys) } }
        for entry in entries { counters.count(hit: entry != nil) }
        return entries
    }

    /// Stores several entries, all of them or none as far as the engine can.
    ///
    /// A database takes all of them or none, whatever happens. Plain files are all written before the first takes its
    /// place, so that a full volume changes nothing; but what goes wrong after that, such as a kill, leaves some of them
    /// stored.
    public nonisolated(nonsending) func setMany(_ entries: [(key: CacheKey, entry: CacheEntry)]) async throws {
        guard !entries.isEmpty else { return }
        keepUp()
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

    /// Removes what has expired and what killed processes have left, and puts everything in order.
    ///
    /// The store does so by itself: a database when it is opened, if it has not been done for an hour, and both engines
    /// once an hour while entries are stored. An application may do it when it has nothing else to do.
    public nonisolated(nonsending) func maintain() async throws {
        try await disk.maintain()
    }

    /// Begins maintenance in the background, if it has not been done for a while.
    private func keepUp() {
        guard upkeep.isDue else { return }
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

    /// The entry with a time of writing, if its dates are dates.
    private func stamped(_ entry: CacheEntry, for key: CacheKey) throws -> CacheEntry {
        try entry.validate(for: key)
        guard entry.written == nil else { return entry }
        var entry = entry
        entry.written = clock.now
        return entry
    }
}

extension CacheLimits {
    /// The limits of a store on disk that is given none: 256 MB, 100 000 entries, of any age.
    public static let disk = CacheLimits(bytes: 256 << 20, count: 100_000)

    /// Refuses what cannot be meant.
    func check() throws {
        if let bytes, bytes < 0 {
            throw CacheError(.invalid, "A limit of \(bytes) bytes is no limit: give nil for none.")
        }
        if let count, count < 0 {
            throw CacheError(.invalid, "A limit of \(count) entries is no limit: give nil for none.")
        }
        if let age, age < .zero { throw CacheError(.invalid, "A limit of age \(age) is no limit: give nil for none.") }
    }
}
