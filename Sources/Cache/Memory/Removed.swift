/// Entries that left a ``Shelf``, kept until the lock is released: what they hold may run code of others when it goes.
struct Removed {
    private var first: CacheEntry?
    private var others: [CacheEntry] = []

    /// How many entries were removed to make room or because of their age, and how many bytes they counted for.
    private(set) var evicted = (count: 0, bytes: 0)

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
