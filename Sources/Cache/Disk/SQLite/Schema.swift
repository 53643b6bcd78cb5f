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

    enum State {
        case empty
        case current
        /// Another version of Tango, or another program, has written it.
        case foreign(String)
    }

    static func state(of database: Database) throws -> State {
        let application = try database.integer("PRAGMA application_id") ?? 0
        let version = try database.integer("PRAGMA user_version") ?? 0
        if application == Self.application, version > 0 {
            guard version == Self.version else {
                return .foreign("it was written by another version of Tango, in format \(version)")
            }
            try verify(database)
            return .current
        }
        let tables = try database.integer("SELECT count(*) FROM sqlite_master") ?? 0
        if tables == 0 { return .empty }
        return .foreign("the database was not created by Tango")
    }

    /// Throws if the tables differ from the original definitions by any letter. A damaged definition may still be valid
    /// but have another meaning. For example, a table without its primary key accepts changes that change nothing.
    private static func verify(_ database: Database) throws {
        let statement = try database.statement("SELECT sql FROM sqlite_master")
        defer { statement.reset() }
        var found: Set<String> = []
        while try statement.step() { found.insert(String(decoding: statement.bytes(0), as: UTF8.self)) }
        guard found == Set(tables) else {
            throw SQLiteFailure(code: SQLiteFailure.damaged, message: "its tables differ from those of this format")
        }
    }

    static func create(in database: Database, applicationVersion: Int64, now: Double) throws {
        try database.execute("PRAGMA page_size=4096")
        try database.execute("PRAGMA journal_mode=WAL")
        try database.writing {
            // If the folder was removed together with its lock, two processes may reach this at once.
            guard try database.integer("SELECT count(*) FROM sqlite_master") == 0 else { return }
            for statement in tables { try database.execute(statement) }
            try database.execute("INSERT INTO total VALUES (1, 0, 0, 0, 0, 0, 0, \(now), \(applicationVersion))")
            try beginHistory(of: database)
            try database.execute("PRAGMA application_id=\(application)")
            try database.execute("PRAGMA user_version=\(version)")
        }
    }

    /// Begins the history anew in a transaction: all former moments are unknown.
    static func renewHistory(of database: Database) throws {
        try database.execute("DELETE FROM removal")
        try database.execute("DELETE FROM change")
        try database.execute("DELETE FROM history")
        try beginHistory(of: database)
    }

    private static func beginHistory(of database: Database) throws {
        try database.execute("INSERT INTO history VALUES (1, \(Int64.random(in: 1 ... .max)), 0)")
    }

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
        // Keys of one line are not in it.
        "CREATE INDEX entry_line ON entry (substr(key, 1, instr(key, x'0a'))) WHERE instr(key, x'0a') > 0",
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
