#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The status of a file.
struct FileStatus: Sendable {
    /// The number of bytes.
    let size: Int

    /// The time at which the file was written or touched, on the scale of `Date.timeIntervalSinceReferenceDate`.
    let modified: Double

    /// A Boolean value that indicates whether it is a file, and not a folder, a link or a device.
    let isRegular: Bool

    /// A Boolean value that indicates whether its owner may write to it.
    let isWritable: Bool

    /// A Boolean value that indicates whether it is a folder, and not a link to one.
    let isFolder: Bool

    /// A Boolean value that indicates whether it is a symbolic link.
    let isLink: Bool

    /// A Boolean value that indicates whether other users may read it or write to it.
    let isOpenToOthers: Bool

    /// The numbers of its user and its group.
    let owner: uid_t
    let group: gid_t

    private let inode: UInt64
    private let device: UInt64

    init(_ status: stat) {
        #if canImport(Darwin)
            let time = status.st_mtimespec
        #else
            let time = status.st_mtim
        #endif
        size = Int(clamping: status.st_size)
        modified =
            Double(time.tv_sec) - Date.timeIntervalBetween1970AndReferenceDate + Double(time.tv_nsec) * 1e-9
        isRegular = status.st_mode & S_IFMT == S_IFREG
        isWritable = status.st_mode & S_IWUSR != 0
        isFolder = status.st_mode & S_IFMT == S_IFDIR
        isLink = status.st_mode & S_IFMT == S_IFLNK
        isOpenToOthers = status.st_mode & 0o077 != 0
        owner = status.st_uid
        group = status.st_gid
        inode = UInt64(truncatingIfNeeded: status.st_ino)
        device = UInt64(truncatingIfNeeded: status.st_dev)
    }

    /// Returns whether both belong to one file, which may have been touched in between.
    func isSameFile(as other: FileStatus) -> Bool {
        hasSameIdentity(as: other) && size == other.size
    }

    /// Returns whether two statuses belong to one file, whatever its size was.
    func hasSameIdentity(as other: FileStatus) -> Bool {
        inode == other.inode && device == other.device
    }
}

extension timespec {
    /// Converts a date to the system's form. A date that the system cannot represent becomes the nearest that it can.
    init(_ date: Date) {
        let seconds = date.timeIntervalSince1970
        let whole = seconds.rounded(.down)
        let limit: Double = MemoryLayout<time_t>.size < 8 ? 2e9 : 1e11
        if whole > -limit, whole < limit {
            self.init(tv_sec: .init(whole), tv_nsec: .init(min(999_999_999, (seconds - whole) * 1e9)))
        } else {
            self.init(tv_sec: .init(whole > 0 ? limit : -limit), tv_nsec: 0)
        }
    }
}
