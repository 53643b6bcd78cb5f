/// A change that another process has made to a shared store.
public enum CacheChange: Hashable, Sendable {
    /// The entry under a key was stored or removed.
    case key(CacheKey)

    /// The entries whose keys begin with a prefix were removed.
    case prefix(CacheKey)

    /// The entries with a tag were removed.
    case tag(String)

    /// All entries were removed, or changes may have been missed. Copies of entries must be forgotten.
    case all
}
