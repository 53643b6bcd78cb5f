/// A small map that removes the least recently used value when it is full.
struct RecentlyUsed<Key: Equatable, Value> {
    private let most: Int
    private var entries: [(key: Key, value: Value)] = []

    init(most: Int) {
        self.most = max(most, 1)
    }

    var all: [Value] { entries.map(\.value) }

    /// Returns the value of a key and marks it as the most recently used.
    mutating func find(_ key: Key) -> Value? {
        guard let place = entries.firstIndex(where: { $0.key == key }) else { return nil }
        let entry = entries.remove(at: place)
        entries.append(entry)
        return entry.value
    }

    /// Inserts a value. Returns the value that it replaces: the old value of the key or, if the map is full, the least
    /// recently used one.
    mutating func insert(_ value: Value, for key: Key) -> Value? {
        let place = entries.firstIndex { $0.key == key } ?? (entries.count < most ? nil : 0)
        let old = place.map { entries.remove(at: $0).value }
        entries.append((key, value))
        return old
    }
}
