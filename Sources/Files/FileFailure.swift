import TangoPlatform

/// A system call on a file that failed.
package struct FileFailure: Error, Equatable {
    /// A kind of call, for messages and for tests that make one fail.
    package enum Call: String, Sendable {
        case open, create, read, write, synchronize, rename, remove, list, lock, protect
        case status = "examine"
        case makeFolder = "create the folder"

        /// A Boolean value that indicates whether the call changes anything.
        package var changes: Bool {
            switch self {
            case .open, .read, .status, .list, .lock: false
            case .create, .write, .synchronize, .rename, .remove, .makeFolder, .protect: true
            }
        }
    }

    package let error: SystemError
    package let call: Call
    package let path: String

    package init(_ number: CInt, _ call: Call, _ path: String) {
        error = SystemError(number: number)
        self.call = call
        self.path = path
    }

    package var number: CInt { error.number }

    package static func notAFile(_ path: String) -> FileFailure { FileFailure(EINVAL, .open, path) }

    /// A Boolean value that indicates whether the file or its folder does not exist.
    package var isMissing: Bool { number == ENOENT }

    /// A Boolean value that indicates whether a file cannot be renamed, because the new name is on another disk.
    package var isOnOtherDisk: Bool { number == EXDEV }

    /// A Boolean value that indicates whether a lock was not free in time.
    package var isBusy: Bool { call == .lock && number == ETIMEDOUT }

    /// A sentence without its full stop.
    package var problem: String {
        if isBusy { return "another process has locked \(path) for too long: end that process" }
        return "cannot \(call == .synchronize ? "write" : call.rawValue) \(path): \(error.text). "
            + "Check the folder, its permissions and the space on the disk"
    }
}

/// The error number of a failed system call.
package struct SystemError: Error, Equatable, CustomStringConvertible {
    /// The value of `errno`.
    package let number: CInt

    package init(number: CInt) {
        self.number = number
    }

    /// The text of the system.
    package var text: String { strerror(number).map { String(cString: $0) } ?? "error \(number)" }

    package var description: String { "\(text) (\(number))" }
}
