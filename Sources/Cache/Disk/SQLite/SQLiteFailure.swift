#if canImport(Darwin)
    import SQLite3
#else
    import TangoCSQLite
#endif

/// What SQLite answered instead of OK.
struct SQLiteFailure: Error {
    /// The extended result code.
    let code: Int32
    let message: String

    /// The code of what our own reading finds wrong.
    static let damaged = SQLITE_CORRUPT

    // Extensions of SQLITE_IOERR, whose names are macros that Swift does not see.
    private var shortRead: Int32 { 2 }
    private var wrongData: Int32 { 32 }
    private var damagedFileSystem: Int32 { 33 }
    private var write: Int32 { 3 }
    private var growingSharedMemory: Int32 { 19 }

    /// The code without its extension.
    var primary: Int32 { code & 0xff }

    /// Whether the file is at fault, and not the moment.
    ///
    /// Our statements are fixed and cannot violate a constraint or name a column that is not there: if they do, the schema
    /// is not the one that was written.
    var isDamage: Bool {
        switch primary {
        case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_ERROR, SQLITE_CONSTRAINT, SQLITE_MISMATCH, SQLITE_TOOBIG,
            SQLITE_FORMAT, SQLITE_EMPTY, SQLITE_INTERNAL:
            true
        case SQLITE_IOERR: [shortRead, wrongData, damagedFileSystem].contains(code >> 8)
        default: false
        }
    }

    var isBusy: Bool {
        [SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL].contains(primary)
    }

    /// SQLite knows that a volume is full, but neither a quota that is used up nor a limit of the process: then it says
    /// no more than that a write has failed.
    var isFull: Bool {
        primary == SQLITE_FULL || primary == SQLITE_IOERR && [write, growingSharedMemory].contains(code >> 8)
    }

    /// Whether SQLite takes the file for read-only, and not the folder or its log.
    var isPlainReadOnly: Bool { code == SQLITE_READONLY }

    var isReadOnly: Bool {
        [SQLITE_READONLY, SQLITE_CANTOPEN, SQLITE_PERM].contains(primary)
    }
}

extension CacheError {
    /// What a user is told of a failure.
    init(_ failure: SQLiteFailure, at path: String) {
        let (code, advice): (Code, String) =
            if failure.isFull {
                (.diskFull, "Free some space on the volume: the store goes on serving what it has.")
            } else if failure.isBusy {
                (.busy, "Another process holds its lock: try again, or end that process.")
            } else if failure.isDamage {
                (.damaged, "The store could not be set aside: remove its folder.")
            } else if failure.isReadOnly {
                (.readOnly, "Check that this process may write to the folder and the files in it.")
            } else {
                (.system, "Check the volume.")
            }
        self.init(
            code, "SQLite reports \"\(failure.message)\" (\(failure.code)) for \(path). \(advice)", underlying: failure)
    }
}
