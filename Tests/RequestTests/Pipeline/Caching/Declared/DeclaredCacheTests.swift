import Foundation
import LoopbackServer
import Synchronization
import TangoCache
import TangoCookies
import TangoPromise
import Testing

@testable import TangoRequest
@testable import TestSupport

/// Defaults, sources and ages of declared policies.
@Suite(.timeLimit(.minutes(20)))
struct DeclaredCacheTests {
    // MARK: Defaults

    @Test func defaultPolicyIsHTTPWithAStoreAndNetworkOnlyWithoutOne() throws {
        let site = try CacheSite()
        func policy(of client: Client) -> CachePolicy { Fetch<String>(.get("/a"), of: client).cachePolicy }
        #expect(policy(of: site.client()) == .http)
        #expect(policy(of: Client()) == .networkOnly)
        #expect(policy(of: Client { $0.cachePolicy = .reload }) == .reload)
        #expect(policy(of: Client().with { $0.cachePolicy = .reload }) == .reload)
    }

    @Test func requestOverridesThePolicyOfItsClient() async throws {
        let site = try CacheSite()
        let client = site.client(policy: .cacheElseNetwork)
        site.server.answer("/item", with: .item(1))
        for _ in 0..<3 { #expect(try await GetItem(client, nil).promise.value.id == 1) }
        #expect(site.count == 1)
        #expect(try await GetItem(client, .networkOnly).promise.value.id == 1)
        #expect(site.count == 2)
    }

    @Test func interceptorCanReadThePolicy() async throws {
        struct Asking: Interceptor {
            let facts: Facts
            func intercept(_ request: HTTPRequest, context: CallContext, next: Next) async throws -> HTTPResponse {
                facts.note("\(context.cachePolicy.fetch)")
                return try await next(request)
            }
        }
        let site = try CacheSite()
        site.server.answer("/item", with: .item(1))
        let facts = Facts()
        let client = Client(baseURL: site.server.url, cache: site.store) {
            $0.interceptors = [Asking(facts: facts)]
        }
        _ = try await GetItem(client, nil).promise.value
        _ = try await GetItem(client, .reload).promise.value
        #expect(facts.all == ["http", "reload"])
    }

    @Test func clientWithoutAStoreUsesOnlyTheNetwork() async throws {
        let site = try CacheSite()
        site.server.answer("/item", with: .item(1))
        let client = Client(baseURL: site.server.url)
        for policy: CachePolicy in [.cacheElseNetwork, .cacheThenNetwork, .networkElseCache, .reload] {
            #expect(try await GetItem(client, policy).promise.value.id == 1)
        }
        #expect(await refusal(of: GetItem(client, .cacheOnly).promise)?.code == .notCached)
        #expect(try await GetItem(client, .cacheElseNetwork).cached() == nil)
        #expect(site.count == 4)
    }

    // MARK: Sources

    @Test(arguments: CacheSite.Kind.allCases, [CachePolicy.Write.raw, .model])
    func responseHasItsSourceAndAge(_ kind: CacheSite.Kind, _ write: CachePolicy.Write) async throws {
        let site = try CacheSite(kind)
        site.server.answer("/item", with: .item(1).header("Set-Cookie", "a=b").header("X-Kept", "yes"))
        let client = site.client()
        func call(_ policy: CachePolicy) async throws -> HTTPResponse {
            let call = GetItem(client, policy).start()
            #expect(try await call.value.id == 1)
            await client.finishStoring()
            return try #require(call.response)
        }
        let first = try await call(.cacheElseNetwork(write: write))
        #expect(first.source == .network)
        #expect(first.headers["Set-Cookie"] == "a=b")
        site.clock.advance(by: .seconds(7))
        let second = try await call(.cacheElseNetwork(write: write))
        #expect(second.source == .cache(age: .seconds(7), isStale: false))
        #expect(second.headers["Set-Cookie"] == "a=b")
        #expect(second.headers["X-Kept"] == "yes")
        #expect(second.status == .ok)
        #expect(second.request?.url == site.server.url("/item"))
        #expect(second.body == (write == .raw ? first.body : Data()))
        site.server.stop()
        site.clock.advance(by: .seconds(3))
        let third = try await call(.networkElseCache(write: write))
        #expect(third.source == .cache(age: .seconds(10), isStale: true))
    }

    @Test func serializerCanReadTheSourceOfAResponse() async throws {
        let site = try CacheSite()
        site.server.answer("/item", with: .item(1))
        final class Source: Request<String> {
            let owner: Client
            init(_ owner: Client) { self.owner = owner }
            override var client: Client { owner }
            override var endpoint: Endpoint { .get("/item") }
            override var cachePolicy: CachePolicy { .networkElseCache }
            override var serializer: Serializer<String> { Serializer { "\($0.source.isStale)" } }
        }
        let client = site.client()
        #expect(try await Source(client).promise.value == "false")
        site.server.stop()
        #expect(try await Source(client).promise.value == "true")
    }

    // MARK: Without decoding

    /// A model that counts its decodings.
    private struct Counted: Codable, Sendable {
        static let decodings = Atomic<Int>(0)
        let id: Int

        init(from decoder: any Decoder) throws {
            id = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .id)
            Self.decodings.add(1, ordering: .relaxed)
        }
    }

