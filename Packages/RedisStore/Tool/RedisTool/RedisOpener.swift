import CacheTool
import RedisStore
import TangoCache

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Opens stores on Redis and Valkey servers, and the folders of disk stores.
public struct RedisOpener: ToolOpener {
    private let sources: RedisPlace.Sources

    init(_ sources: RedisPlace.Sources) {
        self.sources = sources
    }

    /// The environment and the files of the process.
    public enum Origin: Sendable {
        case process
    }

    /// Creates an opener.
    ///
    /// - Parameter origin: The origin of passwords and secrets.
    public init(_ origin: Origin) {
        self.init(
            RedisPlace.Sources(
                variable: { ProcessInfo.processInfo.environment[$0] },
                file: { try Data(contentsOf: URL(filePath: $0)) }))
    }

    public var name: String { "tango-cache-redis" }

    public var help: String {
        """
        FOLDER may also be the address of a server:
          redis://user@host:6379/0?prefix=app&version=3
          unix:///run/redis.sock?prefix=app
        The password is in the variable \(RedisPlace.password), or in the file of ?password-file=PATH.
        The secret of enciphered keys is in \(RedisPlace.keySecret), or in the file of ?key-secret-file=PATH.
        """
    }

    public nonisolated(nonsending) func open(
        _ place: String, repairs: Bool, onEvent: @escaping @Sendable (CacheEvent) -> Void
    ) async throws -> any ToolStore {
        guard RedisPlace.isAddress(place) else {
            return try await FolderOpener().open(place, repairs: repairs, onEvent: onEvent)
        }
        let configuration = try RedisPlace(place, sources).configuration
        return OpenRedis(store: try RedisStore(configuration, onEvent: onEvent))
    }

    public func advice(for place: String) -> String {
        RedisPlace.isAddress(place)
            ? "It counts as missing, and the next set replaces it." : FolderOpener().advice(for: place)
    }
}

/// A store on a server, as the tool uses it.
private struct OpenRedis: ToolStore {
    let store: RedisStore

    func everything() -> CacheEntries { store.entries() }

    nonisolated(nonsending) func items(for keys: [CacheKey]) async throws -> [CacheItem] {
        var items: [CacheItem] = []
        for key in keys {
            if let reader = try await store.reader(for: key) { items.append(reader.item) }
        }
        return items
    }

    nonisolated(nonsending) func reader(for key: CacheKey) async throws -> CacheReader? {
        try await store.reader(for: key)
    }

    nonisolated(nonsending) func removeEntries(for keys: [CacheKey]) async throws -> Int {
        try await store.removeEntries(for: keys)
    }

    nonisolated(nonsending) func removeEntries(in selection: ToolSelection) async throws -> Int {
        switch selection {
        case .tagged(let tag): return try await store.remove(tag: tag)
        case .prefixed(let prefix): return try await store.remove(prefix: prefix)
        case .all, .olderThan, .expired:
            var keys: [CacheKey] = []
            for try await item in store.entries() where selection.contains(item) { keys.append(item.key) }
            guard case .all = selection else { return try await store.removeEntries(for: keys) }
            try await store.removeAll()
            return keys.count
        }
    }

    nonisolated(nonsending) func toolStatistics() async throws -> ToolStatistics {
        var statistics = ToolStatistics(kind: ("redis", "Redis"))
        let now = Date()
        for try await item in store.entries() { statistics.count(item, at: now) }
        let configuration = store.configuration
        statistics.members = [
            ("prefix", .text(configuration.prefix)), ("database", .number(configuration.database)),
            ("applicationVersion", .number(configuration.version)),
        ]
        statistics.facts = [
            ("prefix", configuration.prefix), ("database", "\(configuration.database)"),
            ("application version", "\(configuration.version)"),
        ]
        return statistics
    }

    nonisolated(nonsending) func toolVerification(repair: Bool) async throws -> CacheVerification {
        throw UsageError(
            "verify checks the files of a folder, and a server has none: each read of the store verifies the entry, and a "
                + "damaged one counts as missing.")
    }

    nonisolated(nonsending) func close() async {
        store.close()
    }
}
