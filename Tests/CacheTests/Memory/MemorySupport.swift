import Foundation
import Synchronization

@testable import TangoCache

/// A clock that a test sets.
final class HandClock: Sendable {
    private let time: Mutex<Double>

    init(_ time: Double = 1_000_000) {
        self.time = Mutex(time)
    }

    var seconds: Double {
        get { time.withLock { $0 } }
        set { time.withLock { $0 = newValue } }
    }

    var now: Date { Date(timeIntervalSinceReferenceDate: seconds) }

    func advance(by seconds: Double) {
        time.withLock { $0 += seconds }
    }
}

/// A generator with the same random numbers in every run (xorshift).
struct SeededNumbers: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: Int) {
        state = UInt64(truncatingIfNeeded: seed) &* 0x9e37_79b9_7f4a_7c15 | 1
    }

    mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state &* 0x2545_f491_4f6c_dd1d
    }
}

/// The events of a store.
final class EventRecord: Sendable {
    private let evicted = Mutex((count: 0, bytes: 0))

    var evictions: (count: Int, bytes: Int) { evicted.withLock { $0 } }

    func note(_ event: CacheEvent) {
        guard case .evicted(let count, let bytes) = event else { return }
        evicted.withLock { sum in
            sum.count += count
            sum.bytes += bytes
        }
    }
}

extension CacheEntry {
    /// Creates an entry whose body is a text.
    init(_ text: String, pinned: Bool = false) {
        self.init(body: Data(text.utf8), pinned: pinned)
    }

    var text: String { String(decoding: body, as: UTF8.self) }
}

extension CacheStore {
    /// Returns the keys of all entries as text.
    func listedKeys() async throws -> Set<String> {
        var keys: Set<String> = []
        for try await item in entries() { keys.insert(item.key.description) }
        return keys
    }
}
