/// A change that another process has made to a shared store.
public enum CacheChange: Hashable, Sendable {
    /// The entry under a key was stored or removed.
    case key(CacheKey)

    /// The entries whose keys begin with a prefix were removed.
    case prefix(CacheKey)

    /// The entries with a tag were removed.
    case tag(String)

    /// All entries were removed, or changes may have been missed. Copies of entries must be forgotten.
    case all
}

extension CacheChange {
    /// Returns whether the removal of this concerns an entry.
    package func concerns(_ key: CacheKey, tags: Set<String>) -> Bool {
        switch self {
        case .all: true
        case .key(let removed): removed == key
        case .prefix(let prefix): key.hasPrefix(prefix)
        case .tag(let tag): tags.containsBytes(of: tag)
        }
    }
}

extension CacheStore {
    /// Removes the entries that a change concerns.
    package nonisolated(nonsending) func remove(_ change: CacheChange) async throws {
        switch change {
        case .all: try await removeAll()
        case .key(let key): try await remove(key)
        case .prefix(let prefix): try await remove(prefix: prefix)
        case .tag(let tag): try await remove(tag: tag)
        }
    }
}

extension MemoryStore {
    /// Removes the entries that a change concerns.
    package func drop(_ change: CacheChange) {
        switch change {
        case .all: dropAll()
        case .key(let key): drop(key)
        case .prefix(let prefix): drop(prefix: prefix)
        case .tag(let tag): drop(tag: tag)
        }
    }
}
