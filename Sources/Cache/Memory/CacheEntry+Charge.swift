extension CacheEntry {
    /// The bytes that an entry takes besides its content: a slot, its place in the index, and the allocations of body
    /// and key.
    private static let overhead = 224

    /// The bytes that each metadata field and each tag takes besides its text.
    private static let overheadOfText = 32

    /// Returns the number of bytes that an entry counts for in memory.
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
