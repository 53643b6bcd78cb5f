import TangoCache
import TangoRequest
import Testing

/// The requirements on a private HTTP cache, one row each, by section.
@Suite(.timeLimit(.minutes(10)))
struct ConformanceTests {
    static let rows = FreshnessRows.all + StoringRows.all + RequestRows.all + ValidatingRows.all + ChangingRows.all

    @Test(arguments: rows)
    func requirement(_ row: ConformanceRow) async throws {
        try await row.run(try HTTPCacheSite())
    }

    /// The same from a store that keeps bytes alone, so that what is kept is read anew each time.
    @Test(arguments: rows)
    func requirementOnAStoreOfBytes(_ row: ConformanceRow) async throws {
        try await row.run(try HTTPCacheSite(store: BytesStore()))
    }

    /// The same over connections, from a real server, by a real transport.
    @Test(arguments: rows.filter { row in !notForReal.contains { row.name.contains($0) } })
    func requirementOverConnections(_ row: ConformanceRow) async throws {
        try await row.run(try HTTPCacheSite(sendsForReal: true))
    }

    /// What no transport lets pass: lengths that are not true, and an encoding of the transfer that nobody knows.
    private static let notForReal = ["Transfer-Encoding", "a body that is shorter", "nor one that is longer"]

    @Test func thereAreEnoughRowsAndEachHasAName() {
        #expect(Self.rows.count >= 250)
        let twice = Dictionary(grouping: Self.rows, by: \.name).filter { $0.value.count > 1 }.keys
        #expect(twice.isEmpty)
    }
}

/// A store that forgets decoded objects, as those on disk do.
final class BytesStore: CacheStore {
    let inner = MemoryStore()

    func get(_ key: CacheKey) async throws -> CacheEntry? { inner.peek(key) }

    func set(_ entry: CacheEntry, for key: CacheKey) async throws {
        var entry = entry
        entry.object = nil
        try inner.put(entry, for: key)
    }

    func remove(_ key: CacheKey) async throws { inner.drop(key) }

    func removeAll(progress: @escaping @Sendable (CacheProgress) -> Void) async throws {
        try await inner.removeAll(progress: progress)
    }

    func entries() -> CacheEntries { inner.entries() }
}
