import Foundation
import LoopbackServer
import TangoAuth
import TangoCache
import TangoMeasuring
import TangoPromise
import Testing

@testable import TangoRequest
@testable import TestSupport

/// Calls in flight while responses are removed or replaced.
@Suite(.timeLimit(.minutes(20)))
struct RemovedMeanwhileTests {
    final class JoiningItem: GetItem {
        override var uniqueness: Uniqueness { .join }
    }

    private let site: CacheSite
    private let gate = Gate()

    init() throws {
        site = try CacheSite()
        site.server.answer("/item", with: .item(1).held(by: gate))
    }

    @Test func callInFlightDuringSignOutStoresNothing() async throws {
        let client = site.client(identity: "ada")
        let call = GetItem(client, .reload).start()
        try await gate.reached()
        try await client.removeCachedResponses()
        gate.open()
        #expect(try await call.value.id == 1)
        #expect(try await GetItem(client, .reload).cached() == nil)
        #expect(try await site.store.statistics().count == 0)
    }

    @Test(arguments: [true, false])
    func responseThatArrivesAfterEvictOrStoreIsNotStored(isStored: Bool) async throws {
        let client = site.client()
        site.server.answer("/item/3", with: .item(3).held(by: gate))
        let call = GetItem(client, .reload).start()
        let other = GetItem(client, .reload, .get("/item/3")).start()
        try await gate.reached(count: 2)
        let request = GetItem(client, .reload)
        if isStored { try await request.store(Item(id: 2)) } else { try await request.evict() }
        gate.open()
        #expect(try await call.value.id == 1)
        #expect(try await request.cached()?.id == (isStored ? 2 : nil))
        // Another request is not affected, although its key begins with the same text.
        #expect(try await other.value.id == 3)
        #expect(try await GetItem(client, .reload, .get("/item/3")).cached()?.id == 3)
        // The next call is not affected either.
        _ = try await GetItem(client, .reload).promise.value
        #expect(try await request.cached()?.id == 1)
    }

    /// The call that began later has the newer response, whichever arrives first. Variants do not replace each other.
    @Test(arguments: [nil, "X-Zone", "X-Other"], [true, false])
    func responseOfAnOlderCallReplacesNoNewerOne(_ vary: String?, isNewerFirst: Bool) async throws {
        let client = site.client()
        let newest = Gate()
        func start(zone: String, _ id: Int, _ gate: Gate) async throws -> Call<Item> {
            let response = vary.map { Response.item(id).header("Vary", $0) } ?? .item(id)
            site.server.answer("/zones", with: response.held(by: gate))
            let call = GetItem(client, .reload, .get("/zones", headers: ["X-Zone": zone])).start()
            try await gate.reached()
            return call
        }
        let (older, newer) = (try await start(zone: "1", 1, gate), try await start(zone: "2", 2, newest))
        let all = [(gate, older), (newest, newer)]
        for (gate, call) in isNewerFirst ? all.reversed() : all {
            gate.open()
            _ = try await call.value
        }
        for (zone, id) in [("1", vary == "X-Zone" ? 1 : 2), ("2", 2)] {
            let request = GetItem(client, .reload, .get("/zones", headers: ["X-Zone": zone]))
            #expect(try await request.cached()?.id == id)
        }
    }

    // MARK: Evicting

    /// A request that refuses items with the number one, and runs a function in the middle of reading a cached one.
    private final class Picky: GetItem {
        var whileReading: @Sendable () -> Void = {}

        override var validation: Validation {
            .business { [whileReading] response in
                if response.source.isCache { whileReading() }
                return response.body.contains(UInt8(ascii: "1")) ? BusinessFailure(code: 1) : nil
            }
        }
    }

