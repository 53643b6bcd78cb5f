/// Opens the database of a store: a new, existing, damaged or foreign one. A guest only opens an existing one.
struct Opening: Sendable {
    let place: Place
    let files: FileSystem
    let role: Role

    /// Opens a connection that may write to a database with our tables.
    ///
    /// - Parameters:
    ///   - now: The time, read without holding a lock.
    ///   - events: Receives the events to report after all locks are released, even if this throws.
    func open(now: Double, _ events: inout [CacheEvent]) throws -> Database {
        if role.isOwner { try files.makeFolder(place.folder) } else { try findDatabase() }
        return try FileLock.holding(place.lock, creates: role.isOwner, on: files) {
            try openLocked(role, now: now, &events)
        }
    }

    /// Replaces a damaged database and opens its successor, unless another process has replaced it.
    ///
    /// - Parameters:
    ///   - file: The identity of the damaged file when it was opened.
    ///   - now: The time, read without holding a lock.
    ///   - events: Receives the events to report after all locks are released, even if this throws.
    func replace(
        _ file: FileStatus.Identity?, reason: String, now: Double, _ events: inout [CacheEvent]
    ) throws -> Database {
        if role.isOwner { try files.makeFolder(place.folder) }
        return try FileLock.holding(place.lock, creates: role.isOwner, on: files) {
            guard let file, FileStatus(of: place.database)?.identity == file else {
                return try openLocked(role, now: now, &events)
            }
            try setAside(reason: reason, &events)
            return try openLocked(role.successor, now: now, &events)
        }
    }

    /// Throws if the folder cannot be written to and has no readable database.
    func checkFrozen() throws {
        let database = try Database.frozen(place.database)
        let isReadable =
            switch (try Schema.state(of: database), role) {
            case (.current, .owner(let version)):
                try database.integer("SELECT application FROM total") == version
            case (.current, .guest): true
            default: false
            }
        if !isReadable { throw CacheError.readOnly(place.folder) }
    }

    private func openLocked(_ role: Role, now: Double, _ events: inout [CacheEvent]) throws -> Database {
        if role.isOwner { try files.makeFolder(place.index) }
        do {
            if let database = try connectTwice(role, now: now, &events) { return database }
        } catch let failure as SQLiteFailure where failure.isDamage {
            try setAside(reason: "the database was damaged (\(failure.message))", &events)
        }
        try files.makeFolder(place.index)
        guard let database = try connect(role.successor, now: now, &events) else {
            throw CacheError(.damaged, "The database in \(place.index) cannot be replaced. Remove that folder.")
        }
        return database
    }

    /// Calls `connect`, and retries once if it finds damage, because the read itself may have failed, or if another process has
    /// deleted a file of SQLite meanwhile.
    private func connectTwice(_ role: Role, now: Double, _ events: inout [CacheEvent]) throws -> Database? {
        do {
            return try connect(role, now: now, &events)
        } catch let failure as SQLiteFailure where failure.isDamage || failure.isOvertaken {
            return try connect(role, now: now, &events)
        }
    }

    /// Opens a connection. Returns nil if the existing file had to be set aside.
    private func connect(_ role: Role, now: Double, _ events: inout [CacheEvent]) throws -> Database? {
        if role.isOwner { try place.protectDatabase(files) }
        let database = try Database(place.database, role.isOwner ? .owner : .reader, timeout: LockTimeout.writer)
        switch (try Schema.state(of: database), role) {
        case (.empty, .owner(let version)):
            try Schema.create(in: database, applicationVersion: version, now: now)
        case (.current, .owner(let version)):
            _ = try Totals(in: database)
            try adopt(database, applicationVersion: version, &events)
        case (.current, .guest):
            _ = try Totals(in: database)
        case (.empty, .guest):
            throw CacheError(.invalid, "The database \(place.database) is empty. Open it in its application first.")
        case (.foreign(let reason), .guest):
            throw CacheError(.invalid, "\(place.database) cannot be read: \(reason).")
        case (.foreign(let reason), .owner):
            let aside = try place.setAside(files)
            events.append(.outdated(reason: "\(reason); it is in \(aside)"))
            return nil
        }
        return database
    }

    /// Empties a database that another version of the application has filled.
    private func adopt(
        _ database: Database, applicationVersion: Int64, _ events: inout [CacheEvent]
    ) throws {
        guard let version = try database.integer("SELECT application FROM total"), version != applicationVersion else {
            return
        }
        try database.writing {
            for sql in Statements.clearing { try database.run(sql) }
            try Schema.renewHistory(of: database)
            try database.execute(
                "UPDATE total SET count=0, bytes=0, pinned_count=0, pinned_bytes=0, hand=0, lap=0, application=\(applicationVersion)"
            )
        }
        events.append(
            .outdated(reason: "version \(version) of the application wrote it, this is version \(applicationVersion)"))
    }

    private func findDatabase() throws {
        if try files.status(place.database) != nil { return }
        if try files.status(place.folder) == nil {
            throw CacheError(.invalid, "There is no folder \(place.folder). Check the path.")
        }
        let setAside = try place.setAsides(files)
        let remark = setAside.isEmpty ? "" : " A damaged one was set aside, in \(setAside.joined(separator: ", "))."
        throw CacheError(
            .invalid,
            "There is no store in \(place.folder): it has no index/entries.sqlite. Check the path.\(remark)")
    }

    private func setAside(reason: String, _ events: inout [CacheEvent]) throws {
        guard role.mayRepair else {
            throw CacheError(.damaged, "The store in \(place.folder) was not changed: \(reason). Allow repairs.")
        }
        let aside = try place.setAside(files)
        events.append(.reset(reason: reason, setAside: URL(fileURLWithPath: aside, isDirectory: true)))
    }
}

/// The time to wait for readers before the log is emptied on a full volume.
///
/// A reader that blocks this is waited for once, and not for each change that fails.
struct LogTimeout: Equatable {
    private static let once: Int32 = 250

    private(set) var milliseconds = once

    /// Records whether the log could be emptied.
    mutating func note(isEmptied: Bool) {
        milliseconds = isEmptied ? Self.once : LockTimeout.inline
    }
}

/// The times to wait for a lock, in milliseconds.
enum LockTimeout {
    /// On the caller's thread: no wait.
    static let inline: Int32 = 0
    /// On a thread for blocking work.
    static let reader: Int32 = 10_000
    static let writer: Int32 = 10_000
}
