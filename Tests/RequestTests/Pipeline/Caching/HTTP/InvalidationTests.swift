import Foundation
import LoopbackServer
import Synchronization
import TangoCache
import Testing

@testable import TangoHTTP
@testable import TangoRequest
@testable import TestSupport

/// Removals of the cached responses of a URL, and the requests that they concern.
@Suite(.timeLimit(.minutes(20)))
struct InvalidationTests {
    /// A store with a history. Removals by a prefix or a tag with a certain text wait at a gate.
    private final class GatedStore: StoreOverMemory {
        let memory = MemoryStore()
        let gate = Gate()
        let text: String
        private let removals = Mutex<[CacheChange]>([])

        init(holding text: String) {
            self.text = text
        }

        var hasHistory: Bool { true }

        func moment() async throws -> CacheMoment? { CacheMoment("\(removals.withLock { $0.count })") }

        func set(
            _ entry: CacheEntry, for key: CacheKey, unlessRemovedSince moment: CacheMoment
        ) async throws -> Bool {
            let since = removals.withLock { $0.dropFirst(Int(moment.text) ?? 0) }
            let isRemoved = since.contains { removal in
                switch removal {
                case .prefix(let prefix): key.hasPrefix(prefix)
                case .tag(let tag): entry.tags.contains(tag)
                default: false
                }
            }
            if !isRemoved { try memory.put(entry, for: key) }
            return !isRemoved
        }

        func remove(prefix: CacheKey) async throws -> Int {
            if prefix.text?.contains(text) == true { try await gate.opened() }
            removals.withLock { $0.append(.prefix(prefix)) }
            return memory.drop(prefix: prefix)
        }

        func remove(tag: String) async throws -> Int {
            if tag.contains(text) { try await gate.opened() }
            removals.withLock { $0.append(.tag(tag)) }
            return memory.drop(tag: tag)
        }
    }

    private static let policies: [CachePolicy] = [.http, .cacheElseNetwork, .reload]

    private func site(_ store: any CacheStore) throws -> (LoopbackServer, Client) {
        let server = try LoopbackServer()
        server.answer { _ in .text("a").header("Cache-Control", "max-age=1000") }
        return (server, Client(baseURL: server.url, cache: store))
    }

    /// A request that waited for the removal would not be sent before the gate opens.
    @Test(arguments: policies, [false, true])
    func requestsForOtherURLsDoNotWaitForARemoval(_ policy: CachePolicy, _ isTag: Bool) async throws {
        let store = GatedStore(holding: "held")
        let shared = SharedStore.of(store, waitLimit: .patient)
        defer { withExtendedLifetime(shared) {} }
        let (server, client) = try site(store)
        let removing = Task { if isTag { try await client.removeCachedResponses(tagged: "held") } }
        if !isTag { _ = try await client.send(HTTPRequest(.put, server, "/held")) }
        try await store.gate.reached()
        let user = client.with { $0.cachePolicy = policy }
        let order = Recorded<String>()
        let reading = Task {
            for number in 0..<60 {
                _ = try await user.get("/\(number)", as: String.self).value
                order.add("\(number)")
            }
        }
        try await within { try await reading.value }
        order.add("opened")
        #expect(order.all == (0..<60).map { "\($0)" } + ["opened"])
        #expect(server.requestCount == (isTag ? 60 : 61))
        store.gate.open()
        try await removing.value
        await client.finishStoring()
        #expect(store.memory.entryCount == 60)
        server.stop()
    }

    @Test func aRemovalDoesNotWaitForThatOfAnotherURL() async throws {
        let store = GatedStore(holding: "held")
        let (server, client) = try site(store)
        _ = try await client.get("/item", as: String.self).value
        await client.finishStoring()
        _ = try await client.send(HTTPRequest(.put, server, "/held"))
        try await store.gate.reached()
        _ = try await client.send(HTTPRequest(.put, server, "/item"))
        while store.memory.entryCount > 0 { await Task.yield() }
        _ = try await client.get("/item", as: String.self).value
        while store.memory.entryCount == 0 { await Task.yield() }
        store.gate.open()
        await client.finishStoring()
        #expect(store.memory.entryCount == 1)
        server.stop()
    }

    /// While a removal is held, the later ones of the same URL are performed together.
    @Test func removalsOfOneURLThatWaitAreJoined() async throws {
        let store = GatedStore(holding: "held")
        let (server, client) = try site(store)
        for _ in 0..<20 { _ = try await client.send(HTTPRequest(.put, server, "/held")) }
        try await store.gate.reached()
        store.gate.open()
        await client.finishStoring()
        #expect(store.gate.arrivals == 2)
        server.stop()
    }

    @Test func aRequestWaitsForTheRemovalOfItsOwnURL() async throws {
        let store = GatedStore(holding: "held")
        let (server, client) = try site(store)
        _ = try await client.send(HTTPRequest(.put, server, "/held"))
        try await store.gate.reached()
        let call = client.get("/held", as: String.self)
        store.gate.open()
        _ = try await call.value
        await client.finishStoring()
        #expect(store.memory.entryCount == 1)
        server.stop()
    }

    @Test(arguments: [
        ("PROPFIND", true), ("REPORT", true), ("SEARCH", true), ("QUERY", true), ("OPTIONS", true), ("HEAD", true),
        ("PROPPATCH", false), ("MKCOL", false), ("POST", false), ("PUT", false), ("PATCH", false), ("DELETE", false),
    ])
    func onlyMethodsThatChangeSomethingRemoveResponses(_ method: String, _ isSafe: Bool) async throws {
        let site = try HTTPCacheSite()
        site.origin.reply = HTTPCacheOrigin.Reply(headers: [("Cache-Control", "max-age=1000")], body: "a")
        _ = try await site.send()
        _ = try await site.send(method)
        #expect(try await site.send().source.isCache == isSafe)
    }

    /// The response to a `PROPFIND` depends on its depth.
    @Test func aPropfindOfAnotherDepthHasAResponseOfItsOwn() async throws {
        let (server, client) = try site(MemoryStore())
        server.answer { .text($0.headers["Depth"] ?? "none") }
        let user = client.with { $0.cachePolicy = .cacheElseNetwork(maxAge: .seconds(1_000)) }
        for _ in 0..<2 {
            for depth in ["0", "1", "infinity"] {
                let endpoint = Endpoint(method: "PROPFIND", path: "/item", headers: ["Depth": depth])
                #expect(try await user.request(endpoint, as: String.self).value == depth)
            }
        }
        #expect(server.requestCount == 3)
        server.stop()
    }
}
