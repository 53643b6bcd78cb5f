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

/// The folder for the caches of this application.
///
/// On Apple platforms it is named after the bundle; elsewhere after the executable, in the folder that the XDG base directory
/// specification names. Without a home it is below the folder for temporary files.
struct ApplicationFolder {
    /// The folders that lead to it, from the first one that belongs to this user alone to the folder itself.
    let path: [String]

    /// The user that all of them must belong to.
    var user = geteuid()

    init(caches: URL, isShared: Bool, identity: String) {
        let application = caches.appendingPathComponent(identity, isDirectory: true)
        let folder = application.appendingPathComponent("Tango", isDirectory: true)
        path = (isShared ? [caches] : []).map(\.path) + [application.path, folder.path]
    }

    /// The one of this process.
    static var current: ApplicationFolder {
        get throws {
            #if canImport(Darwin)
                let caches = try FileManager.default.url(
                    for: .cachesDirectory, in: .userDomainMask, appropriateFor: nil, create: true)
                return ApplicationFolder(
                    caches: caches, isShared: false, identity: Bundle.main.bundleIdentifier ?? executableName)
            #else
                return ApplicationFolder(
                    environment: ProcessInfo.processInfo.environment, temporary: FileManager.default.temporaryDirectory)
            #endif
        }
    }

    /// The one of a process with this environment.
    init(environment: [String: String], temporary: URL) {
        if let folder = environment["XDG_CACHE_HOME"], folder.hasPrefix("/") {
            self.init(
                caches: URL(fileURLWithPath: folder, isDirectory: true), isShared: false, identity: Self.executableName)
        } else if let home = environment["HOME"], home.hasPrefix("/") {
            let caches = URL(fileURLWithPath: home, isDirectory: true).appendingPathComponent(
                ".cache", isDirectory: true)
            self.init(caches: caches, isShared: false, identity: Self.executableName)
        } else {
            // Other users write to the folder for temporary files too, so each user has a folder there.
            let caches = temporary.appendingPathComponent("caches-\(geteuid())", isDirectory: true)
            self.init(caches: caches, isShared: true, identity: Self.executableName)
        }
    }

    /// The path of the folder itself.
    var folder: String { path.last ?? "" }

    /// Makes the folder, and throws if another user owns it or one of those that lead to it.
    func make() throws -> URL {
        for path in path { try OwnedFolder(path: path, user: user).make() }
        return URL(fileURLWithPath: folder, isDirectory: true)
    }

    /// Whether entries may be there that a store of this user has stored.
    var mayHoldEntries: Bool {
        let files = FileSystem()
        do {
            for path in path {
                guard let status = try files.status(path, following: true) else { return false }
                // What lies in the folder of another user was not stored by this one.
                if status.owner != user || !status.isFolder { return false }
            }
            return try !Place(folder: folder).enginesFound(files).isEmpty
        } catch {
            // Nothing lies below what is not a folder. Whatever else cannot be looked at may hold entries.
            return ((error as? CacheError)?.underlying as? SystemError)?.number != ENOTDIR
        }
    }

    private static var executableName: String {
        let name = CommandLine.arguments.first?.split(separator: "/").last.map(String.init)
        return name ?? "unnamed"
    }
}
