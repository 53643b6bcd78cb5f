/// A selection of entries to remove.
package enum Selection: Sendable {
    /// All entries.
    case all

    /// The entries that have a tag.
    case tagged(String)

    /// The entries whose key begins with a prefix.
    case prefixed(CacheKey)

    /// The entries written before a date.
    case olderThan(Date)

    /// The entries that have expired at a date.
    case expired(Date)

    /// Returns whether an entry belongs to the selection.
    package func contains(_ item: CacheItem) -> Bool {
        switch self {
        case .all: true
        case .tagged(let tag): item.tags.containsBytes(of: tag)
        case .prefixed(let prefix): item.key.hasPrefix(prefix)
        case .olderThan(let date): item.written < date
        case .expired(let date): item.expires.map { $0 <= date } ?? false
        }
    }
}
