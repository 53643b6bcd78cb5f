import Harness
import Tango

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Repeated reads of a thousand entries out of ten thousand.
func memoryRows(_ size: Size) -> Group {
    let count = size(200_000)
    let shelf = Lookups(BodySize.all[0])
    let reads = Shelves(shelf)
    return Group(
        "Cache in memory, 10,000 entries (one operation: one entry)",
        against: Reference(
            "dictionary",
            Row("ref: Dictionary<String, Data>, no lock, hit", operations: count) {
                for round in 0..<(count / 1_000) {
                    for text in shelf.hot(round) { keep(shelf.dictionary[text]) }
                }
            }),
        [
            Row("peek, hit, key made of a String", operations: count) {
                for round in 0..<(count / 1_000) {
                    for text in shelf.hot(round) { keep(reads.store.peek(CacheKey(text))) }
                }
            },
            Row("peek, hit, CacheKey", operations: count) {
                for round in 0..<(count / 1_000) {
                    for key in shelf.hotKeys(round) { keep(reads.store.peek(key)) }
                }
            },
            Row("peek, hit, CacheKey, two threads", operations: count) {
                onThreads(2) { thread in
                    for round in 0..<(count / 2_000) {
                        for key in shelf.hotKeys(round + thread * 5) { keep(reads.store.peek(key)) }
                    }
                }
            },
            Row("peek, miss, CacheKey", operations: count) {
                for _ in 0..<(count / 1_000) {
                    for key in shelf.absent { keep(reads.store.peek(key)) }
                }
            },
            Row("get, hit, CacheKey", operations: count) {
                for round in 0..<(count / 1_000) {
                    for key in shelf.hotKeys(round) { keep(try await reads.store.get(key)) }
                }
            },
            Row("put, in place of another", operations: count) {
                for round in 0..<(count / 1_000) {
                    for key in shelf.hotKeys(round) { try? reads.store.put(shelf.entry, for: key) }
                }
            },
            Row("put, which evicts another", operations: count) {
                for round in 0..<(count / 1_000) {
                    for key in shelf.more[(round % 20 * 1_000)...].prefix(1_000) {
                        try? reads.full.put(shelf.entry, for: key)
                    }
                }
            },
            Row("put, which evicts another, two threads", operations: count) {
                onThreads(2) { thread in
                    for round in 0..<(count / 2_000) {
                        for key in shelf.more[((round + thread * 10) % 20 * 1_000)...].prefix(1_000) {
                            try? reads.full.put(shelf.entry, for: key)
                        }
                    }
                }
            },
        ])
}

/// The keys of the rows.
private struct Lookups: Sendable {
    let texts = (0..<10_000).map(name)
    let keys = (0..<10_000).map { CacheKey(name($0)) }
    let absent = (0..<1_000).map { CacheKey(name(50_000 + $0)) }
    /// Twice as many keys as fit into the store.
    let more = (0..<20_000).map { CacheKey(name(100_000 + $0)) }
    let dictionary: [String: Data]
    let entry: CacheEntry

    init(_ body: BodySize) {
        let data = body.bodies(1)[0]
        entry = CacheEntry(body: data, written: Date())
        dictionary = Dictionary(uniqueKeysWithValues: texts.map { ($0, data) })
    }

    /// Returns a thousand keys; another thousand every fifty rounds.
    func hot(_ round: Int) -> ArraySlice<String> { texts[(round / 50 % 10 * 1_000)...].prefix(1_000) }
    func hotKeys(_ round: Int) -> ArraySlice<CacheKey> { keys[(round / 50 % 10 * 1_000)...].prefix(1_000) }
}

private struct Shelves: Sendable {
    let store = MemoryStore(limits: CacheLimits(bytes: 64 << 20, count: 20_000))
    let full = MemoryStore(limits: CacheLimits(bytes: 64 << 20, count: 10_000))

    init(_ lookups: Lookups) {
        for key in lookups.keys { try? store.put(lookups.entry, for: key) }
        for key in lookups.more { try? full.put(lookups.entry, for: key) }
    }
}
