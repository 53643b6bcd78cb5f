import TangoCache

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The sizes of a store, and facts that only this kind of store has.
public struct ToolStatistics: Sendable {
    /// A fact in JSON documents.
    public enum Value: Sendable {
        case text(String?)
        case number(Int?)
        case texts([String])
    }

    /// The kind of the store: its name in JSON documents, and the name that users read.
    public var kind: (name: String, title: String)

    /// The number of entries.
    public var count = 0

    /// The size of the entries, as it counts towards the limits.
    public var bytes = 0

    /// The number of pinned entries.
    public var pinnedCount = 0

    /// The size of the pinned entries.
    public var pinnedBytes = 0

    /// The number of entries that have expired and are not removed yet.
    public var expiredCount = 0

    /// The time of the oldest entry.
    public var oldest: Date?

    /// The time of the newest entry.
    public var newest: Date?

    /// More members of the JSON document.
    public var members: [(name: String, value: Value)] = []

    /// More lines of the text.
    public var facts: [(name: String, value: String)] = []

    /// Creates the statistics of an empty store.
    public init(kind: (name: String, title: String)) {
        self.kind = kind
    }

    /// Counts an entry.
    ///
    /// - Parameters:
    ///   - item: The entry.
    ///   - now: The time at which an entry may have expired.
    public mutating func count(_ item: CacheItem, at now: Date) {
        count += 1
        bytes += item.size
        if item.pinned {
            pinnedCount += 1
            pinnedBytes += item.size
        }
        if item.hasExpired(at: now) { expiredCount += 1 }
        oldest = min(oldest ?? item.written, item.written)
        newest = max(newest ?? item.written, item.written)
    }
}
