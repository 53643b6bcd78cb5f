/// The result of a read that does not block.
enum ImmediateResult: Sendable {
    /// The entry.
    case entry(CacheEntry)

    /// There is no entry.
    case nothing

    /// The read would block. Call `get` on a thread that may block.
    case wouldBlock
}
