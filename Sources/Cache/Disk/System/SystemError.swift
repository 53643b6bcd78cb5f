#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The error number of a failed system call, as the cause of a ``CacheError``.
struct SystemError: Error, Hashable, CustomStringConvertible {
    /// The value of `errno`.
    let number: CInt

    var description: String {
        strerror(number).map { "\(String(cString: $0)) (\(number))" } ?? "error \(number)"
    }

    /// A remedy for the error.
    var advice: String {
        switch number {
        case EACCES, EPERM: "Check that this process may read the folder and the files in it."
        case EMFILE, ENFILE: "Close some files, or raise the limit of the process."
        case ENOTDIR: "Check that every part of the path but the last is a folder."
        case ENAMETOOLONG: "Choose a folder with a shorter path."
        default: "Check the volume. The store is unchanged."
        }
    }
}

extension CacheError {
    /// Creates the error of a store for a failed call.
    init(_ number: CInt, _ call: FileSystem.Call, _ path: String) {
        let cause = SystemError(number: number)
        let (code, advice): (Code, String) =
            switch number {
            case ENOSPC, EDQUOT, EFBIG:
                (.diskFull, "Free some space on the volume, or give the store smaller limits.")
            case EROFS where call.changes, EACCES where call.changes, EPERM where call.changes:
                (.readOnly, "Choose a folder that this process may write to, or change its permissions.")
            default: (.system, cause.advice)
            }
        self.init(code, "\(call.phrase) \(path) failed: \(cause). \(advice)", underlying: cause)
    }
}
