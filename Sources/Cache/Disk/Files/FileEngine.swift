/// An engine with a file for each entry, without a database and without locks between processes.
///
/// It is for folders that an application shares with its extensions, where the system kills a suspended process that
/// holds a lock, and for systems without SQLite. Any number of processes may use a folder at once. A file is written in
/// another folder and renamed, so a reader gets the old entry or the new one.
final class FileEngine: DiskEngine {
    /// The age of a file's time from which a hit updates it, in seconds, so that hits rarely write.
    private static let touchInterval: Double = 5 * 60

    /// The age from which a temporary file is removed. A process may still write a younger one.
    private static let sweepInterval: Double = 24 * 60 * 60

    let folder: EntryFolder
    let room: FileRoom
    let clock: WallClock
    let role: Role
    let report: @Sendable (CacheEvent) -> Void
    let log: RemovalLog
    let inboxes: Inboxes
    let feed = ChangeFeed()
    private let limits: CacheLimits

    /// A number for the store, so that it does not follow its own changes.
    let origin = UInt64.random(in: 1 ... .max)

    /// Creates an engine on a folder. An owner creates the folder; for a guest it must exist.
    init(
        folder: String, limits: CacheLimits, role: Role, clock: WallClock, files: FileSystem = FileSystem(),
        report: @escaping @Sendable (CacheEvent) -> Void
    ) throws {
        self.folder = EntryFolder(path: folder, files: files, version: role.version)
        log = RemovalLog(folder: self.folder)
        inboxes = Inboxes(folder: self.folder, origin: origin)
        self.limits = limits
        self.role = role
        self.clock = clock
        self.report = report
        // A guest never evicts.
        room = FileRoom(folder: self.folder, limits: role.isOwner ? limits : .unlimited, clock: clock, report: report)
        try prepare()
    }

    var files: FileSystem { folder.files }

    func getAtOnce(_ key: CacheKey) -> ImmediateResult {
        .wouldBlock
    }

    func getManyAtOnce(_ keys: [CacheKey]) -> [CacheEntry?]? {
        nil
    }

    func get(_ key: CacheKey) throws -> CacheEntry? {
        let place = folder.place(of: key)
        let content = try EntryFile.read(place.path, expecting: key, on: files)
        guard let (stored, status) = try whole(content, key, place), stored.key == key else { return nil }
        let entry = stored.entry
        guard !isOver(written: entry.written, expires: entry.expires, pinned: entry.pinned) else {
            release(place, status)
            return nil
        }
        touch(place, status)
        return entry
    }

    func getMany(_ keys: [CacheKey]) throws -> [CacheEntry?] {
        try keys.map { key in try get(key) }
    }

    @discardableResult
    nonisolated(nonsending) func remove(_ keys: [CacheKey]) async throws -> Int {
        try await IO.run {
            try self.removing(keys.map(CacheChange.key)) {
                try keys.count { key in try self.room.remove(self.folder.place(of: key)) }
            }
        }
    }

    func fill() throws -> DiskFill {
        try room.fill()
    }

    nonisolated(nonsending) func maintain() async throws {
        guard role.isOwner else { return }
        try await IO.run {
            let swept = try self.folder.sweep(where: self.isOrphan)
            if swept > 0 { self.report(.swept(files: swept)) }
            try self.inboxes.sweep(where: self.isOrphan)
            try self.removeExpired()
            try self.room.trim()
        }
    }

    func removeTraces() {
        // The file of an entry leaves with it.
    }

    func close() {
        // No file stays open.
        feed.finish()
    }

    deinit {
        feed.finish()
    }

    /// Returns whether an entry has expired or is too old. Pinned entries have no highest age.
    func isOver(written: Date?, expires: Date?, pinned: Bool) -> Bool {
        guard expires != nil || limits.age != nil else { return false }
        let now = clock.roughly
        if let expires, expires.timeIntervalSinceReferenceDate <= now { return true }
        guard !pinned, let age = limits.age, let written else { return false }
        return written.timeIntervalSinceReferenceDate < now - age.seconds
    }

    /// Returns whether a temporary file is abandoned: too old, or from the future because the clock was set back.
    func isOrphan(_ file: FileStatus) -> Bool {
        abs(clock.now.timeIntervalSinceReferenceDate - file.modified) > Self.sweepInterval
    }

    /// Returns the content of a file if it is intact. A damaged file is removed and reported. One of a later format is
    /// left alone.
    func whole<Value>(
        _ content: EntryFile.Content<Value>, _ key: CacheKey?, _ place: EntryFolder.Place
    ) throws -> (value: Value, status: FileStatus)? {
        switch content {
        case .missing: return nil
        case .found(let value, let status): return (value, status)
        case .damaged(let reason, let status):
            if try !EntryFile.isNewer(place.path, on: files) { discard(place, status, key, reason) }
            return nil
        }
    }

    /// Reports a damaged file, and removes it if it has not been replaced and this engine may.
    func discard(_ place: EntryFolder.Place, _ status: FileStatus, _ key: CacheKey?, _ reason: String) {
        if role.mayRepair { _ = try? room.remove(place, ifStill: status) }
        report(.damaged(key: key, reason: reason))
    }

    /// Removes an expired entry, if this engine may.
    func release(_ place: EntryFolder.Place, _ status: FileStatus) {
        if role.isOwner { _ = try? room.remove(place, ifStill: status) }
    }

    /// Marks an entry as used.
    func touch(_ place: EntryFolder.Place, _ status: FileStatus) {
        guard role.isOwner, abs(clock.roughly - status.modified) > Self.touchInterval else { return }
        try? files.touch(place.path, clock.now)
    }
}
