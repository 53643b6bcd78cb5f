import Synchronization

/// The part of a body that has not been read yet.
final class Rest: Sendable {
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
        return Data(data[(data.startIndex + range.lowerBound)..<(data.startIndex + range.upperBound)])
    }
}
