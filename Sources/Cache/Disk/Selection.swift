/// A selection of entries to remove.
package enum Selection: Sendable {
    /// The entries that a removal concerns, which is recorded in the history.
    case removal(CacheChange)

    case olderThan(Date)
    case expired(Date)

    package func contains(_ item: CacheItem) -> Bool {
        switch self {
        case .removal(let removal): removal.concerns(item.key, tags: item.tags)
        case .olderThan(let date): item.written < date
        case .expired(let date): item.expires.map { $0 <= date } ?? false
        }
    }
}
