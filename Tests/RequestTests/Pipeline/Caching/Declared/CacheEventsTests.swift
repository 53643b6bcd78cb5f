import Foundation
import LoopbackServer
import Synchronization
import TangoCache
import TangoPromise
import Testing

@testable import TangoRequest
@testable import TestSupport

/// The cache events that observers receive, and the entries that they may change.
@Suite(.timeLimit(.minutes(20)))
struct CacheEventsTests {
    /// - Parameter count: The number of events to wait for. Some come after the call has settled.
    private func words(
        _ site: CacheSite, _ client: Client, _ policy: CachePolicy, _ count: Int
    ) async throws -> [String] {
        let before = site.facts.count
        let call = GetItem(client, policy).start()
        _ = await call.promise.result
        await site.facts.reached(count: before + count)
        await client.finishStoring()
        return Array(site.facts.all.dropFirst(before))
    }

    @Test(arguments: CacheSite.Kind.allCases)
    func observersReceiveTheCacheEventsOfACall(_ kind: CacheSite.Kind) async throws {
        let site = try CacheSite(kind)
        site.server.answer("/item", with: .item(1))
        let client = site.client(validation: .default + .business(Item.self) { $0.id == 99 ? BusinessFailure() : nil })
        let isAtOnce = kind == .memory
        let asked = ["sending", "response 200"]
        #expect(try await words(site, client, .networkOnly, 4) == ["willStart"] + asked + ["finished success"])
        let first = try await words(site, client, .cacheElseNetwork(maxAge: .seconds(10)), 6)
        let end = ["finished success", "stored"]
        #expect(first == ["willStart", "miss absent"] + asked + end, "\(isAtOnce)")
        #expect(
            try await words(site, client, .cacheElseNetwork(maxAge: .seconds(10)), 3)
                == ["willStart", "hit", "finished success"])
        let both = try await words(site, client, .cacheThenNetwork, 7)
        #expect(both == ["willStart", "hit", "refreshing"] + asked + end)
        site.clock.advance(by: .seconds(10))
        let expired = try await words(site, client, .cacheElseNetwork(maxAge: .seconds(10)), 6)
        #expect(expired == ["willStart", "miss expired"] + asked + end)
        site.server.answer("/item", with: .item(2).status(503))
        #expect(
            try await words(site, client, .networkElseCache, 5)
                == ["willStart", "sending", "response 503", "hit", "finished success"])
        site.server.answer("/item", with: .item(99))
        let refused = try await words(site, client, .reload, 5)
        #expect(refused == ["willStart"] + asked + ["finished failure", "evicted rejected"])
        #expect(try await words(site, client, .cacheOnly, 3) == ["willStart", "miss absent", "finished failure"])
    }

    /// An observer that changes entries before they are stored.
    private struct Editing: CallObserver {
        let edit: @Sendable (CacheEntry) -> CacheEntry?
        func observe(_ event: CallEvent) {}
        func willStore(_ entry: CacheEntry, of call: AnyCall) -> CacheEntry? { edit(entry) }
    }

    @Test func observersMayChangeEntriesOneAfterTheOther() async throws {
        let site = try CacheSite()
        site.server.answer("/item", with: .item(1))
        let client = site.client(observers: [
            Editing { entry in
                var entry = entry
                entry.tags.insert("first")
                entry.body = Data(#"{"id": 2, "name": "edited"}"#.utf8)
                return entry
            },
            Editing { entry in
                var entry = entry
                if entry.tags.contains("first") { entry.tags.insert("second") }
                return entry
            },
        ])
        #expect(try await GetItem(client, .cacheElseNetwork).promise.value.id == 1)
        #expect(try await GetItem(client, .cacheElseNetwork).promise.value.id == 2)
        let stored = try #require(try await site.store.entries().first { _ in true })
        #expect(stored.tags == ["first", "second", Identity(nil).tag])
    }

    @Test func observerMayPreventStoring() async throws {
        let site = try CacheSite()
        site.server.answer("/item", with: .item(1))
        let client = site.client(observers: [Editing { _ in nil }])
        for _ in 0..<2 { _ = try await GetItem(client, .cacheElseNetwork).promise.value }
        #expect(site.count == 2)
    }

    @Test func failuresOfAStoreAreReportedAndDoNotFailCalls() async throws {
        final class Broken: CacheStore {
            func get(_ key: CacheKey) async throws -> CacheEntry? { throw CacheError(.damaged, "broken") }
            func set(_ entry: CacheEntry, for key: CacheKey) async throws { throw CacheError(.diskFull, "full") }
            func remove(_ key: CacheKey) async throws { throw CacheError(.readOnly, "read only") }
            func removeAll(progress: @escaping @Sendable (CacheProgress) -> Void) async throws {}
            func entries() -> CacheEntries { MemoryStore().entries() }
        }
        let site = try CacheSite()
        site.server.answer("/item", with: .item(1))
        let client = site.client(store: Broken())
        let heard = try await words(site, client, .cacheElseNetwork, 7)
        #expect(
            heard == ["willStart", "failed", "miss absent", "sending", "response 200", "finished success", "failed"])
        await #expect(throws: CacheError.self) { try await GetItem(client, .reload).evict() }
        await #expect(throws: CacheError.self) { try await GetItem(client, .reload).store(Item(id: 1)) }
    }
}
