import Harness
import Synchronization
import Tango

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A store on disk, its entries, and keys and bodies for more.
///
/// It has limits, like a store in an application, but reaches them only if a row requires it.
final class Filled: Sendable {
    let folder: String
    let store: DiskStore
    let keys: [CacheKey]
    let entries: [CacheEntry]
    private let fresh = Atomic(1_000_000)

    init(_ body: BodySize, count: Int, limits: CacheLimits = .farAway) async throws {
        folder = Scratch.newFolder()
        store = try DiskStore(directory: URL(fileURLWithPath: folder, isDirectory: true), limits: limits)
        keys = (0..<count).map { CacheKey(name($0)) }
        entries = body.bodies().map { CacheEntry(body: $0) }
        for first in stride(from: 0, to: count, by: 100) {
            let numbers = first..<min(count, first + 100)
            try await store.setMany(numbers.map { (key: keys[$0], entry: entry($0)) })
        }
    }

    func entry(_ number: Int) -> CacheEntry {
        entries[number % entries.count]
    }

    /// Returns keys that were never used before.
    func freshKeys(_ count: Int) -> [CacheKey] {
        let first = fresh.wrappingAdd(count, ordering: .relaxed).oldValue
        return (first..<(first + count)).map { CacheKey(name($0)) }
    }

    /// Returns some of the keys, in the order in which a program might read them.
    func someKeys(_ count: Int) -> [CacheKey] {
        var random = Random(seed: 7)
        return (0..<count).map { _ in keys[Int.random(in: keys.indices, using: &random)] }
    }
}

extension CacheLimits {
    static let farAway = CacheLimits(bytes: 64 << 30, count: 100_000_000)
}
