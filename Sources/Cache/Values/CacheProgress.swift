/// How far `removeAll(progress:)` has come.
public struct CacheProgress: Hashable, Sendable {
    /// How many entries have been removed.
    public var removed: Int

    /// How many there are to remove.
    public var total: Int

    /// So many of so many.
    public init(removed: Int, total: Int) {
        self.removed = removed
        self.total = total
    }

    /// The share that has been removed, from 0 to 1; 1 if there was nothing to remove.
    public var fraction: Double {
        total <= 0 ? 1 : Double(removed) / Double(total)
    }
}
