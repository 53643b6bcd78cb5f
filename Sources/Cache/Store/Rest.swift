import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What is left of a body that is handed out in portions.
final class Rest: Sendable {
    private static let portion = 256 << 10

    private let data: Mutex<Data>

    init(_ data: Data) {
        self.data = Mutex(data)
    }

    func next() -> Data? {
        data.withLock { data in
            guard !data.isEmpty else { return nil }
            let portion = Data(data.prefix(Self.portion))
            data = data.dropFirst(portion.count)
            return portion
        }
    }
}
