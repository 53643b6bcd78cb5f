#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// An entry of a store as it is listed: everything but its body.
public struct CacheItem: Sendable {
    /// The key of the entry.
    public var key: CacheKey

    /// The number of bytes of the body.
    public var size: Int

    /// When the entry was stored.
    public var written: Date

    /// From when on the store answers as if the entry were not there. Nil: never.
    public var expires: Date?

    /// Small facts about the bytes, such as the headers they came with.
    public var metadata: [String: String]

    /// Names under which entries can be removed together.
    public var tags: Set<String>

    /// Whether the entry stays when the store has to make room.
    public var pinned: Bool

    /// A listed entry.
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

    /// The listing of an entry that is at hand. One without a time of writing counts as written just now.
    public init(key: CacheKey, entry: CacheEntry) {
        self.init(
            key: key, size: entry.body.count, written: entry.written ?? Date(), expires: entry.expires,
            metadata: entry.metadata, tags: entry.tags, pinned: entry.pinned)
    }
}
