import Synchronization

/// The body of an entry in portions, returned by a store's `reader(for:)`.
///
/// ```swift
/// if let reader = try await store.reader(for: "film") {
///     print(reader.item.size)
///     for try await portion in reader {
///         player.append(portion)
///     }
/// }
/// ```
///
/// Each portion is verified before it is returned. A second iteration continues where the first ended.
public struct CacheReader: AsyncSequence, Sendable {
    /// The entry without its body.
    public let item: CacheItem

    private let read: @Sendable () async throws -> Data?

    /// Creates a reader, for stores of your own.
    ///
    /// - Parameters:
    ///   - item: The entry.
    ///   - read: Returns the next portion, or nil at the end.
    public init(item: CacheItem, read: @escaping @Sendable () async throws -> Data?) {
        self.item = item
        self.read = read
    }

    /// Creates a reader of an entry in memory.
    public init(key: CacheKey, entry: CacheEntry) {
        let unread = UnreadBody(entry.body)
        self.init(item: CacheItem(key: key, entry: entry), read: { unread.next() })
    }

    public func makeAsyncIterator() -> Iterator {
        Iterator(read: read)
    }

    /// An iterator that reads portion after portion.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let read: @Sendable () async throws -> Data?

        public mutating func next() async throws -> Data? {
            try await read()
        }
    }
}

/// The part of a body that has not been read yet.
final class UnreadBody: Sendable {
    private static let portion = 256 << 10

    private let data: Data
    private let position = Mutex(0)

    init(_ data: Data) {
        self.data = data
    }

    func next() -> Data? {
        let range = position.withLock { position in
            let start = position
            position = min(position + Self.portion, data.count)
            return start..<position
        }
        guard !range.isEmpty else { return nil }
        return data[(data.startIndex + range.lowerBound)..<(data.startIndex + range.upperBound)].copied()
    }
}
