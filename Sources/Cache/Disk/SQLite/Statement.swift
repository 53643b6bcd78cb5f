#if canImport(Darwin)
    import SQLite3
#else
    import TangoCSQLite
#endif

/// A prepared statement of a ``Database``, used repeatedly.
///
/// Bytes are bound without a copy, so they must stay valid until the statement is reset. Bind, step and reset inside
/// the closure that provides them.
struct Statement {
    let pointer: OpaquePointer

    // MARK: Parameters

    @inline(__always)
    func bind(_ value: UInt64, at index: Int32) {
        sqlite3_bind_int64(pointer, index, Int64(bitPattern: value))
    }

    @inline(__always)
    func bind(_ value: Int64?, at index: Int32) {
        if let value { sqlite3_bind_int64(pointer, index, value) } else { bindNull(at: index) }
    }

    @inline(__always)
    func bind(_ value: Double?, at index: Int32) {
        if let value { sqlite3_bind_double(pointer, index, value) } else { bindNull(at: index) }
    }

    @inline(__always)
    func bind(lending bytes: UnsafeRawBufferPointer, at index: Int32) {
        if let start = bytes.baseAddress, bytes.count > 0 {
            sqlite3_bind_blob64(pointer, index, start, UInt64(bytes.count), nil)
        } else {
            sqlite3_bind_zeroblob(pointer, index, 0)
        }
    }

    @inline(__always)
    func bindNull(at index: Int32) {
        sqlite3_bind_null(pointer, index)
    }

    // MARK: Running

    @inline(__always)
    func step() throws -> Bool {
        switch sqlite3_step(pointer) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code: throw failure(code)
        }
    }

    /// Ends the statement, releases its lock, and removes the bound bytes.
    @inline(__always)
    func reset() {
        sqlite3_reset(pointer)
        sqlite3_clear_bindings(pointer)
    }

    /// Runs a statement and ignores its rows.
    func run() throws {
        defer { reset() }
        while try step() {}
    }

    func integers() throws -> [Int64] {
        var integers: [Int64] = []
        while try step() { integers.append(integer(0)) }
        return integers
    }

    private func failure(_ code: Int32) -> SQLiteFailure {
        SQLiteFailure(code, of: sqlite3_db_handle(pointer))
    }

    // MARK: Columns

    @inline(__always)
    func integer(_ column: Int32) -> Int64 {
        sqlite3_column_int64(pointer, column)
    }

    @inline(__always)
    func optionalInteger(_ column: Int32) -> Int64? {
        sqlite3_column_type(pointer, column) == SQLITE_NULL ? nil : integer(column)
    }

    @inline(__always)
    func real(_ column: Int32) -> Double {
        sqlite3_column_double(pointer, column)
    }

    @inline(__always)
    func optionalReal(_ column: Int32) -> Double? {
        sqlite3_column_type(pointer, column) == SQLITE_NULL ? nil : real(column)
    }

    /// Returns the bytes of a column, valid until the next step or reset.
    @inline(__always)
    func bytes(_ column: Int32) -> UnsafeRawBufferPointer {
        let start = sqlite3_column_blob(pointer, column)
        return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(pointer, column)))
    }
}