    private final class GetCounted: Request<Counted> {
        let owner: Client
        let policy: CachePolicy

        init(_ owner: Client, _ policy: CachePolicy) {
            self.owner = owner
            self.policy = policy
        }

        override var client: Client { owner }
        override var endpoint: Endpoint { .get("/item") }
        override var cachePolicy: CachePolicy { policy }
    }

    @Test func aSecondHitInMemoryDecodesNothing() async throws {
        for write in [CachePolicy.Write.raw, .model] {
            let site = try CacheSite(.disk)
            site.server.answer("/item", with: .item(1))
            let first = site.client()
            _ = try await GetCounted(first, .cacheElseNetwork(write: write)).promise.value
            await first.finishStoring()
            let before = Counted.decodings.load(ordering: .relaxed)
            let tiered = TieredStore(over: site.store)
            let client = site.client(store: tiered)
            for _ in 0..<5 { _ = try await GetCounted(client, .cacheElseNetwork(write: write)).promise.value }
            #expect(Counted.decodings.load(ordering: .relaxed) == before + 1, "\(write)")
            #expect(site.count == 1)
        }
    }

    // MARK: By request

    @Test(arguments: CacheSite.Kind.allCases, [CachePolicy.Write.raw, .model])
    func outputCanBeReadStoredAndEvictedByItsRequest(
        _ kind: CacheSite.Kind, _ write: CachePolicy.Write
    ) async throws {
        let site = try CacheSite(kind)
        let client = site.client()
        let other = site.client(identity: "ada")
        let policy = CachePolicy.cacheElseNetwork(maxAge: .seconds(10), write: write)
        #expect(try await GetItem(client, policy).cached() == nil)
        let request = GetItem(client, policy)
        request.words = ["items"]
        try await request.store(Item(id: 5))
        #expect(try await GetItem(client, policy).cached() == Item(id: 5))
        #expect(try await GetItem(client, policy).promise.value == Item(id: 5))
        #expect(try await GetItem(other, policy).cached() == nil)
        site.clock.advance(by: .seconds(10))
        #expect(try await GetItem(client, policy).cached() == nil)
        try await request.store(Item(id: 6))
        #expect(try await GetItem(client, policy).cached() == Item(id: 6))
        try await GetItem(other, policy).evict()
        #expect(try await GetItem(client, policy).cached() == Item(id: 6))
        try await GetItem(client, policy).evict()
        #expect(try await GetItem(client, policy).cached() == nil)
        try await request.store(Item(id: 7))
        #expect(try await site.store.remove(tag: "items") == 1)
        #expect(try await GetItem(client, policy).cached() == nil)
        #expect(site.count == 0)
    }

