import TangoPlatform

/// The folder for the caches of this application.
///
/// On Apple platforms it has the name of the bundle. On other platforms it has the name of the executable, and is in
/// the folder of the XDG base directory specification. Without a home folder it is below the folder for temporary
/// files.
struct ApplicationFolder {
    /// The folders on the path, from the first one that must belong to this user to the folder itself.
    let path: [String]

    /// The user who must own all of them.
    var user = geteuid()

    init(caches: URL, isShared: Bool, identity: String) {
        let application = caches.appendingPathComponent(identity, isDirectory: true)
        let folder = application.appendingPathComponent("Tango", isDirectory: true)
        path = (isShared ? [caches] : []).map(\.path) + [application.path, folder.path]
    }

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

    /// Creates the folder of a process with this environment.
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

    var folder: String { path.last ?? "" }

    /// Creates the folder. Throws if another user owns it or a folder on its path.
    func make() throws -> URL {
        for path in path { try OwnedFolder(path: path, user: user).make() }
        return URL(fileURLWithPath: folder, isDirectory: true)
    }

    /// Returns whether the folder may contain entries that a store of this user has stored.
    var mayHoldEntries: Bool {
        let files = FileSystem()
        do {
            for path in path {
                guard let status = try files.status(path, following: true) else { return false }
                // This user stored nothing in the folder of another user.
                if status.owner != user || !status.isFolder { return false }
            }
            return try files.status(Place(folder: folder).database) != nil
        } catch {
            // A file has nothing below it. Any other folder that cannot be read may contain entries.
            return ((error as? CacheError)?.underlying as? SystemError)?.number != ENOTDIR
        }
    }

    private static var executableName: String {
        let name = CommandLine.arguments.first?.split(separator: "/").last.map(String.init)
        return name ?? "unnamed"
    }
}
