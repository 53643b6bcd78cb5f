import TangoPlatform

#if canImport(Darwin)
    import SQLite3
#else
    import TangoCSQLite
#endif

/// A result code of SQLite other than OK.
struct SQLiteFailure: Error {
    let code: Int32
    let message: String

    /// The `errno` of a file that cannot be opened; zero if it is unknown.
    var system: CInt = 0

    /// Creates the failure from the last result of a connection. The message may quote a damaged file, so unprintable
    /// characters are replaced.
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

    /// The code for damage that our own reading finds.
    static let damaged = SQLITE_CORRUPT

    // Extensions of SQLITE_IOERR, whose names are macros that Swift does not see.
    private var shortRead: Int32 { 2 }
    private var wrongData: Int32 { 32 }
    private var damagedFileSystem: Int32 { 33 }
    private var write: Int32 { 3 }
    private var growingSharedMemory: Int32 { 19 }
    private var deletedMeanwhile: Int32 { 23 }

    var primary: Int32 { code & 0xff }

    /// A Boolean value that indicates whether the file is damaged, in contrast to a temporary failure.
    ///
    /// Our statements are fixed. They cannot violate a constraint or name a missing column unless the schema is
    /// damaged.
    var isDamage: Bool {
        switch primary {
        case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_ERROR, SQLITE_CONSTRAINT, SQLITE_MISMATCH, SQLITE_TOOBIG,
            SQLITE_FORMAT, SQLITE_EMPTY, SQLITE_INTERNAL:
            true
        case SQLITE_IOERR: [shortRead, wrongData, damagedFileSystem].contains(code >> 8)
        default: false
        }
    }

    /// A Boolean value that indicates whether another connection is in the way, so that a later try may succeed.
    var isBusy: Bool {
        [SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL].contains(primary) || isOvertaken
    }

    /// A Boolean value that indicates whether another process has just deleted a log or a journal that SQLite was about to
    /// delete. That happens while an empty database is opened or created. The next try finds no such file.
    var isOvertaken: Bool {
        primary == SQLITE_IOERR && code >> 8 == deletedMeanwhile
    }

    /// A Boolean value that indicates whether the volume is full. SQLite reports an exhausted quota or limit of the
    /// process only as a failed write.
    var isFull: Bool {
        primary == SQLITE_FULL || primary == SQLITE_IOERR && [write, growingSharedMemory].contains(code >> 8)
    }

    /// A Boolean value that indicates whether SQLite considers the file read-only, but not the folder or its log.
    var isPlainReadOnly: Bool { code == SQLITE_READONLY }

    /// A Boolean value that indicates whether the file cannot be opened. Possible causes are permissions, too many open
    /// files or a missing folder.
    var isUnopened: Bool { primary == SQLITE_CANTOPEN }

    /// A Boolean value that indicates whether the file, its log or its folder cannot be written to.
    var isReadOnly: Bool {
        primary == SQLITE_READONLY || primary == SQLITE_PERM
            || isUnopened && [EACCES, EPERM, EROFS].contains(system)
    }
}

extension CacheError {
    init(_ failure: SQLiteFailure, at path: String) {
        let (code, advice): (Code, String) =
            if failure.isFull {
                (.diskFull, "Free some space on the volume. The store can still be read.")
            } else if failure.isBusy {
                (.busy, "Another process has locked it. Try again, or end that process.")
            } else if failure.isDamage {
                (.damaged, "The store could not be set aside. Remove its folder.")
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
