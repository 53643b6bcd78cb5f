import TangoCache
import TangoRequest
import Testing

@testable import TestSupport

/// The requirements on a private HTTP cache, one row each, by section.
@Suite(.timeLimit(.minutes(20)))
struct ConformanceTests {
    static let rows = FreshnessRows.all + StoringRows.all + RequestRows.all + ValidatingRows.all + ChangingRows.all

    @Test(arguments: rows)
    func requirement(_ row: ConformanceRow) async throws {
        try await row.run(try HTTPCacheSite())
    }

    /// The same with a store of bytes, so that cached responses are parsed each time.
    @Test(arguments: rows)
    func requirementOnAStoreOfBytes(_ row: ConformanceRow) async throws {
        try await row.run(try HTTPCacheSite(store: BytesStore()))
    }

    /// The same over connections, with a real server and a real transport.
    @Test(arguments: rows.filter { row in !notForReal.contains { row.name.contains($0) } })
    func requirementOverConnections(_ row: ConformanceRow) async throws {
        try await row.run(try HTTPCacheSite(sendsForReal: true))
    }

    /// Rows with responses that transports reject: wrong lengths, and an unknown transfer encoding.
    private static let notForReal = ["Transfer-Encoding", "a body that is shorter", "a body that is longer"]

    @Test func rowsAreManyAndHaveUniqueNames() {
        #expect(Self.rows.count >= 250)
        let twice = Dictionary(grouping: Self.rows, by: \.name).filter { $0.value.count > 1 }.keys
        #expect(twice.isEmpty)
    }
}
