/// What a store holds, and what it has done since it was opened.
public struct CacheStatistics: Hashable, Sendable {
    /// The number of entries, including those that have expired but have not been removed yet.
    public var count: Int

    /// The bytes that count towards the limit.
    public var bytes: Int

    /// How many of the entries are pinned.
    public var pinnedCount: Int

    /// How many of the bytes belong to pinned entries.
    public var pinnedBytes: Int

    /// Reads that found an entry.
    public var hits: Int

    /// Reads that found none.
    public var misses: Int

    /// Entries removed to make room, or because of their age.
    public var evictions: Int

    /// Entries found damaged, and removed.
    public var damaged: Int

    /// The statistics with these numbers.
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

    /// The share of reads that found an entry, from 0 to 1; nil before the first read.
    public var hitRatio: Double? {
        hits + misses == 0 ? nil : Double(hits) / Double(hits + misses)
    }
}
