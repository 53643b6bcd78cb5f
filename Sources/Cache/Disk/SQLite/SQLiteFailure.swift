#if canImport(Darwin)
    import SQLite3
#else
    import TangoCSQLite
#endif
#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// What SQLite answered instead of OK.
struct SQLiteFailure: Error {
    /// The extended result code.
    let code: Int32
    let message: String

    /// The `errno` behind a file that cannot be opened; zero if it is not known.
    var system: CInt = 0

    /// What a connection has answered last, which was this code. The message may quote a damaged file, so it is made
    /// printable.
    init(_ code: Int32, of handle: OpaquePointer?) {
        let extended = sqlite3_extended_errcode(handle)
        self.code = extended & 0xff == code & 0xff ? extended : code
        message = sqlite3_errmsg(handle).map { String(cString: $0).printable } ?? ""
        system = code & 0xff == SQLITE_CANTOPEN ? sqlite3_system_errno(handle) : 0
    }

    init(code: Int32, message: String) {
        self.code = code
        self.message = message
    }

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

    /// Whether the file cannot be opened. The reason may be anything: the permissions, too many open files, no folder.
    var isUnopened: Bool { primary == SQLITE_CANTOPEN }

    /// Whether the file, its log or its folder cannot be written to.
    var isReadOnly: Bool {
        primary == SQLITE_READONLY || primary == SQLITE_PERM
            || isUnopened && [EACCES, EPERM, EROFS].contains(system)
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
            } else if failure.system != 0 {
                (.system, SystemError(number: failure.system).advice)
            } else {
                (.system, "Check the volume.")
            }
        let cause = failure.system == 0 ? "" : ": \(SystemError(number: failure.system))"
        self.init(
            code, "SQLite reports \"\(failure.message)\" (\(failure.code)) for \(path)\(cause). \(advice)",
            underlying: failure)
    }
}
