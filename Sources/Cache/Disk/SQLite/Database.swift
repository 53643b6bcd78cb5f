#if canImport(Darwin)
    import SQLite3
#else
    import TangoCSQLite
#endif

/// A connection to a database. Its owner ensures that one thread uses it at a time.
///
/// @unchecked: it moves between threads, always from one owner to the next through a lock.
final class Database: @unchecked Sendable {
    enum Mode {
        /// Reads and writes, and creates missing files.
        case owner
        /// Reads. The file is opened for writing, because the log and its index need that.
        case reader
        /// Reads in a folder that this process cannot write to.
        case frozen
        /// Reads in a folder that no process can write to, without a log.
        case immutable
    }

    private let handle: OpaquePointer
    private var statements: [UnsafePointer<UInt8>: Statement] = [:]

    /// The number of pages in the log after the last commit of this connection.
    private let logPages: UnsafeMutablePointer<Int32>

    /// The reason why SQLite cannot be used; nil if it can.
    ///
    /// Evaluated at each opening, because loading the library may fail once and succeed later.
    static var problem: String? {
        #if !canImport(Darwin)
            if let reason = tango_sqlite_load() { return String(cString: reason) }
        #endif
        if sqlite3_libversion_number() < 3_024_000 { return "SQLite is older than 3.24" }
        if sqlite3_threadsafe() == 0 { return "this SQLite was built for single-threaded use" }
        return nil
    }

    /// Opens a file.
    ///
    /// - Parameters:
    ///   - timeout: The time to wait for a lock, in milliseconds.
    ///   - pageCache: The part of the file to keep in memory while it does not change, in KiB.
    init(_ path: String, _ mode: Mode, timeout: Int32, pageCache: Int = 2048) throws {
        // SQLite's functions cannot be called before the library is loaded.
        if let problem = Self.problem { throw CacheError(sqliteProblem: problem) }
        var opened: OpaquePointer?
        let flags: Int32 =
            switch mode {
            case .owner: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
            case .reader: SQLITE_OPEN_READWRITE
            case .frozen: SQLITE_OPEN_READONLY
            case .immutable: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
            }
        let name = mode == .immutable ? "file:\(Self.escaped(path))?immutable=1" : path
        let code = sqlite3_open_v2(name, &opened, flags | SQLITE_OPEN_NOMUTEX, nil)
        guard let opened else { throw SQLiteFailure(code: code, message: "out of memory") }
        handle = opened
        logPages = .allocate(capacity: 1)
        logPages.initialize(to: 0)
        sqlite3_extended_result_codes(handle, 1)
        guard code == SQLITE_OK else { throw failure(code) }
        sqlite3_busy_timeout(handle, timeout)
        var on: Int32 = 1
        // Otherwise the last connection to a database that was set aside would remove the log of its successor, which
        // has the same name.
        sqlite3_file_control(handle, "main", SQLITE_FCNTL_PERSIST_WAL, &on)
        sqlite3_wal_hook(
            handle,
            { context, _, _, pages in
                context?.assumingMemoryBound(to: Int32.self).pointee = pages
                return SQLITE_OK
            }, logPages)
        try run("PRAGMA synchronous=NORMAL")
        try execute("PRAGMA cache_size=-\(pageCache)")
        try run("PRAGMA mmap_size=0")
        // Removed entries are overwritten: they may be private.
        try run("PRAGMA secure_delete=ON")
        try run("PRAGMA cell_size_check=ON")
        try run("PRAGMA trusted_schema=OFF")
        try run("PRAGMA journal_size_limit=8388608")
    }

    deinit {
        for statement in statements.values { sqlite3_finalize(statement.pointer) }
        sqlite3_close_v2(handle)
        logPages.deallocate()
    }

    /// Opens a connection that reads in a folder that cannot be written to.
    ///
    /// SQLite needs the index of the log, which it cannot create there. If the index is missing, the log must be empty.
    static func frozen(_ path: String) throws -> Database {
        do {
            return try Database(path, .frozen, timeout: LockTimeout.reader)
        } catch let failure as SQLiteFailure where failure.isReadOnly || failure.isUnopened {
            guard FileStatus(of: path) != nil, FileStatus(of: path + "-wal")?.size ?? 0 == 0 else { throw failure }
            return try Database(path, .immutable, timeout: LockTimeout.reader)
        }
    }

