/// Entries that left a ``Shelf``. They are released after the lock, because releasing an object may run user code.
struct RemovedEntries {
    private var first: CacheEntry?
    private var others: [CacheEntry] = []

    /// The number of entries that were evicted or too old, and of their bytes.
    private(set) var evicted = (count: 0, bytes: 0)

    @inline(never)
    mutating func take(_ entry: CacheEntry) {
        if first == nil {
            first = entry
        } else {
            others.append(entry)
        }
    }

    mutating func take(evicted entry: CacheEntry, charge: Int) {
        take(entry)
        evicted.count += 1
        evicted.bytes += charge
    }

    var count: Int { others.count + (first == nil ? 0 : 1) }
}
