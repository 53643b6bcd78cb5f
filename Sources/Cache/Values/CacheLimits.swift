/// How much a store may hold, and for how long. What is nil is not limited.
///
/// ```swift
/// let limits = CacheLimits(bytes: 256 << 20, count: 100_000, age: .seconds(7 * 86_400))
/// ```
public struct CacheLimits: Hashable, Sendable {
    /// How many bytes all entries together may have: bodies, keys, metadata, and what it takes to keep them.
    public var bytes: Int?

    /// How many entries there may be.
    public var count: Int?

    /// How long ago an entry may have been written. Older ones are not returned, and are removed in time.
    public var age: Duration?

    /// Limits by size, number and age, each as far as it is given.
    public init(bytes: Int? = nil, count: Int? = nil, age: Duration? = nil) {
        self.bytes = bytes
        self.count = count
        self.age = age
    }

    /// No limits: for stores whose content is bounded by other means.
    public static let unlimited = CacheLimits()
}
