import Foundation
import TangoCache
import Testing

/// The removal of all entries whose keys begin with a prefix, such as those of a URL.
@Suite(.timeLimit(.minutes(20)))
struct PrefixTests {
    enum Kind: CaseIterable, Sendable {
        case memory, disk, tiered
    }

    private let folder = ScratchFolder()

    private func open(_ kind: Kind) throws -> any CacheStore {
        let disk = kind == .memory ? nil : try DiskStore(directory: folder.url, limits: .unlimited, engine: .sqlite)
        let memory = MemoryStore(limits: CacheLimits())
        guard let disk else { return memory }
        return kind == .disk ? disk : TieredStore(memory: memory, over: disk)
    }

    private func close(_ store: any CacheStore) async {
        await ((store as? TieredStore)?.backing as? DiskStore ?? store as? DiskStore)?.close()
    }

    private static func key(_ number: Int, _ user: String = "anyone") -> CacheKey {
        "http https://example.com/items/\(number)\n\(user)"
    }

    @Test(arguments: Kind.allCases) func onlyTheEntriesOfAURLAreRemoved(_ kind: Kind) async throws {
        let store = try open(kind)
        let urls = ["http a/1", "http a/1?", "http a/11", "http a/", "http a/1\u{0}"]
        let keys = urls.flatMap { url in ["\n", "\nanyone", "\nuser=2", "\nuser=2\nbody"].map { url + $0 } }
        for key in keys + ["http a/1"] { try await store.set(CacheEntry(body: Data(key.utf8)), for: CacheKey(key)) }
        // A replaced entry is still found, and a removed one is not.
        try await store.set(CacheEntry(body: Data("new".utf8)), for: "http a/1\nanyone")
        try await store.remove("http a/1\n")
        #expect(try await store.remove(prefix: "http a/1\nuser=2\n") == 1)
        #expect(try await store.remove(prefix: "http a/1\n") == 2)
        #expect(try await store.remove(prefix: "http a/1\n") == 0)
        for key in keys + ["http a/1"] {
            #expect(try await (store.get(CacheKey(key)) == nil) == key.hasPrefix("http a/1\n"), "\(key)")
        }
        await close(store)
    }

    /// The least time of some removals, so that the load of the machine does not count.
    private func leastTime(in store: any CacheStore, of count: Int) async throws -> Duration {
        var least = Duration.seconds(1_000)
        for round in 0..<30 {
            let number = round * (count / 30)
            let start = ContinuousClock.now
            #expect(try await store.remove(prefix: "http https://example.com/items/\(number)\n") == 2)
            least = min(least, ContinuousClock.now - start)
        }
        return least
    }

    @Test(arguments: Kind.allCases) func aLargeStoreTakesNoLongerThanASmallOne(_ kind: Kind) async throws {
        var times: [Duration] = []
        for count in [60, 30_000] {
            let store = try open(kind)
            try await store.removeAll()
            for start in stride(from: 0, to: count, by: 500) {
                let numbers = start..<min(start + 500, count)
                try await store.setMany(
                    numbers.flatMap { number in
                        ["anyone", "user=2"].map { (Self.key(number, $0), CacheEntry(body: Data(count: 20))) }
                    })
            }
            times.append(try await leastTime(in: store, of: count))
            await close(store)
        }
        #expect(times[1] < times[0] * 8, "\(times)")
    }
}
