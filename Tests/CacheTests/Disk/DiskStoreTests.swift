import CacheConformance
import Foundation
import Synchronization
import TangoCache
import Testing

@Suite struct DiskStoreTests {
    private let folder = ScratchFolder()

    private func open(
        _ limits: CacheLimits = .disk, version: Int = 0, events: StoreEvents? = nil
    ) throws -> DiskStore {
        try DiskStore(
            directory: folder.url, limits: limits, version: version, onEvent: { events?.note($0) })
    }

    @Test func theContractHolds() async throws {
        try await CacheStoreConformance.check { try open() }
    }

    @Test func entriesSurviveReopening() async throws {
        let entry = CacheEntry(
            body: Data("hello".utf8), metadata: ["etag": "x"], expires: Date(timeIntervalSinceNow: 1000),
            tags: ["a", "b"],
            pinned: true)
        let large = Data(repeating: 7, count: 300_000)
        let first = try open()
        try await first.set(entry, for: "small")
        try await first.set(CacheEntry(body: large), for: "large")
        await first.close()

        let second = try open()
        let found = try #require(try await second.get("small"))
        #expect(found.body == entry.body)
        #expect(found.metadata == entry.metadata)
        #expect(found.expires == entry.expires)
        #expect(found.tags == entry.tags)
        #expect(found.pinned)
        #expect(try await second.get("large")?.body == large)
        #expect(try await second.statistics().count == 2)
    }

    @Test func aClosedStoreRefusesEverything() async throws {
        let store = try open()
        await store.close()
        await expectClosed { _ = try await store.get("a") }
        await expectClosed { _ = try await store.getMany(["a"]) }
        await expectClosed { try await store.set(CacheEntry(body: Data()), for: "a") }
        await expectClosed { try await store.remove("a") }
        await expectClosed { try await store.removeAll() }
        await expectClosed { try await store.remove(tag: "a") }
        await expectClosed { for try await _ in store.entries() {} }
        await expectClosed { _ = try await store.reader(for: "a") }
        await expectClosed { _ = try await store.writer(for: "a") }
        await expectClosed { _ = try await store.statistics() }
        await expectClosed { try await store.maintain() }
        await store.close()
    }

    private func expectClosed(_ work: () async throws -> Void, sourceLocation: SourceLocation = #_sourceLocation) async
    {
        do {
            try await work()
            Issue.record("the closed store did it", sourceLocation: sourceLocation)
        } catch {
            #expect((error as? CacheError)?.code == .closed, sourceLocation: sourceLocation)
        }
    }

    @Test func operationsInFlightOutliveTheStore() async throws {
        try await open().setMany((0..<600).map { ("\($0)", CacheEntry(body: Data([1]))) })
        var count = 0
        for try await _ in try open().entries() { count += 1 }
        #expect(count == 600)

        let writer = try await open().writer(for: "film")
        try await writer.write(Data(count: 100_000))
        try await writer.commit()
        #expect(try await open().get("film")?.body.count == 100_000)
    }

    @Test func aStoreThatHasMadeRoomIsSound() async throws {
        let store = try open(CacheLimits(count: 100))
        for number in 0..<400 { try await store.set(CacheEntry(body: Data([1])), for: "\(number)") }
        let verification = try await store.verify()
        #expect(verification.isSound, "\(verification)")
    }

    @Test func oneFileThatCannotBeRemovedDoesNotKeepTheOthers() async throws {
        await (try open()).close()
        let bodies = folder.url.appendingPathComponent("bodies")
        try FileManager.default.createDirectory(
            at: bodies.appendingPathComponent("0000000000000001"), withIntermediateDirectories: true)
        for number in 2...8 { try Data([1]).write(to: bodies.appendingPathComponent("000000000000000\(number)")) }
        let store = try open()
        try await store.maintain()
        #expect(folder.files.filter { $0.hasPrefix("bodies/") }.isEmpty)
    }

    @Test func hitsAndMissesAreCountedHoweverTheyAreRead() async throws {
        let store = try open()
        try await store.set(CacheEntry(body: Data("a".utf8)), for: "a")
        _ = try await store.get("a")
        _ = try await store.get("b")
        _ = try await store.getMany(["a", "b", "c"])
        _ = try await store.getMany((0..<100).map { CacheKey("\($0)") })
        _ = try await store.reader(for: "a")
        let statistics = try await store.statistics()
        #expect(statistics.hits == 3)
        #expect(statistics.misses == 103)
    }

    @Test func aStoreStaysWithinItsLimitsAndSaysWhatItRemoves() async throws {
        let events = StoreEvents()
        let store = try open(CacheLimits(count: 10), events: events)
        for number in 0..<100 {
            try await store.set(CacheEntry(body: Data("\(number)".utf8)), for: CacheKey("\(number)"))
            #expect(try await store.get(CacheKey("\(number)")) != nil)
        }
        let statistics = try await store.statistics()
        #expect(statistics.count <= 10)
        #expect(statistics.evictions == 100 - statistics.count)
        #expect(events.evicted == statistics.evictions)
    }

    @Test func entriesThatAreReadOutliveThoseThatAreNot() async throws {
        let store = try open(CacheLimits(count: 100))
        try await store.setMany((0..<100).map { ("old \($0)", CacheEntry(body: Data("\($0)".utf8))) })
        for round in 0..<10 {
            for number in 0..<10 { #expect(try await store.get("old \(number)") != nil) }
            try await store.setMany((0..<50).map { ("\(round)-\($0)", CacheEntry(body: Data("\($0)".utf8))) })
        }
        let kept = try await store.getMany((0..<100).map { "old \($0)" }).map { $0 != nil }
        #expect(kept.prefix(10).allSatisfy { $0 })
        #expect(!kept.dropFirst(10).contains(true))
    }

    @Test func aStoreThatAnotherVersionOfTheApplicationFilledStartsEmpty() async throws {
        let old = try open(version: 1)
        try await old.set(CacheEntry(body: Data("old".utf8), tags: ["a"]), for: "a")
        await old.close()
        let events = StoreEvents()
        let new = try open(version: 2, events: events)
        #expect(try await new.get("a") == nil)
        #expect(try await new.statistics().count == 0)
        #expect(events.all.contains { $0.contains("version 1") })
    }

    @Test(arguments: [CacheLimits(bytes: -1), CacheLimits(count: -1), CacheLimits(age: .seconds(-1))])
    func limitsThatAreNoneAreRefused(_ limits: CacheLimits) {
        let error = #expect(throws: CacheError.self) { try open(limits) }
        #expect(error?.code == .invalid)
    }

    @Test func aURLThatIsNoFolderIsRefused() throws {
        let url = try #require(URL(string: "https://example.com/cache"))
        let error = #expect(throws: CacheError.self) { try DiskStore(directory: url) }
        #expect(error?.code == .invalid)
    }
}

/// The events of a store, in order.
final class StoreEvents: Sendable {
    private let events = Mutex<[CacheEvent]>([])

    func note(_ event: CacheEvent) {
        events.withLock { $0.append(event) }
    }

    var all: [String] { events.withLock { $0.map(\.description) } }

    var evicted: Int {
        events.withLock { events in
            events.reduce(0) { sum, event in if case .evicted(let count, _) = event { sum + count } else { sum } }
        }
    }
}
