/// The size of a store, and its counters since it was opened.
public struct CacheStatistics: Hashable, Sendable {
    /// The number of entries, including expired ones that have not been removed yet.
    public var count: Int

    /// The bytes that count towards the limit.
    public var bytes: Int

    /// The number of pinned entries.
    public var pinnedCount: Int

    /// The number of bytes of pinned entries.
    public var pinnedBytes: Int

    /// The number of reads that found an entry.
    public var hits: Int

    /// The number of reads that found none.
    public var misses: Int

    /// The number of entries evicted, or removed because of their age.
    public var evictions: Int

    /// The number of damaged entries found and removed.
    public var damaged: Int

    /// Creates statistics with these numbers.
    public init(
        count: Int = 0, bytes: Int = 0, pinnedCount: Int = 0, pinnedBytes: Int = 0, hits: Int = 0, misses: Int = 0,
        evictions: Int = 0, damaged: Int = 0
    ) {
        self.count = count
        self.bytes = bytes
        self.pinnedCount = pinnedCount
        self.pinnedBytes = pinnedBytes
        self.hits = hits
        self.misses = misses
        self.evictions = evictions
        self.damaged = damaged
    }

    /// The fraction of reads that found an entry, from 0 to 1; nil before the first read.
    public var hitRatio: Double? {
        hits + misses == 0 ? nil : Double(hits) / Double(hits + misses)
    }
}
