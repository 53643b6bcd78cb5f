/// A small map that drops the value that was not used for the longest time.
struct RecentlyUsed<Key: Equatable, Value> {
    private let most: Int
    private var entries: [(key: Key, value: Value)] = []

    init(most: Int) {
        self.most = max(most, 1)
    }

    var all: [Value] { entries.map(\.value) }

    /// The value of a key, which becomes the last one to be dropped.
    mutating func find(_ key: Key) -> Value? {
        guard let place = entries.firstIndex(where: { $0.key == key }) else { return nil }
        let entry = entries.remove(at: place)
        entries.append(entry)
        return entry.value
    }

    /// Inserts a value. Returns the value that it replaces: that of the same key, or, if the map is full, the one that was not
    /// used for the longest time.
    mutating func insert(_ value: Value, for key: Key) -> Value? {
        let place = entries.firstIndex { $0.key == key } ?? (entries.count < most ? nil : 0)
        let old = place.map { entries.remove(at: $0).value }
        entries.append((key, value))
        return old
    }
}
