import Foundation
import Synchronization
import TangoCache
import Testing

@testable import TangoHTTP
@testable import TangoRequest
@testable import TestSupport

/// Stores that are full, damaged or unusable. Calls succeed without them.
@Suite(.timeLimit(.minutes(20)))
struct FailingStoreTests: RepliesToKeep {
    /// A damaged body on disk is detected when it is read.
    @Test(arguments: [true, false])
    func damagedResponseIsRequestedAgain(_ isFresh: Bool) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "http-cache-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let site = try HTTPCacheSite(store: try DiskStore(directory: folder))
        site.origin.reply = streamed(20, also: Self.tag)
        let body = try await site.send().body
        await site.settle()
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: [.fileSizeKey])
        var damaged = 0
        for case let file as URL in files ?? FileManager.DirectoryEnumerator() {
            guard file.path.contains("/bodies/"), let data = try? Data(contentsOf: file), data.count >= body.count
            else { continue }
            var bytes = data
            bytes[bytes.count / 2] ^= 1
            try bytes.write(to: file)
            damaged += 1
        }
        #expect(damaged == 1)
        if !isFresh { site.wait(4000) }
        let response = try await site.send()
        #expect(response.source == .network)
        #expect(response.body == body)
        #expect(site.events.all.contains("failed"))
        #expect(!site.events.all.contains("hit"))
        #expect(!site.events.all.contains("revalidated"))
        #expect(site.explanations.all.last?.reason == .bodyMissing)
        #expect(site.misses.all.last == .unusable)
        #expect(try await site.send().source.isCache)
    }

    /// The older response is obsolete, even if there is no room for the newer one, or the older one cannot be read.
    @Test(arguments: [(1, true), (1, false), (20, true), (20, false)], [true, false])
    func newerResponseThatCannotBeStoredRemovesTheOlderOne(
        _ body: (count: Int, isStreamed: Bool), _ isReadable: Bool
    ) async throws {
        let store = FullStore()
        let site = try HTTPCacheSite(store: store)
        site.origin.reply = HTTPCacheOrigin.Reply(headers: Self.fresh, body: "old")
        _ = try await site.send()
        await site.settle()
        (isReadable ? store.isFull : store.isUnreadable).set()
        site.wait(1)
        site.origin.reply = streamed(body.count)
        let newer = try await site.send(
            "GET", "http://example.com/a", [("Cache-Control", "no-cache")],
            delivery: body.isStreamed ? .stream : .whole())
        let new = try await text(newer)
        await site.settle()
        store.isUnreadable.clear()
        #expect(try await text(site.send()) == new)
        #expect(site.origin.requests.count == 3)
    }

    /// A response that a change has made obsolete stays hidden until it is removed.
    @Test func obsoleteResponseIsNotServedIfItsRemovalFails() async throws {
        let store = FullStore()
        let site = try HTTPCacheSite(store: store)
        site.origin.reply = HTTPCacheOrigin.Reply(headers: Self.fresh, body: "old")
        _ = try await site.send()
        await site.settle()
        store.isFull.set()
        _ = try await site.send("POST")
        await site.settle()
        await site.events.reaches(2)
        #expect(site.events.all == ["stored", "failed"])
        site.origin.reply.body = "new"
        #expect(try await text(site.send()) == "new")
        store.isFull.clear()
        for _ in 0..<2 { #expect(try await text(site.send()) == "new") }
        #expect(site.origin.requests.count == 4)
    }

    @Test func malformedEntriesAreParsedSafely() async throws {
        let site = try HTTPCacheSite(store: BytesStore())
        site.origin.reply = HTTPCacheOrigin.Reply(headers: Self.fresh)
        _ = try await site.send()
        await site.settle()
        let key = HTTPCacheKey.responses(to: URL(string: "http://example.com/a")!, of: "")
        var random = SeededNumbers(seed: 3)
        let good = try #require(try await site.store.get(key))
        let lines = try #require(good.metadata["http"])
        for _ in 0..<500 {
            var bytes = Array(lines.utf8)
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[place] = UInt8.random(in: 0..<128, using: &random)
                case 1: bytes.removeSubrange(place...)
                default: bytes.insert(contentsOf: "999999999999999999\n".utf8, at: place)
                }
                if bytes.isEmpty { break }
            }
            var bad = good
            bad.metadata["http"] = String(decoding: bytes, as: UTF8.self)
            for response in StoredResponseCoding.responses(bad) where response.content.isComplete {
                #expect(response.content.count <= good.body.count)
            }
        }
        #expect(StoredResponseCoding.responses(CacheEntry(body: Data())).isEmpty)
    }

    @Test func callsSucceedIfTheStoreFails() async throws {
        let site = try HTTPCacheSite(store: FailingStore())
        site.origin.reply = HTTPCacheOrigin.Reply(headers: Self.fresh)
        #expect(try await text(site.send()) == "origin 1")
        #expect(try await text(site.send(delivery: .stream)) == "origin 2")
        site.origin.reply = streamed(20)
        #expect(try await text(site.send(delivery: .stream)).utf8.count == 20 * Self.portion.utf8.count)
        _ = try await site.send("POST")
        #expect(Set(site.events.all).isSubset(of: ["failed", "removed"]))
        #expect(site.events.all.contains("failed"))
    }
}

/// A store that fails writes, and removals by prefix, once it is full, and reads while it is unreadable.
private final class FullStore: StoreOverMemory {
    final class Fault: Sendable {
        private let value = Mutex(false)
        func set() { value.withLock { $0 = true } }
        func clear() { value.withLock { $0 = false } }
        func check() throws {
            if value.withLock(\.self) { throw CacheError(.diskFull, "There is no room.") }
        }
    }

    let memory = MemoryStore()
    let isFull = Fault()
    let isUnreadable = Fault()

    func get(_ key: CacheKey) async throws -> CacheEntry? {
        try isUnreadable.check()
        return memory.peek(key)
    }

    func set(_ entry: CacheEntry, for key: CacheKey) async throws {
        try isFull.check()
        try memory.put(entry, for: key)
    }

    func remove(prefix: CacheKey) async throws -> Int {
        try isFull.check()
        return try await memory.remove(prefix: prefix)
    }
}

/// A store whose operations all fail.
private final class FailingStore: CacheStore {
    private let error = CacheError(.diskFull, "There is no room.")

    func get(_ key: CacheKey) async throws -> CacheEntry? { throw error }
    func set(_ entry: CacheEntry, for key: CacheKey) async throws { throw error }
    func remove(_ key: CacheKey) async throws { throw error }
    func removeAll(progress: @escaping @Sendable (CacheProgress) -> Void) async throws { throw error }
    func entries() -> CacheEntries { CacheEntries { throw CacheError(.diskFull, "There is no room.") } }
}
