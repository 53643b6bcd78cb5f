import TangoCache

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Opens the folders of disk stores.
public struct FolderOpener: ToolOpener {
    public init() {}

    public nonisolated(nonsending) func open(
        _ place: String, repairs: Bool, onEvent: @escaping @Sendable (CacheEvent) -> Void
    ) async throws -> any ToolStore {
        let schemes = ["redis:", "rediss:", "unix:", "valkey:"]
        guard !schemes.contains(where: { place.lowercased().hasPrefix($0 + "//") }) else {
            // The address may contain a password.
            throw CacheError(
                .invalid,
                "This is the address of a server, and this tango-cache opens folders only. The one of the package RedisStore, "
                    + "in the folder Packages/RedisStore of Tango, opens both: swift run --package-path Packages/RedisStore "
                    + "tango-cache-redis help.")
        }
        let folder = URL(filePath: place, directoryHint: .isDirectory)
        return OpenFolder(store: try DiskStore(existing: folder, repairs: repairs, onEvent: onEvent))
    }

    public func advice(for place: String) -> String { "verify --repair removes it." }
}

/// A disk store, as the tool uses it.
private struct OpenFolder: ToolStore {
    let store: DiskStore

    func everything() -> CacheEntries { store.everything() }

    nonisolated(nonsending) func items(for keys: [CacheKey]) async throws -> [CacheItem] {
        try await store.items(for: keys)
    }

    nonisolated(nonsending) func reader(for key: CacheKey) async throws -> CacheReader? {
        try await store.reader(for: key)
    }

    nonisolated(nonsending) func removeEntries(for keys: [CacheKey]) async throws -> Int {
        try await store.removeEntries(for: keys)
    }

    nonisolated(nonsending) func removeEntries(in selection: ToolSelection) async throws -> Int {
        try await store.remove(Selection(selection))
    }

    nonisolated(nonsending) func toolVerification(repair: Bool) async throws -> CacheVerification {
        try await store.verify(repair: repair)
    }

    nonisolated(nonsending) func toolStatistics() async throws -> ToolStatistics {
        let found = try await store.inspect()
        var statistics = ToolStatistics(kind: ("sqlite", "SQLite"))
        statistics.count = found.statistics.count
        statistics.bytes = found.statistics.bytes
        statistics.pinnedCount = found.statistics.pinnedCount
        statistics.pinnedBytes = found.statistics.pinnedBytes
        statistics.expiredCount = found.expiredCount
        statistics.oldest = found.oldest
        statistics.newest = found.newest
        statistics.members = [
            ("bytesOnDisk", .number(found.bytesOnDisk)),
            ("logBytes", .number(found.logBytes)),
            ("bodyFiles", .number(found.bodyFiles)),
            ("bodyBytes", .number(found.bodyBytes)),
            ("orphanedFiles", .number(found.orphanedFiles)),
            ("setAside", .texts(found.setAside)),
            ("applicationVersion", .number(found.applicationVersion)),
            ("formatVersion", .number(found.formatVersion)),
        ]
        statistics.facts = [
            ("on disk", Human.size(found.bytesOnDisk)),
            ("log", Human.size(found.logBytes)),
            ("files of bodies", "\(found.bodyFiles), \(Human.size(found.bodyBytes))"),
            ("orphaned files", "\(found.orphanedFiles)"),
            ("set aside", found.setAside.isEmpty ? "nothing" : found.setAside.joined(separator: ", ")),
        ]
        if let version = found.applicationVersion { statistics.facts.append(("application version", "\(version)")) }
        if let version = found.formatVersion { statistics.facts.append(("format version", "\(version)")) }
        return statistics
    }

    nonisolated(nonsending) func close() async {
        await store.close()
    }
}
