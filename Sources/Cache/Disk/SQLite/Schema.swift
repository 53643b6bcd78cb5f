/// The tables of a store, and the marks that distinguish it from other databases.
///
/// `entry` has its rows in the order in which they were written, so that new ones are appended. One index is on the
/// hash of the key. The others find the entries by the first line of their keys, and expired entries. `touched` has the rows that were read since the hand of the clock
/// last visited them. It is a separate table, because changing a row that holds a body is expensive. `tag` finds
/// entries by tag. `total` is one row of sums that changes in the same transactions as the rows.
///
/// `removal` has the last removals, so that a response which was requested before one is not stored after it. `change`
/// has other changes while another store follows them. `history` has the row that belongs to both.
enum Schema {
    /// "Tngo", in the header of the file.
    static let application: Int64 = 0x546e_676f

    /// The version of the format that this code reads and writes.
    static let version: Int64 = 3

    /// The version without an index of first lines, in whose history the checksums omit the numbers. It can be read, and is
    /// upgraded when a store opens it.
    static let withoutLines: Int64 = 2

    /// The version that also has no history.
    static let withoutHistory: Int64 = 1

    enum State {
        /// The database has no tables.
        case empty
        case current
        /// A former version has written it.
        case former
        /// Another version of Tango, or another program, has written it.
        case foreign(String)
    }

    static func state(of database: Database) throws -> State {
        let application = try database.integer("PRAGMA application_id") ?? 0
        let version = try database.integer("PRAGMA user_version") ?? 0
        if application == Self.application {
            switch version {
            case Self.version:
                try verify(database, tables + historyTables + [lineIndex])
                return .current
            case withoutLines:
                try verify(database, tables + historyTables)
                return .former
            case withoutHistory:
                try verify(database, tables)
                return .former
            default: break
            }
            if version > 0 { return .foreign("it was written by another version of Tango, in format \(version)") }
        }
        let tables = try database.integer("SELECT count(*) FROM sqlite_master") ?? 0
        if tables == 0 { return .empty }
        return .foreign("the database was not created by Tango")
    }

    /// Returns whether a database of Tango has the present format.
    static func isCurrent(_ database: Database) throws -> Bool {
        try database.integer("PRAGMA user_version") == version
    }

    /// Throws if the tables differ from the original definitions by any letter. A damaged definition may still be valid
    /// but have another meaning. For example, a table without its primary key accepts changes that change nothing.
    private static func verify(_ database: Database, _ tables: [String]) throws {
        let statement = try database.statement("SELECT sql FROM sqlite_master")
        defer { statement.reset() }
        var found: Set<[UInt8]> = []
        while try statement.step() { found.insert(Array(statement.bytes(0))) }
        guard found == Set(tables.map { Array($0.utf8) }) else {
            throw SQLiteFailure(code: SQLiteFailure.damaged, message: "its tables differ from those of this format")
        }
    }

    static func create(in database: Database, applicationVersion: Int64, now: Double) throws {
        try database.execute("PRAGMA page_size=4096")
        try database.execute("PRAGMA journal_mode=WAL")
        try database.begin()
        do {
            // If the folder was removed together with its lock, two processes may reach this at once.
            guard try database.integer("SELECT count(*) FROM sqlite_master") == 0 else { return database.rollback() }
            for statement in tables { try database.execute(statement) }
            try database.execute("INSERT INTO total VALUES (1, 0, 0, 0, 0, 0, 0, \(now), \(applicationVersion))")
            try database.execute("PRAGMA application_id=\(application)")
            try addHistory(to: database)
            try addLines(to: database)
            try database.commit()
        } catch {
            database.rollback()
            throw error
        }
    }

    /// Adds to a database of a former version what it lacks. Its history begins anew.
    static func upgrade(_ database: Database) throws {
        try database.begin()
        do {
            switch try database.integer("PRAGMA user_version") {
            case withoutHistory:
                try addHistory(to: database)
                try addLines(to: database)
            case withoutLines:
                try renewHistory(of: database)
                try addLines(to: database)
            default: break
            }
            try database.commit()
        } catch {
            database.rollback()
            throw error
        }
    }

    /// Adds the tables of the history in a transaction.
    static func addHistory(to database: Database) throws {
        for statement in historyTables { try database.execute(statement) }
        try database.execute("INSERT INTO history VALUES (1, \(newIncarnation()), 0)")
        try database.execute("PRAGMA user_version=\(withoutLines)")
    }

    /// Adds the index of first lines in a transaction.
    private static func addLines(to database: Database) throws {
        try database.execute(lineIndex)
        try database.execute("PRAGMA user_version=\(version)")
    }

    /// Begins the history anew in a transaction: all former moments are unknown.
    static func renewHistory(of database: Database) throws {
        try database.execute("DELETE FROM removal")
        try database.execute("DELETE FROM change")
        try database.execute("DELETE FROM history")
        try database.execute("INSERT INTO history VALUES (1, \(newIncarnation()), 0)")
    }

    private static func newIncarnation() -> Int64 { .random(in: 1 ... .max) }

    private static let tables = [
        """
        CREATE TABLE entry (
            id INTEGER PRIMARY KEY,
            hash INTEGER NOT NULL,
            flags INTEGER NOT NULL,
            length INTEGER NOT NULL,
            written REAL NOT NULL,
            expires REAL,
            file INTEGER,
            checksum INTEGER NOT NULL,
            key BLOB NOT NULL,
            facts BLOB,
            body BLOB
        )
        """,
        "CREATE UNIQUE INDEX entry_hash ON entry (hash)",
        "CREATE INDEX entry_expires ON entry (expires) WHERE expires IS NOT NULL",
        "CREATE TABLE touched (id INTEGER PRIMARY KEY)",
        "CREATE TABLE tag (name BLOB NOT NULL, id INTEGER NOT NULL, PRIMARY KEY (name, id)) WITHOUT ROWID",
        """
        CREATE TABLE total (
            id INTEGER PRIMARY KEY,
            count INTEGER NOT NULL,
            bytes INTEGER NOT NULL,
            pinned_count INTEGER NOT NULL,
            pinned_bytes INTEGER NOT NULL,
            hand INTEGER NOT NULL,
            lap INTEGER NOT NULL,
            maintained REAL NOT NULL,
            application INTEGER NOT NULL
        )
        """,
    ]
    /// Keys of one line are not in it.
    private static let lineIndex = """
        CREATE INDEX entry_line ON entry (substr(key, 1, instr(key, x'0a'))) WHERE instr(key, x'0a') > 0
        """
    private static let historyTables = [
        "CREATE TABLE history (id INTEGER PRIMARY KEY, incarnation INTEGER NOT NULL, followed REAL NOT NULL)",
        """
        CREATE TABLE removal (
            number INTEGER PRIMARY KEY,
            origin INTEGER NOT NULL,
            kind INTEGER NOT NULL,
            checksum INTEGER NOT NULL,
            name BLOB NOT NULL
        )
        """,
        """
        CREATE TABLE change (
            number INTEGER PRIMARY KEY,
            origin INTEGER NOT NULL,
            kind INTEGER NOT NULL,
            checksum INTEGER NOT NULL,
            name BLOB NOT NULL
        )
        """,
    ]
}
