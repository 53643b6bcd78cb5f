import Foundation
import Testing

@testable import TangoCache

/// The exact moments at which entries end, equal in every store. An entry has ended at its expiry, but not at its
/// highest age.
@Suite struct BoundaryTests {
    private let folder = ScratchFolder()
    private let now = Guarded(Date(timeIntervalSinceReferenceDate: 1_000_000))

    static let kinds = ["memory", "disk"]

    private func store(_ kind: String, _ limits: CacheLimits = .unlimited) throws -> any CacheStore {
        switch kind {
        case "memory": MemoryStore(limits: limits, onEvent: { _ in }, now: { [now] in now.value })
        default:
            try DiskStore(
                directory: folder.url, limits: limits, onEvent: { _ in }, now: { [now] in now.value })
        }
    }

    /// Reads an entry in every way.
    private func isThere(_ store: any CacheStore) async throws -> [Bool] {
        var listed = false
        for try await item in store.entries() where item.key == "a" { listed = true }
        return [
            try await store.get("a") != nil, try await store.getMany(["a"]).contains { $0 != nil }, listed,
            try await store.reader(for: "a") != nil,
        ]
    }

    @Test(arguments: kinds) func anEntryHasEndedAtItsExpiry(_ kind: String) async throws {
        let store = try store(kind)
        let expires = now.value + 60
        for (moment, isThere) in [(expires - 0.001, true), (expires, false), (expires + 0.001, false)] {
            now.change { $0 = expires - 60 }
            try await store.set(CacheEntry(body: Data([1]), expires: expires), for: "a")
            now.change { $0 = moment }
            #expect(
                try await self.isThere(store) == Array(repeating: isThere, count: 4),
                "\(moment.timeIntervalSince(expires))")
        }
    }

    @Test(arguments: kinds) func anEntryHasNotEndedWhileItIsAsOldAsItMayBe(_ kind: String) async throws {
        let store = try store(kind, CacheLimits(age: .seconds(60)))
        let written = now.value
        for (moment, isThere) in [(written + 59.999, true), (written + 60, true), (written + 60.001, false)] {
            now.change { $0 = written }
            try await store.set(CacheEntry(body: Data([1])), for: "a")
            now.change { $0 = moment }
            #expect(
                try await self.isThere(store) == Array(repeating: isThere, count: 4),
                "\(moment.timeIntervalSince(written))")
        }
    }

    @Test(arguments: kinds) func anEntryOfExactlyThisAgeIsNotOlder(_ kind: String) async throws {
        let store = try store(kind)
        for (number, age) in [59.999, 60, 60.001].enumerated() {
            try await store.set(CacheEntry(body: Data(), written: now.value - age), for: CacheKey("\(number)"))
        }
        #expect(try await store.remove(olderThan: .seconds(60)) == 1)
        #expect(try await store.getMany(["0", "1", "2"]).map { $0 != nil } == [true, true, false])
    }

    /// A limit is the highest allowed size.
    @Test(arguments: kinds) func aStoreThatIsExactlyFullEvictsNothing(_ kind: String) async throws {
        let probe = try store(kind)
        for number in 0..<4 { try await probe.set(CacheEntry(body: Data(count: 100)), for: "\(number)") }
        let bytes = try await probe.statistics().bytes
        try await probe.removeAll()
        await (probe as? DiskStore)?.close()
        for limits in [CacheLimits(bytes: bytes), CacheLimits(count: 4)] {
            let store = try store(kind, limits)
            try await store.removeAll()
            for number in 0..<4 { try await store.set(CacheEntry(body: Data(count: 100)), for: "\(number)") }
            #expect(try await store.statistics().count == 4, "\(limits)")
            #expect(try await store.statistics().evictions == 0, "\(limits)")
            // A replacement of the same size needs no more room.
            try await store.set(CacheEntry(body: Data(count: 100)), for: "0")
            #expect(try await store.statistics().count == 4, "\(limits)")
            try await store.set(CacheEntry(body: Data(count: 100)), for: "4")
            #expect(try await store.statistics().count <= 4, "\(limits)")
            #expect(try await store.statistics().evictions > 0, "\(limits)")
            await (store as? DiskStore)?.close()
        }
    }

    @Test(arguments: kinds) func anEntryOfExactlyTheLimitFits(_ kind: String) async throws {
        let probe = try store(kind)
        try await probe.set(CacheEntry(body: Data(count: 1_000)), for: "a")
        let bytes = try await probe.statistics().bytes
        try await probe.removeAll()
        await (probe as? DiskStore)?.close()
        let store = try store(kind, CacheLimits(bytes: bytes))
        try await store.set(CacheEntry(body: Data(count: 1_000)), for: "a")
        let error = await #expect(throws: CacheError.self) {
            try await store.set(CacheEntry(body: Data(count: 1_001)), for: "a")
        }
        #expect(error?.code == .tooLarge)
        #expect(try await store.get("a")?.body.count == 1_000)
        await (store as? DiskStore)?.close()
    }

    @Test(arguments: kinds) func aPinnedEntryThatTakesAllTheRoomCanBeReplaced(_ kind: String) async throws {
        let probe = try store(kind)
        try await probe.set(CacheEntry(body: Data(count: 1_000), pinned: true), for: "a")
        let bytes = try await probe.statistics().bytes
        try await probe.removeAll()
        await (probe as? DiskStore)?.close()
        for limits in [CacheLimits(count: 1), CacheLimits(bytes: bytes)] {
            let store = try store(kind, limits)
            try await store.removeAll()
            try await store.set(CacheEntry(body: Data(count: 1_000), pinned: true), for: "a")
            try await store.set(CacheEntry(body: Data(count: 1_000), pinned: true), for: "a")
            try await store.set(CacheEntry(body: Data(count: 900)), for: "a")
            #expect(try await store.get("a")?.body.count == 900)
            await (store as? DiskStore)?.close()
        }
    }
}