    @Test func lookupRemovesAnUnusableResponseAndNotANewerOne() async throws {
        let (store, client) = (try #require(site.store as? MemoryStore), site.client())
        gate.open()
        site.server.enqueue(.item(2), .item(1))
        var entries: [(key: CacheKey, entry: CacheEntry)] = []
        for _ in 0..<2 {
            _ = try await GetItem(client, .reload).promise.value
            for try await item in store.entries() { entries.append((item.key, try #require(store.peek(item.key)))) }
        }
        let newer = entries[0]
        let request = Picky(client, .cacheOnly)
        request.whileReading = { try? store.put(newer.entry, for: newer.key) }
        #expect(try await request.cached() == nil)
        #expect(try await GetItem(client, .reload).cached()?.id == 2)
    }

    @Test(arguments: [true, false])
    func refusedCallRemovesOlderResponsesOnly(isOlder: Bool) async throws {
        let client = site.client()
        let newest = Gate()
        func start(_ isRefused: Bool, _ gate: Gate) async throws -> Call<Item> {
            site.server.answer("/item", with: .item(isRefused ? 1 : 2).held(by: gate))
            let call = (isRefused ? Picky(client, .reload) : GetItem(client, .reload)).start()
            try await gate.reached()
            return call
        }
        let (older, newer) = (try await start(isOlder, gate), try await start(!isOlder, newest))
        for (gate, call) in [(newest, newer), (gate, older)] {
            gate.open()
            _ = try? await call.value
        }
        #expect(try await GetItem(client, .reload).cached()?.id == (isOlder ? 2 : nil))
    }

    @Test func newCallDoesNotJoinATransferFromBeforeARemoval() async throws {
        let client = site.client()
        let before = JoiningItem(client, .cacheElseNetwork).start()
        try await gate.reached()
        try await client.removeCachedResponses()
        let after = JoiningItem(client, .cacheElseNetwork).start()
        try await gate.reached(count: 2)
        gate.open()
        #expect(try await before.value.id == 1)
        #expect(try await after.value.id == 1)
        #expect(try await JoiningItem(client, .cacheOnly).promise.value.id == 1)
        #expect(site.count == 2)
    }

    /// A store that throws if the task of its caller is cancelled.
    private final class HeedingStore: CacheStore {
        let memory = MemoryStore()

        func get(_ key: CacheKey) async throws -> CacheEntry? { memory.peek(key) }

        func set(_ entry: CacheEntry, for key: CacheKey) async throws {
            try Task.checkCancellation()
            try memory.put(entry, for: key)
        }

        func remove(_ key: CacheKey) async throws {
            try Task.checkCancellation()
            memory.drop(key)
        }

        func removeAll(progress: @escaping @Sendable (CacheProgress) -> Void) async throws {
            try Task.checkCancellation()
            memory.dropAll()
        }

        func entries() -> CacheEntries { memory.entries() }
    }

    /// The screen of the user who signs out may have closed, and cancelled its task.
    @Test func cancelledTaskStillRemovesResponses() async throws {
        gate.open()
        let store = HeedingStore()
        let client = site.client(store: store)
        let request = GetItem(client, .reload)
        request.words = ["items"]
        for isTagged in [true, false] {
            _ = try await request.start().value
            await client.finishStoring()
            #expect(store.memory.entryCount == 1)
            let signingOut = Task {
                while !Task.isCancelled { await Task.yield() }
                if isTagged {
                    try await client.removeCachedResponses(tagged: "items")
                } else {
                    try await client.removeCachedResponses()
                }
            }
            signingOut.cancel()
            try await signingOut.value
            #expect(store.memory.entryCount == 0)
        }
    }

    // MARK: Revalidation

    /// An interceptor between cache and server. It adds credentials once the user has signed in.
    private final class Signature: Interceptor {
        let facts = Facts()

        func intercept(_ request: HTTPRequest, context: CallContext, next: Next) async throws -> HTTPResponse {
            var request = request
            if facts.count > 0 { request.headers["Authorization"] = "Bearer ada" }
            return try await next(request)
        }
    }

    @Test func headersOfARevalidationWithCredentialsAreNotStored() async throws {
        let signature = Signature()
        let client = Client(baseURL: site.server.url, cache: site.store) {
            $0.interceptors = [signature]
            $0.clock = site.clock
        }
        site.server.answer("/item", with: .item(1))
        _ = try await GetItem(client, .reload).promise.value
        site.server.answer("/item", with: .status(304, headers: ["X-User": "ada"]))
        signature.facts.note("signed in")
        let call = GetItem(client, .cacheThenNetwork).start()
        for try await item in call.values { #expect(item.id == 1) }
        #expect(call.response?.headers["X-User"] == "ada")
        let cached = GetItem(client, .cacheOnly).start()
        #expect(try await cached.value.id == 1)
        #expect(cached.response?.headers["X-User"] == nil)
    }

    @Test func varyHeaderOfANotModifiedResponseApplies() async throws {
        let client = site.client()
        func request(_ policy: CachePolicy, zone: String) -> GetItem {
            GetItem(client, policy, .get("/item", headers: ["X-Zone": zone]))
        }
        site.server.answer("/item", with: .item(1))
        _ = try await request(.reload, zone: "1").promise.value
        site.server.answer("/item", with: .status(304, headers: ["Vary": "X-Zone"]))
        for try await _ in request(.cacheThenNetwork, zone: "1").values {}
        #expect(try await request(.cacheOnly, zone: "1").cached()?.id == 1)
        #expect(try await request(.cacheOnly, zone: "2").cached() == nil)
    }
}
