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

    /// A Boolean value that indicates whether it is a file, and not a folder, a link or a device.
    let isRegular: Bool

    /// A Boolean value that indicates whether it is a folder, and not a link to one.
    let isFolder: Bool

    /// A Boolean value that indicates whether it is a symbolic link.
    let isLink: Bool

    /// A Boolean value that indicates whether other users may read it or write to it.
    let isOpenToOthers: Bool

    /// The numbers of its user and its group.
    let owner: uid_t
    let group: gid_t

    init(_ status: stat) {
        size = Int(clamping: status.st_size)
        isRegular = status.st_mode & S_IFMT == S_IFREG
        isFolder = status.st_mode & S_IFMT == S_IFDIR
        isLink = status.st_mode & S_IFMT == S_IFLNK
        isOpenToOthers = status.st_mode & 0o077 != 0
        owner = status.st_uid
        group = status.st_gid
    }
}
