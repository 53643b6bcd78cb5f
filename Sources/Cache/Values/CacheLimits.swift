/// The limits of a store. A limit that is nil does not apply.
///
/// ```swift
/// let limits = CacheLimits(bytes: 256 << 20, count: 100_000, age: .seconds(7 * 86_400))
/// ```
public struct CacheLimits: Hashable, Sendable {
    /// The highest size of all entries: bodies, keys, metadata and overhead, in bytes.
    public var bytes: Int?

    /// The highest number of entries.
    public var count: Int?

    /// The highest age of an entry. Older entries are not returned, and are removed in time.
    public var age: Duration?

    /// Creates limits of size, count and age.
    public init(bytes: Int? = nil, count: Int? = nil, age: Duration? = nil) {
        self.bytes = bytes
        self.count = count
        self.age = age
    }

    /// No limits, for stores whose content is bounded by other means.
    public static let unlimited = CacheLimits()
}
