#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A folder that must belong to the user of this process.
///
/// Below a folder that others may write to, such as the one for temporary files, another user could have made it first, and
/// would read and replace what is stored there.
struct OwnedFolder {
    let path: String

    /// The user that the folder must belong to.
    var user = geteuid()

    var files = FileSystem()

    /// Makes the folder if it is missing, and throws if it belongs to another user, or is a link that another user made.
    func make() throws {
        try files.makeFolder(path)
        guard let status = try files.status(path) else { return }
        try check(status)
        if status.isLink { try check(try files.status(path, following: true)) }
    }

    private func check(_ status: FileStatus?) throws {
        guard let status else {
            throw CacheError(.system, "\(path) is a link to a folder that is not there: remove it.")
        }
        guard status.owner == user else {
            throw CacheError(
                .readOnly,
                "The folder \(path) belongs to another user: remove it, or set XDG_CACHE_HOME to a folder of yours."
            )
        }
        guard status.isFolder || status.isLink else {
            throw CacheError(.system, "\(path) is not a folder: remove it.")
        }
    }
}
