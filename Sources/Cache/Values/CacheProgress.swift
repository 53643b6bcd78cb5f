/// The progress of `removeAll(progress:)`.
public struct CacheProgress: Hashable, Sendable {
    /// The number of entries removed so far.
    public var removed: Int

    /// The number of entries to remove.
    public var total: Int

    /// Creates a progress value.
    public init(removed: Int, total: Int) {
        self.removed = removed
        self.total = total
    }

    /// The fraction that has been removed, from 0 to 1; 1 if there was nothing to remove.
    public var fraction: Double {
        total <= 0 ? 1 : Double(removed) / Double(total)
    }
}
