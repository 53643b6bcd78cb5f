import TangoPlatform

/// A folder that must belong to the user of this process.
///
/// In a folder that others may write to, such as the one for temporary files, another user could create it first. That
/// user could then read and replace the stored entries.
struct OwnedFolder {
    let path: String
    var user = geteuid()

    /// A Boolean value that indicates whether the administrator may own it too.
    var mayBelongToRoot = false

    /// The end of the error if another user owns the folder.
    var advice = "Remove it, or set XDG_CACHE_HOME to a folder of yours."

    var files = FileSystem()

    /// Creates the folder if it is missing. Throws if another user owns it or has created a link in its place.
    func make() throws {
        try files.makeFolder(path)
        try check()
    }

    /// Throws if the folder exists, and another user owns it or has created a link in its place.
    func check() throws {
        guard let status = try files.status(path) else { return }
        try check(status)
        if status.isLink { try check(try files.status(path, following: true)) }
    }

    private func check(_ status: FileStatus?) throws {
        guard let status else {
            throw CacheError(.system, "\(path) is a link to a folder that does not exist. Remove the link.")
        }
        guard status.owner == user || mayBelongToRoot && status.owner == 0 else {
            throw CacheError(.readOnly, "Another user owns the folder \(path). \(advice)")
        }
        guard status.isFolder || status.isLink else {
            throw CacheError(.system, "\(path) is a file, and a folder is needed there. Remove the file.")
        }
    }
}
