/// What ``DiskStore/verify(repair:progress:)`` has found.
public struct CacheVerification: Sendable {
    /// An entry that is not what was written.
    public struct Damage: Sendable {
        /// The key, as far as it can be trusted; nil where it cannot be read.
        public var key: CacheKey?

        /// What is wrong with it, as the end of a sentence about the entry.
        public var reason: String

        /// A damaged entry.
        public init(key: CacheKey?, reason: String) {
            self.key = key
            self.reason = reason
        }
    }

    /// How many entries were read, the damaged ones among them.
    public var checked = 0

    /// How many bytes their bodies have.
    public var bytes = 0

    /// The entries that are not what was written.
    public var damaged: [Damage] = []

    /// What is wrong with the store as a whole, such as a database with broken pages.
    public var structure: [String] = []

    /// Files that killed processes have left. They do no harm, and the store removes them by itself in time.
    public var orphanedFiles = 0

    /// How many of the damaged entries were removed. Others have been replaced in the meantime.
    public var removed = 0

    /// A verification that has found nothing so far.
    public init() {}

    /// Whether nothing is damaged.
    public var isSound: Bool { damaged.isEmpty && structure.isEmpty }
}
