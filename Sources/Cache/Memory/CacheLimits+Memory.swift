extension CacheLimits {
    /// The default limits of a ``MemoryStore``: 64 MB, 10 000 entries.
    public static let memory = CacheLimits(bytes: 64 << 20, count: 10_000)
}
