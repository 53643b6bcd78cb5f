import TangoCache

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A filter for entries. An entry matches if all conditions that are set hold.
struct Filter {
    var prefix: CacheKey?
    var tag: String?
    var largerThan: Int?
    /// The lowest age, in seconds.
    var olderThan: Double?
    var isExpired = false
    var isPinned = false

    func accepts(_ item: CacheItem, at now: Date) -> Bool {
        if let prefix, !item.key.hasPrefix(prefix) { return false }
        if let tag, !item.tags.containsBytes(of: tag) { return false }
        if let largerThan, item.size <= largerThan { return false }
        if let olderThan, now.timeIntervalSince(item.written) <= olderThan { return false }
        if isExpired, !item.hasExpired(at: now) { return false }
        return item.pinned || !isPinned
    }
}

extension CacheItem {
    func hasExpired(at now: Date) -> Bool {
        expires.map { $0 <= now } ?? false
    }
}
