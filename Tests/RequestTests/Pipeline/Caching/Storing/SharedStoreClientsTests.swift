import Foundation
import LoopbackServer
import TangoCache
import TangoMeasuring
import TangoPromise
import Testing

@testable import TangoRequest
@testable import TestSupport

/// Clients that share a store. A change by one client applies to the calls of all.
@Suite(.timeLimit(.minutes(20)))
struct SharedStoreClientsTests {
    private let site: CacheSite
    private let gate = Gate()

    init() throws {
        site = try CacheSite()
        site.server.answer("/item") { [gate] _ in
            Response.item(1).header("Cache-Control", "max-age=86400").held(by: gate)
        }
    }

    static let policies: [CachePolicy] = [.http, .reload, .cacheElseNetwork(write: .model)]

    @Test(arguments: policies, CacheSite.Kind.allCases)
    func signingOutInOneClientAppliesToCallsOfAnother(_ policy: CachePolicy, _ kind: CacheSite.Kind) async throws {
        let site = try CacheSite(kind)
        site.server.answer("/item") { [gate] _ in
            Response.item(1).header("Cache-Control", "max-age=86400").held(by: gate)
        }
        let (one, two) = (site.client(identity: "alice"), site.client(identity: "alice"))
        let call = GetItem(two, policy).start()
        try await gate.reached()
        try await one.removeCachedResponses()
        gate.open()
        #expect(try await call.value.id == 1)
        await two.finishStoring()
        #expect(try await site.store.statistics().count == 0)
    }

    @Test(arguments: policies)
    func removingATagInOneClientAppliesToCallsOfAnother(_ policy: CachePolicy) async throws {
        let (one, two) = (site.client(), site.client())
        let request = GetItem(two, policy)
        request.words = ["items"]
        let call = request.start()
        let other = GetItem(two, policy, .get("/item", query: ["a": 1])).start()
        try await gate.reached(count: 2)
        try await one.removeCachedResponses(tagged: "items")
        gate.open()
        _ = try await (call.value, other.value)
        await two.finishStoring()
        // The response without the tag is cached.
        #expect(try await site.store.statistics().count == 1)
    }

    @Test(arguments: policies)
    func signingOutDoesNotAffectCallsOfOtherIdentities(_ policy: CachePolicy) async throws {
        let (one, two) = (site.client(identity: "alice"), site.client(identity: "bob"))
        let call = GetItem(two, policy).start()
        try await gate.reached()
        try await one.removeCachedResponses()
        gate.open()
        #expect(try await call.value.id == 1)
        await two.finishStoring()
        #expect(try await site.store.statistics().count == 1)
    }

    @Test func evictingInOneClientAppliesToCallsOfAnother() async throws {
        let (one, two) = (site.client(), site.client())
        let call = GetItem(two, .reload).start()
        try await gate.reached()
        try await GetItem(one, .reload).evict()
        gate.open()
        #expect(try await call.value.id == 1)
        #expect(try await GetItem(one, .reload).cached() == nil)
    }

    /// A client finds the writes of another before they have reached the store.
    @Test func pendingWritesAreVisibleToAllClients() async throws {
        gate.open()
        let store = HeldStore()
        let (one, two) = (site.client(store: store), site.client(store: store))
        #expect(try await GetItem(one, .cacheElseNetwork).promise.value.id == 1)
        #expect(try await GetItem(two, .cacheElseNetwork).promise.value.id == 1)
        #expect(site.count == 1)
        store.gate.open()
        await two.finishStoring()
        #expect(store.memory.entryCount == 1)
    }
}
