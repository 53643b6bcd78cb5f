/// The size of a disk store, as it counts towards the limits.
struct DiskFill: Hashable, Sendable {
    /// The bytes that an entry counts for besides its key, facts and body: the approximate overhead of storing it.
    static let overhead = 128

    /// The number of entries.
    var count = 0

    /// The bytes of all entries.
    var bytes = 0

    /// The number of pinned entries.
    var pinnedCount = 0

    /// The number of bytes of pinned entries.
    var pinnedBytes = 0
}