    @Test func failureToStoreIsReported() async throws {
        let site = try CacheSite()
        let client = site.client(store: MemoryStore(limits: CacheLimits(bytes: 10)))
        await #expect(throws: CacheError.self) { try await GetItem(client, .reload).store(Item(id: 1)) }
        struct Opaque: Sendable {}
        let opaque = Fetch<Opaque>(.get("/a"), of: site.client(), by: Serializer { _ in Opaque() })
        #expect(await refusal { try await opaque.store(Opaque()) }?.code == .notEncodable)
        let upload = GetItem(client, .reload, .post("/a", body: .file(site.server.url)))
        #expect(await refusal { try await upload.cached() }?.code == .unsupported)
    }

    @Test func outputThatIsNotCodableIsStoredAsResponse() async throws {
        let site = try CacheSite()
        site.server.answer("/item", with: .item(1))
        let client = site.client(policy: .cacheElseNetwork(write: .model))
        final class GetRaw: Fetch<HTTPResponse> {}
        for _ in 0..<2 {
            let response = try await GetRaw(.get("/item"), of: client).promise.value
            #expect(response.headers["ETag"] == "\"1\"")
        }
        #expect(site.count == 1)
    }

    @Test func requestWithoutAClassStoresTheResponse() async throws {
        let site = try CacheSite()
        site.server.answer("/item", with: .item(1))
        let client = site.client(policy: .cacheElseNetwork(write: .model))
        #expect(try await client.request(.get("/item"), serializer: .json(at: "name")).value == "item 1")
        #expect(try await client.request(.get("/item"), serializer: Serializer { $0.body.count }).value > 10)
        #expect(try await client.get("/item", as: Item.self).value.id == 1)
        #expect(site.count == 1)
    }

    @Test func messageCanBeServedFromTheCache() async throws {
        let site = try CacheSite()
        site.server.answer("/item", with: .item(1))
        let client = site.client()
        let message = HTTPRequest(url: site.server.url("/item"))
        let first = try await client.send(message, cachePolicy: .cacheElseNetwork)
        site.clock.advance(by: .seconds(4))
        let second = try await client.send(message, cachePolicy: .cacheElseNetwork)
        #expect(first.source == .network)
        #expect(second.source == .cache(age: .seconds(4), isStale: false))
        #expect(second.body == first.body)
        #expect(site.count == 1)
        // A declared request with the same URL shares the response.
        #expect(try await GetItem(client, .cacheOnly).promise.value.id == 1)
    }

    // MARK: Ages

    @Test(arguments: CacheSite.Kind.allCases)
    func hitRestartsASlidingAge(_ kind: CacheSite.Kind) async throws {
        let site = try CacheSite(kind)
        site.server.answer("/item", with: .item(1))
        let client = site.client()
        let policy = CachePolicy(fetch: .cacheElseNetwork, hit: .sliding(.seconds(10)))
        for _ in 0..<5 {
            #expect(try await GetItem(client, policy).promise.value.id == 1)
            await client.finishStoring()
            site.clock.advance(by: .seconds(9))
        }
        #expect(site.count == 1)
        let call = GetItem(client, policy).start()
        _ = try await call.value
        #expect(call.response?.source == .cache(age: .seconds(45), isStale: false))
        await client.finishStoring()
        site.clock.advance(by: .seconds(10))
        #expect(try await GetItem(client, policy).promise.value.id == 1)
        #expect(site.count == 2)
    }

    @Test func agesUseTheConfiguredDate() async throws {
        let site = try CacheSite()
        site.server.answer("/item", with: .item(1))
        let time = Mutex(Date())
        let client = Client(baseURL: site.server.url, cache: site.store) {
            $0.cachePolicy = .cacheElseNetwork(maxAge: .seconds(10))
            $0.now = { time.withLock { $0 } }
        }
        for _ in 0..<3 {
            _ = try await GetItem(client, nil).promise.value
            time.withLock { $0 += 6 }
        }
        #expect(site.count == 2)
    }

    @Test(arguments: [206, 299, 301, 401, 407, 500])
    func onlySomeStatusesAreCached(_ status: Int) async throws {
        let site = try CacheSite()
        site.server.answer("/item", with: .item(1).status(status))
        let client = site.client(validation: .none)
        let isCached = status == 299 || status == 301
        for _ in 0..<2 { #expect(try await GetItem(client, .cacheElseNetwork).promise.value.id == 1) }
        #expect(site.count == (isCached ? 1 : 2))
    }
}
