/// The findings of ``DiskStore/verify(repair:progress:)``.
public struct CacheVerification: Sendable {
    /// An entry that fails verification.
    public struct Damage: Sendable {
        /// The key, or nil if it cannot be read.
        public var key: CacheKey?

        /// The damage, as the end of a sentence about the entry.
        public var reason: String

        /// Creates a damaged entry.
        public init(key: CacheKey?, reason: String) {
            self.key = key
            self.reason = reason
        }
    }

    /// The number of entries read, including damaged ones.
    public var checked = 0

    /// The size of their bodies in bytes.
    public var bytes = 0

    /// The damaged entries.
    public var damaged: [Damage] = []

    /// Damage of the store as a whole, such as broken pages of the database.
    public var structure: [String] = []

    /// The number of files that killed processes have left. They are harmless, and the store removes them in time.
    public var orphanedFiles = 0

    /// The number of damaged entries removed. The others were replaced in the meantime.
    public var removed = 0

    /// Creates a verification without findings.
    public init() {}

    /// A Boolean value that indicates whether nothing is damaged.
    public var isSound: Bool { damaged.isEmpty && structure.isEmpty }
}
