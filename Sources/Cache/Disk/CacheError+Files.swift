import TangoPlatform

extension FileSystem {
    /// The files of stores, whose failures are a ``CacheError``.
    init(fault: Fault? = nil) {
        self.init(error: { failure in CacheError(failure) }, fault: fault)
    }
}

extension SystemError {
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
    init(_ failure: FileFailure) {
        if failure.isBusy {
            self.init(.busy, "Another process has locked \(failure.path) for too long. End that process.")
            return
        }
        let (code, advice): (Code, String) =
            switch failure.number {
            case ENOSPC, EDQUOT, EFBIG:
                (.diskFull, "Free some space on the volume, or give the store smaller limits.")
            case EROFS where failure.call.changes, EACCES where failure.call.changes, EPERM where failure.call.changes:
                (.readOnly, "Choose a folder that this process may write to, or change its permissions.")
            default: (.system, failure.error.advice)
            }
        self.init(
            code, "\(failure.call.phrase) \(failure.path) failed: \(failure.error). \(advice)",
            underlying: failure.error)
    }
}

extension FileFailure.Call {
    /// The beginning of a message about the call.
    fileprivate var phrase: String {
        switch self {
        case .open: "Opening"
        case .create: "Creating"
        case .read: "Reading"
        case .write, .synchronize: "Writing to"
        case .status: "Examining"
        case .rename: "Renaming a file to"
        case .remove: "Removing"
        case .list: "Listing"
        case .makeFolder: "Making the folder"
        case .protect: "Changing the mode or the owner of"
        case .lock: "Locking"
        }
    }
}
