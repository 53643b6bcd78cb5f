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
