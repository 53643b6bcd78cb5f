import TangoPlatform

/// The status of a file. Two that differ reveal a change.
package struct FileStatus: Equatable, Sendable {
    /// The identity of a file, independent of its name.
    package struct Identity: Hashable, Sendable {
        package let disk: UInt64
        package let number: UInt64
    }

    private struct Time: Equatable {
        let seconds: Int
        let nanoseconds: Int

        init(_ time: timespec) {
            seconds = Int(time.tv_sec)
            nanoseconds = Int(time.tv_nsec)
        }
    }

    package let identity: Identity

    /// The number of bytes.
    package let size: Int

    /// The numbers of its user and its group.
    package let owner: uid_t
    package let group: gid_t

    private let mode: mode_t
    private let names: Int
    private let modified: Time
    private let changed: Time

    package init(_ status: stat) {
        // Numbers of files may use all 64 bits.
        identity = Identity(
            disk: UInt64(truncatingIfNeeded: status.st_dev), number: UInt64(truncatingIfNeeded: status.st_ino))
        size = Int(clamping: status.st_size)
        owner = status.st_uid
        group = status.st_gid
        mode = status.st_mode
        names = Int(status.st_nlink)
        #if canImport(Darwin)
            (modified, changed) = (Time(status.st_mtimespec), Time(status.st_ctimespec))
        #else
            (modified, changed) = (Time(status.st_mtim), Time(status.st_ctim))
        #endif
    }

    /// Returns nil if there is no such file, or if its status cannot be read.
    ///
    /// The file is not opened: closing it would release the locks that SQLite has on it in this process.
    ///
    /// - Parameter isFollowed: Follows a symbolic link.
    package init?(of path: String, following isFollowed: Bool = true) {
        var status = stat()
        guard (isFollowed ? stat(path, &status) : lstat(path, &status)) == 0 else { return nil }
        self.init(status)
    }

    /// Returns nil if the descriptor is not open.
    package init?(of descriptor: CInt) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }

    /// A Boolean value that indicates whether it is a file, and not a folder, a link or a device.
    package var isRegular: Bool { mode & S_IFMT == S_IFREG }

    /// A Boolean value that indicates whether it is a folder, and not a link to one.
    package var isFolder: Bool { mode & S_IFMT == S_IFDIR }

    /// A Boolean value that indicates whether it is a symbolic link.
    package var isLink: Bool { mode & S_IFMT == S_IFLNK }

    /// A Boolean value that indicates whether other users may read it or write to it.
    package var isOpenToOthers: Bool { mode & 0o077 != 0 }

    /// A Boolean value that indicates whether it belongs to the user of this process.
    package var isOwn: Bool { owner == geteuid() }

    /// A Boolean value that indicates whether the file has a second name.
    package var hasOtherName: Bool { names > 1 }

    /// The time of the last change of its bytes, in seconds since 1970.
    package var seconds: Int { modified.seconds }

    /// A text of the properties that reveal a change of the bytes of an open file while it is sent.
    ///
    /// A file that another one replaces is not changed: the open one still has its bytes.
    package var version: String { "\(size) \(modified.seconds) \(modified.nanoseconds)" }
}

/// A path with the status of its file, which reveals a change.
package struct FileStamp: Equatable, Sendable {
    package let path: String
    private let status: FileStatus?

    package init(_ path: String) {
        self.path = path
        status = FileStatus(of: path)
    }
}
