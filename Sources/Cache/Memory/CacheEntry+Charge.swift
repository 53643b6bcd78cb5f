extension CacheEntry {
    /// What it takes to keep an entry besides its own bytes: a slot, its place in the index, and the allocations that
    /// hold body and key.
    private static let overhead = 224

    /// What each fact of the metadata, and each tag, takes besides its own bytes.
    private static let overheadOfText = 32

    /// The bytes that an entry counts for in memory.
    func charge(under key: CacheKey) -> Int {
        var charge = Self.overhead + key.count + body.count
        for (name, value) in metadata {
            charge += Self.overheadOfText + name.utf8.count + value.utf8.count
        }
        for tag in tags {
            charge += Self.overheadOfText + tag.utf8.count
        }
        return charge
    }
}
