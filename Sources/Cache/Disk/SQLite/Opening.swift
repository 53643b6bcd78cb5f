#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Opens the database of a store, whatever is there: none yet, one of ours, a damaged one, or something else.
struct Opening: Sendable {
    let place: Place
    let files: FileSystem
    let applicationVersion: Int64
    let report: @Sendable (CacheEvent) -> Void

    /// A connection that may write, to a database with our tables.
    func open() throws -> Database {
        try files.makeFolder(place.folder)
        return try FolderLock.holding(place.lock) { try openLocked() }
    }

    /// A connection to the successor of a database that was found damaged, unless somebody else has replaced it already.
    ///
    /// - Parameter file: What was there when the damaged one was opened.
    func replace(_ file: FileIdentity?, reason: String) throws -> Database {
        try files.makeFolder(place.folder)
        return try FolderLock.holding(place.lock) {
            if let file, FileIdentity(of: place.database) == file { try setAside(reason: reason) }
            return try openLocked()
        }
    }

    /// Throws if there is nothing that can be read where nothing can be written.
    func checkFrozen() throws {
        let database = try Database.frozen(place.database)
        guard case .current = try Schema.state(of: database),
            try database.integer("SELECT application FROM total") == applicationVersion
        else { throw CacheError.readOnly(place.folder) }
    }

    private func openLocked() throws -> Database {
        try files.makeFolder(place.index)
        do {
            if let database = try connect() { return database }
        } catch let failure as SQLiteFailure where failure.isDamage {
            try setAside(reason: "the database was damaged (\(failure.message))")
        }
        try files.makeFolder(place.index)
        guard let database = try connect() else {
            throw CacheError(.damaged, "The database in \(place.index) cannot be replaced: remove that folder.")
        }
        return database
    }

    /// A connection, or nil if what was there had to be set aside.
    private func connect() throws -> Database? {
        let database = try Database(place.database, .owner, patience: Patience.writer)
        switch try Schema.state(of: database) {
        case .empty:
            try Schema.create(in: database, applicationVersion: applicationVersion)
        case .current:
            try Transaction.prepare(in: database)
            try adopt(database)
        case .foreign(let reason):
            let aside = try place.setAside(files)
            report(.outdated(reason: "\(reason); it is in \(aside)"))
            return nil
        }
        return database
    }

    /// Empties a database that another version of the application has filled.
    private func adopt(_ database: Database) throws {
        guard let version = try database.integer("SELECT application FROM total"), version != applicationVersion else {
            return
        }
        try database.begin()
        do {
            for sql in Statements.clearing { try database.run(sql) }
            try database.execute(
                "UPDATE total SET count=0, bytes=0, pinned_count=0, pinned_bytes=0, hand=0, lap=0, application=\(applicationVersion)"
            )
            try database.commit()
        } catch {
            database.rollback()
            throw error
        }
        report(
            .outdated(reason: "version \(version) of the application wrote it, this is version \(applicationVersion)"))
    }

    private func setAside(reason: String) throws {
        let aside = try place.setAside(files)
        report(.reset(reason: reason, setAside: URL(fileURLWithPath: aside, isDirectory: true)))
    }
}

/// How long to wait for a lock that somebody else holds, in milliseconds.
enum Patience {
    /// On the caller's thread: not at all.
    static let inline: Int32 = 0
    /// On a thread for blocking work.
    static let reader: Int32 = 10_000
    static let writer: Int32 = 10_000
}
