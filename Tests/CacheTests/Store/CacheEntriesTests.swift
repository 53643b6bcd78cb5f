import Foundation
import TangoCache
import Testing

@Suite struct CacheEntriesTests {
    @Test func aListingOfNothingIsEmpty() async throws {
        #expect(try await keys(CacheEntries([])) == [])
        #expect(try await keys(CacheEntries { .init([]) }) == [])
    }

    @Test func aListingFromAnArrayCanBeReadAgain() async throws {
        let entries = CacheEntries(items("a", "b"))
        #expect(try await keys(entries) == ["a", "b"])
        #expect(try await keys(entries) == ["a", "b"])
    }

    @Test func pagesFollowOneAnotherAlsoOverEmptyOnes() async throws {
        let entries = CacheEntries { [self] in
            .init([]) { [self] in
                .init(items("a", "b")) { [self] in .init([]) { .init([]) { [self] in .init(items("c")) { .init([]) } } }
                }
            }
        }
        #expect(try await keys(entries) == ["a", "b", "c"])
    }

    @Test func pagesAreReadOnDemand() async throws {
        let read = Guarded(0)
        let entries = CacheEntries { [self] in
            read.change { $0 += 1 }
            return .init(items("a", "b")) { [self] in
                read.change { $0 += 1 }
                return .init(items("c"))
            }
        }
        var iterator = entries.makeAsyncIterator()
        #expect(read.value == 0)
        #expect(try await iterator.next()?.key == "a")
        #expect(try await iterator.next()?.key == "b")
        #expect(read.value == 1)
        #expect(try await iterator.next()?.key == "c")
        #expect(read.value == 2)
        #expect(try await iterator.next()?.key == nil)
        #expect(try await iterator.next()?.key == nil)
        #expect(read.value == 2)
    }

    @Test func anErrorEndsTheListing() async throws {
        let entries = CacheEntries { [self] in
            .init(items("a")) { throw CacheError(.busy, "Not now.") }
        }
        var iterator = entries.makeAsyncIterator()
        #expect(try await iterator.next()?.key == "a")
        await #expect(throws: CacheError.self) { try await iterator.next() }
        #expect(try await iterator.next()?.key == nil)
    }

    @Test func anErrorOfTheFirstPageIsThrown() async throws {
        let entries = CacheEntries { throw CacheError(.busy, "Not now.") }
        await #expect(throws: CacheError.self) { try await self.keys(entries) }
    }

    private func items(_ keys: CacheKey...) -> [CacheItem] {
        keys.map { CacheItem(key: $0, size: 1, written: Date(timeIntervalSince1970: 0)) }
    }

    private func keys(_ entries: CacheEntries) async throws -> [CacheKey] {
        var keys: [CacheKey] = []
        for try await item in entries { keys.append(item.key) }
        return keys
    }
}
