#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Keeps each entry in a file of its own, without a database and without a lock between processes.
///
/// For folders that an application shares with its extensions, where the system kills who is suspended with a lock, and
/// for systems without SQLite. Any number of processes may use a folder at once: a file is written aside and renamed,
/// so who reads has the old entry or the new one.
final class FileEngine: DiskEngine {
    /// How far the time of a file may be off before a hit sets it: a hit rarely writes anything.
    private static let touchInterval: Double = 5 * 60

    /// How long a temporary file is left alone: whoever wrote it may still be at work.
    private static let sweepInterval: Double = 24 * 60 * 60

    let folder: EntryFolder
    let room: FileRoom
    let clock: WallClock
    private let limits: CacheLimits
    private let report: @Sendable (CacheEvent) -> Void

    /// An engine on a folder, which is made when something is stored.
    init(
        folder: String, limits: CacheLimits, clock: WallClock, report: @escaping @Sendable (CacheEvent) -> Void,
        files: FileSystem = FileSystem()
    ) {
        self.folder = EntryFolder(path: folder, files: files)
        self.limits = limits
        self.clock = clock
        self.report = report
        room = FileRoom(folder: self.folder, limits: limits, clock: clock, report: report)
    }

    var files: FileSystem { folder.files }

    func glance(_ key: CacheKey) -> Glance {
        .elsewhere
    }

    func glanceMany(_ keys: [CacheKey]) -> [CacheEntry?]? {
        nil
    }

    func get(_ key: CacheKey) throws -> CacheEntry? {
        let place = folder.place(of: key)
        let content = try EntryFile.read(place.path, expecting: key, on: files)
        guard let (stored, status) = whole(content, key, place), stored.key == key else { return nil }
        guard !isOver(written: stored.entry.written, expires: stored.entry.expires) else {
            _ = try? room.remove(place, ifStill: status)
            return nil
        }
        touch(place, status)
        return stored.entry
    }

    func getMany(_ keys: [CacheKey]) throws -> [CacheEntry?] {
        try keys.map { key in try get(key) }
    }

    nonisolated(nonsending) func set(_ entries: [(key: CacheKey, entry: CacheEntry)]) async throws {
        try await IO.run {
            for (key, entry) in entries {
                try self.store(entry, for: key)
            }
        }
    }

    nonisolated(nonsending) func remove(_ keys: [CacheKey]) async throws {
        try await IO.run {
            for key in keys {
                try self.room.remove(self.folder.place(of: key))
            }
        }
    }

    func fill() throws -> DiskFill {
        try room.fill()
    }

    nonisolated(nonsending) func maintain() async throws {
        try await IO.run {
            let now = self.clock.now.timeIntervalSinceReferenceDate
            // Either way, because the clock may have been set back.
            let swept = try self.folder.sweep { abs(now - $0.modified) > Self.sweepInterval }
            if swept > 0 { self.report(.swept(files: swept)) }
            try self.removeOver()
            try self.room.trim()
        }
    }

    func close() {
        // Nothing is kept open.
    }

    /// Whether an entry is to be answered as if it were not there.
    func isOver(written: Date?, expires: Date?) -> Bool {
        guard expires != nil || limits.age != nil else { return false }
        let now = clock.roughly
        if let expires, expires.timeIntervalSinceReferenceDate <= now { return true }
        guard let age = limits.age, let written else { return false }
        return written.timeIntervalSinceReferenceDate < now - age.seconds
    }

    /// What was found, if it is whole. A damaged file is removed and reported.
    func whole<Value>(
        _ content: EntryFile.Content<Value>, _ key: CacheKey?, _ place: EntryFolder.Place
    ) -> (value: Value, status: FileStatus)? {
        switch content {
        case .missing: return nil
        case .found(let value, let status): return (value, status)
        case .damaged(let reason, let status):
            discard(place, status, key, reason)
            return nil
        }
    }

    /// Removes a damaged file, if it still is that one, and reports it.
    func discard(_ place: EntryFolder.Place, _ status: FileStatus, _ key: CacheKey?, _ reason: String) {
        _ = try? room.remove(place, ifStill: status)
        report(.damaged(key: key, reason: reason))
    }

    /// Marks an entry as used.
    func touch(_ place: EntryFolder.Place, _ status: FileStatus) {
        if abs(clock.roughly - status.modified) > Self.touchInterval { try? files.touch(place.path, clock.now) }
    }

    private func store(_ entry: CacheEntry, for key: CacheKey) throws {
        try room.check(entry.body.count + key.count + DiskFill.overhead)
        let place = folder.place(of: key)
        for _ in 1...3 {
            let (size, temporary) = try folder.create { path in
                try EntryFile.write(entry, for: key, to: path, modified: clock.now, on: files)
            }
            if try publish(temporary, size: size, at: place) { return }
        }
        throw CacheError(
            .system, "Temporary files in \(folder.path) are removed at once: keep others from cleaning it.")
    }

    /// Moves a finished file to its place, or removes it if that fails.
    func publish(_ temporary: String, size: Int, at place: EntryFolder.Place) throws -> Bool {
        do {
            return try room.publish(temporary, size: size, at: place)
        } catch {
            _ = try? files.remove(temporary)
            throw error
        }
    }
}
