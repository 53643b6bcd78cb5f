import Foundation
import TangoCache
import Testing

@Suite struct CacheReaderTests {
    @Test(arguments: [0, 1, 262_143, 262_144, 262_145, 1_000_000])
    func theBodyOfAnEntryComesInPortions(size: Int) async throws {
        let body = Data((0..<size).map { UInt8(truncatingIfNeeded: $0 >> 8 ^ $0) })
        let reader = CacheReader(key: "a", entry: CacheEntry(body: body, metadata: ["b": "c"]))
        var portions: [Data] = []
        for try await portion in reader { portions.append(portion) }
        #expect(Data(portions.joined()) == body)
        #expect(portions.count == (size + 262_143) / 262_144)
        #expect(portions.allSatisfy { $0.startIndex == 0 && !$0.isEmpty })
        #expect(reader.item.size == size)
        #expect(reader.item.metadata == ["b": "c"])
    }

    @Test func iteratingTwiceContinues() async throws {
        let reader = CacheReader(key: "a", entry: CacheEntry(body: Data(count: 600_000)))
        var first = reader.makeAsyncIterator()
        #expect(try await first.next()?.count == 262_144)
        var second = reader.makeAsyncIterator()
        #expect(try await second.next()?.count == 262_144)
        #expect(try await first.next()?.count == 75_712)
        #expect(try await second.next() == nil)
    }

    @Test func errorsOfTheStoreAreThrown() async throws {
        let item = CacheItem(key: "a", size: 1, written: Date())
        let reader = CacheReader(item: item) { throw CacheError(.damaged, "Torn.") }
        await #expect(throws: CacheError.self) { for try await _ in reader {} }
    }
}
