#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension CacheStore where Self == TieredStore {
    /// The store of this application: memory in front of a folder in the user's cache folder, found by the identity of
    /// the application.
    ///
    /// The folder is opened at the first use. If it cannot be used, what is stored is kept in memory only, and
    /// ``CacheEvents/onEvent`` hears why.
    public static var shared: TieredStore { TieredStore.application }
}

extension TieredStore {
    fileprivate static let application = TieredStore(over: LazyStore { try DiskStore(directory: .applicationCache) })
}

extension URL {
    /// The folder for the caches of this application.
    ///
    /// On Apple platforms it is named after the bundle; elsewhere after the executable, in the folder that the XDG base
    /// directory specification names.
    static var applicationCache: URL {
        get throws {
            #if canImport(Darwin)
                let caches = try FileManager.default.url(
                    for: .cachesDirectory, in: .userDomainMask, appropriateFor: nil, create: true)
                let identity = Bundle.main.bundleIdentifier ?? executableName
            #else
                let caches = caches(in: ProcessInfo.processInfo.environment)
                let identity = executableName
            #endif
            return caches.appendingPathComponent(identity, isDirectory: true)
                .appendingPathComponent("Tango", isDirectory: true)
        }
    }

    /// The user's cache folder, as the environment says.
    static func caches(in environment: [String: String]) -> URL {
        if let folder = environment["XDG_CACHE_HOME"], folder.hasPrefix("/") {
            return URL(fileURLWithPath: folder, isDirectory: true)
        }
        if let home = environment["HOME"], home.hasPrefix("/") {
            return URL(fileURLWithPath: home, isDirectory: true).appendingPathComponent(".cache", isDirectory: true)
        }
        return FileManager.default.temporaryDirectory
    }

    private static var executableName: String {
        let name = CommandLine.arguments.first?.split(separator: "/").last.map(String.init)
        return name ?? "unnamed"
    }
}
