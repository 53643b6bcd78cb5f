#if canImport(Darwin)
    import SQLite3
#else
    import TangoCSQLite
#endif

/// A connection to a database. One thread uses it at a time: whoever owns it sees to that.
///
/// @unchecked: it travels between threads, always from one owner to the next through a lock.
final class Database: @unchecked Sendable {
    enum Mode {
        /// Reads and writes, and creates what is missing.
        case owner
        /// Reads. The file may be written to all the same: the log and its index need that.
        case reader
        /// Reads where this process cannot write.
        case frozen
        /// Reads where nobody can write, and so without a log.
        case immutable
    }

    private let handle: OpaquePointer
    private var statements: [UnsafePointer<UInt8>: Statement] = [:]

    /// How many pages the log had after the last commit of this connection.
    private let logPages: UnsafeMutablePointer<Int32>

    /// The reason why SQLite cannot be used; nil if it can.
    ///
    /// Asked at each opening, because the library may fail to load at one moment and load at the next.
    static var problem: String? {
        #if !canImport(Darwin)
            if let reason = tango_sqlite_load() { return String(cString: reason) }
        #endif
        if sqlite3_libversion_number() < 3_024_000 { return "SQLite is older than 3.24" }
        if sqlite3_threadsafe() == 0 { return "this SQLite was built for one thread" }
        return nil
    }

    /// Opens a file.
    ///
    /// - Parameters:
    ///   - patience: How many milliseconds to wait for a lock that somebody holds.
    ///   - pageCache: How much of the file to keep in memory, in KiB, as long as nobody writes to it.
    init(_ path: String, _ mode: Mode, patience: Int32, pageCache: Int = 2048) throws {
        // Its functions cannot be called before the library is loaded.
        if let problem = Self.problem { throw CacheError(.system, "SQLite cannot be used: \(problem).") }
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
        sqlite3_busy_timeout(handle, patience)
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
        try run("PRAGMA secure_delete=OFF")
        try run("PRAGMA cell_size_check=ON")
        try run("PRAGMA trusted_schema=OFF")
        try run("PRAGMA journal_size_limit=8388608")
    }

    deinit {
        for statement in statements.values { sqlite3_finalize(statement.pointer) }
        sqlite3_close_v2(handle)
        logPages.deallocate()
    }

    /// A connection that reads in a folder that cannot be written to.
    ///
    /// SQLite needs the index of the log, which it cannot make there: where it is missing, the log has to be empty.
    static func frozen(_ path: String) throws -> Database {
        do {
            return try Database(path, .frozen, patience: Patience.reader)
        } catch let failure as SQLiteFailure where failure.isReadOnly || failure.isUnopened {
            guard FileIdentity(of: path) != nil, FileIdentity.size(of: path + "-wal") ?? 0 == 0 else { throw failure }
            return try Database(path, .immutable, patience: Patience.reader)
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

    /// Waits for a lock that somebody holds for as long as this, from now on.
    func wait(upTo milliseconds: Int32) {
        sqlite3_busy_timeout(handle, milliseconds)
    }

    // MARK: Statements

    /// The statement with this text, prepared at its first use and kept.
    @inline(__always)
    func statement(_ sql: StaticString) throws -> Statement {
        if let statement = statements[sql.utf8Start] { return statement }
        let statement = try prepare(sql.utf8Start, length: sql.utf8CodeUnitCount, keep: true)
        statements[sql.utf8Start] = statement
        return statement
    }

    /// Runs a statement that has no parameters and is kept.
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

    /// The first column of the first row of a statement without parameters; nil if there is no row.
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

    /// The row that was inserted last.
    var lastRow: Int64 { sqlite3_last_insert_rowid(handle) }

    // MARK: Transactions

    /// Begins a transaction that may write.
    func begin() throws {
        try run("BEGIN IMMEDIATE")
    }

    func commit() throws {
        try run("COMMIT")
    }

    /// Undoes the transaction, if SQLite has not done so by itself.
    func rollback() {
        guard sqlite3_get_autocommit(handle) == 0, let statement = try? statement("ROLLBACK") else { return }
        // It can only fail where the transaction is gone already.
        _ = sqlite3_step(statement.pointer)
        statement.reset()
    }

    /// Reads several things as of one moment.
    func reading<Result>(_ body: () throws -> Result) throws -> Result {
        try run("BEGIN")
        defer { rollback() }
        return try body()
    }

    // MARK: The file and its log

    /// Whether the file that was opened is no longer the one of that name.
    var hasMoved: Bool {
        var moved: Int32 = 0
        sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &moved)
        return moved != 0
    }

    /// How long the log was after the last commit, in pages.
    var logLength: Int { Int(logPages.pointee) }

    /// Copies what the log holds to the file, as far as nobody is in the way.
    func checkpoint() throws {
        _ = try checkpoint(SQLITE_CHECKPOINT_PASSIVE)
    }

    /// Empties the log, waiting for readers as long as the connection is patient. False if one was in the way to the end.
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
