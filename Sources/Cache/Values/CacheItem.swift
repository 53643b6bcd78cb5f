/// An entry in a listing: everything but its body.
public struct CacheItem: Sendable {
    /// The key of the entry.
    public var key: CacheKey

    /// The number of bytes of the body.
    public var size: Int

    /// The time at which the entry was stored.
    public var written: Date

    /// The date from which the store no longer returns the entry. Nil: never.
    public var expires: Date?

    /// Small facts about the bytes, such as their headers.
    public var metadata: [String: String]

    /// Names for removing entries together.
    public var tags: Set<String>

    /// A Boolean value that indicates whether the entry is exempt from eviction.
    public var pinned: Bool

    /// Creates a listed entry.
    public init(
        key: CacheKey, size: Int, written: Date, expires: Date? = nil, metadata: [String: String] = [:],
        tags: Set<String> = [], pinned: Bool = false
    ) {
        self.key = key
        self.size = size
        self.written = written
        self.expires = expires
        self.metadata = metadata
        self.tags = tags
        self.pinned = pinned
    }

    /// Creates the listing of an entry. If it has no time of writing, that is now.
    public init(key: CacheKey, entry: CacheEntry) {
        self.init(
            key: key, size: entry.body.count, written: entry.written ?? Date(), expires: entry.expires,
            metadata: entry.metadata, tags: entry.tags, pinned: entry.pinned)
    }
}