    private static func escaped(_ path: String) -> String {
        path.utf8.reduce(into: "") { text, byte in
            switch byte {
            case UInt8(ascii: "?"), UInt8(ascii: "#"), UInt8(ascii: "%"), 0x80...:
                text += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
            default: text.unicodeScalars.append(Unicode.Scalar(byte))
            }
        }
    }

    func wait(upTo milliseconds: Int32) {
        sqlite3_busy_timeout(handle, milliseconds)
    }

    // MARK: Statements

    /// Returns the statement with this text, which is prepared at its first use and reused.
    @inline(never)
    func statement(_ sql: StaticString) throws -> Statement {
        if let statement = statements[sql.utf8Start] { return statement }
        let statement = try prepare(sql.utf8Start, length: sql.utf8CodeUnitCount, keep: true)
        statements[sql.utf8Start] = statement
        return statement
    }

    /// Runs a statement without parameters, which is reused.
    func run(_ sql: StaticString) throws {
        try statement(sql).run()
    }

    /// Runs a statement once.
    func execute(_ sql: String) throws {
        var sql = sql
        try sql.withUTF8 { text in
            guard let start = text.baseAddress else { return }
            let statement = try prepare(start, length: text.count, keep: false)
            defer { sqlite3_finalize(statement.pointer) }
            while try statement.step() {}
        }
    }

    /// Returns the first column of the first row of a statement without parameters, or nil if there is no row.
    func integer(_ sql: StaticString) throws -> Int64? {
        let statement = try statement(sql)
        defer { statement.reset() }
        return try statement.step() ? statement.integer(0) : nil
    }

    private func prepare(_ text: UnsafePointer<UInt8>, length: Int, keep: Bool) throws -> Statement {
        var statement: OpaquePointer?
        let code = text.withMemoryRebound(to: CChar.self, capacity: length) { text in
            sqlite3_prepare_v3(
                handle, text, Int32(length), keep ? UInt32(SQLITE_PREPARE_PERSISTENT) : 0, &statement, nil)
        }
        guard let statement else { throw failure(code) }
        return Statement(pointer: statement)
    }

    private func failure(_ code: Int32) -> SQLiteFailure {
        SQLiteFailure(code, of: handle)
    }

    var lastRow: Int64 { sqlite3_last_insert_rowid(handle) }

    // MARK: Transactions

    /// Begins a transaction that may write.
    func begin() throws {
        try run("BEGIN IMMEDIATE")
    }

    func commit() throws {
        try run("COMMIT")
    }

    /// Rolls back the transaction, unless SQLite has done so.
    func rollback() {
        guard sqlite3_get_autocommit(handle) == 0, let statement = try? statement("ROLLBACK") else { return }
        // It fails only if there is no transaction any more.
        _ = sqlite3_step(statement.pointer)
        statement.reset()
    }

    /// Makes changes that become visible together, or none of them.
    func writing(_ work: () throws -> Void) throws {
        try begin()
        do {
            try work()
            try commit()
        } catch {
            rollback()
            throw error
        }
    }

    /// Reads several values from one snapshot.
    func reading<Result>(_ body: () throws -> Result) throws -> Result {
        try run("BEGIN")
        defer { rollback() }
        return try body()
    }

    // MARK: The file and its log

    /// A Boolean value that indicates whether another file has the name of the opened one.
    var hasMoved: Bool {
        var moved: Int32 = 0
        sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &moved)
        return moved != 0
    }

    /// The length of the log after the last commit, in pages.
    var logLength: Int { Int(logPages.pointee) }

    /// Copies the log to the file, as far as no other connection blocks this.
    func checkpoint() throws {
        _ = try checkpoint(SQLITE_CHECKPOINT_PASSIVE)
    }

    /// Empties the log, and waits for readers as long as the connection may. Returns false if a reader blocks it.
    @discardableResult
    func emptyLog() throws -> Bool {
        try checkpoint(SQLITE_CHECKPOINT_TRUNCATE)
    }

    private func checkpoint(_ mode: Int32) throws -> Bool {
        let code = sqlite3_wal_checkpoint_v2(handle, nil, mode, nil, nil)
        if code == SQLITE_OK { return true }
        guard code & 0xff == SQLITE_BUSY || code & 0xff == SQLITE_LOCKED else { throw failure(code) }
        return false
    }
}
