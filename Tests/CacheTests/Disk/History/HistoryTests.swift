import Foundation
import Testing

@testable import TangoCache

/// The bounds and the forms of the history.
@Suite struct HistoryTests {
    private let folder = ScratchFolder()

    private func open(version: Int = 0) throws -> DiskStore {
        try DiskStore(directory: folder.url, version: version, onEvent: { _ in })
    }

    private static let entry = CacheEntry(body: Data("a".utf8), tags: ["t"])

    @Test func afterVeryManyRemovalsAnOldMomentIsUnknown() async throws {
        let store = try open()
        let old = try #require(try await store.moment())
        for part in 0..<20 { try await store.removeMany((0..<500).map { CacheKey("other/\(part)/\($0)/of many") }) }
        let late = try #require(try await store.moment())
        try await store.removeMany((0..<500).map { "more/\($0)" })
        #expect(try await store.set(Self.entry, for: "a", unlessRemovedSince: old) == false)
        #expect(try await store.set(Self.entry, for: "a", unlessRemovedSince: late))
        await store.close()
        let database = try Database(folder.path + "/index/entries.sqlite", .reader, timeout: 1000)
        #expect(try database.integer("SELECT count(*) FROM removal") ?? 0 <= 4_096 + 256)
    }

    @Test func anotherVersionBeginsTheHistoryAnew() async throws {
        let first = try open()
        let moment = try #require(try await first.moment())
        await first.close()
        let second = try open(version: 1)
        #expect(try await second.set(Self.entry, for: "a", unlessRemovedSince: moment) == false)
        await second.close()
    }

    @Test func theHistoryOutlivesTheStore() async throws {
        let first = try open()
        let moment = try #require(try await first.moment())
        try await first.remove("a")
        await first.close()
        let second = try open()
        #expect(try await second.set(Self.entry, for: "a", unlessRemovedSince: moment) == false)
        #expect(try await second.set(Self.entry, for: "b", unlessRemovedSince: moment))
        await second.close()
    }

    @Test func aMomentOfAnotherStoreIsAnError() async throws {
        let store = try open()
        for text in ["", "x", "1", "1:2:3", "x:1", "1:-1", "1:x"] {
            await #expect(throws: CacheError.self) {
                try await store.set(Self.entry, for: "a", unlessRemovedSince: CacheMoment(text))
            }
        }
        #expect(try await store.get("a") == nil)
        await store.close()
    }

    @Test func longNamesCoverMoreThanTheirs() async throws {
        let store = try open()
        let long = String(repeating: "k", count: 5_000)
        for removal in [CacheChange.key(CacheKey(long)), .prefix(CacheKey(long)), .tag(long)] {
            let moment = try #require(try await store.moment())
            switch removal {
            case .key(let key): try await store.remove(key)
            case .prefix(let prefix): try await store.remove(prefix: prefix)
            default: try await store.remove(tag: long)
            }
            var entry = Self.entry
            entry.tags = [long]
            #expect(try await store.set(entry, for: CacheKey(long), unlessRemovedSince: moment) == false)
        }
        await store.close()
    }

    @Test func aLargeBodyThatIsRefusedLeavesNoFile() async throws {
        let store = try open()
        let moment = try #require(try await store.moment())
        try await store.remove("a")
        let large = CacheEntry(body: Data(count: 100_000))
        #expect(try await store.set(large, for: "a", unlessRemovedSince: moment) == false)
        #expect(try await store.set(large, for: "b", unlessRemovedSince: moment))
        #expect(try await store.get("b")?.body.count == 100_000)
        try await store.remove("b")
        await store.close()
        #expect(!folder.files.contains { $0.hasPrefix("bodies/") || $0.hasPrefix("temporary/") })
    }

    @Test func aClosedStoreHasNoHistory() async throws {
        let store = try open()
        let changes = try #require(store.changes())
        await store.close()
        for await _ in changes {}
        #expect(store.changes() == nil)
        await #expect(throws: CacheError.self) { try await store.moment() }
    }

    /// A change reads the clock before it waits for the database. Meanwhile, the follower may have extended its time.
    @Test func aChangeWithAnEarlierTimeIsReported() async throws {
        func open(at seconds: Double) throws -> DiskStore {
            try DiskStore(
                directory: folder.url, onEvent: { _ in },
                now: { Date(timeIntervalSinceReferenceDate: seconds) })
        }
        let (store, other) = (try open(at: 1_000), try open(at: 999.5))
        let changes = try #require(store.changes())
        var seen: [CacheChange] = []
        for await change in changes {
            seen.append(change)
            guard seen == [.all] else { break }
            try await other.set(Self.entry, for: "a")
        }
        #expect(seen == [.all, .key("a")])
        await store.close()
        await other.close()
    }

    @Test func aStoreDoesNotReportItsOwnChanges() async throws {
        let (store, other) = (try open(), try open())
        let changes = try #require(store.changes())
        var seen: [CacheChange] = []
        for await change in changes {
            seen.append(change)
            if change == .all {
                try await store.set(Self.entry, for: "own")
                try await store.remove("own")
                try await other.set(Self.entry, for: "other")
            }
            if change == .key("other") { break }
        }
        #expect(!seen.contains(.key("own")))
        await store.close()
        await other.close()
    }
}
