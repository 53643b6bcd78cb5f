import Foundation
import LoopbackServer
import Synchronization
import TangoCache
import TangoPromise
import Testing

@testable import TangoRequest

/// Defaults, keys, identities, sources and ages of declared policies.
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

    // MARK: Keys

    @Test func policyAppliesToAPostOnlyIfTheRequestDeclaresIt() async throws {
        let site = try CacheSite()
        site.server.answer("/item") { request in
            .item(String(decoding: request.body, as: UTF8.self).contains("1") ? 1 : 2)
        }
        let client = site.client(policy: .cacheElseNetwork)
        func post(_ number: Int, _ policy: CachePolicy?) async throws -> Int {
            let body: JSONFields = ["a": "x", "number": number, "z": 0]
            return try await GetItem(client, policy, .post("/item", body: .json(body))).promise.value.id
        }
        for _ in 0..<2 { #expect(try await post(1, nil) == 1) }
        #expect(site.count == 2)
        for _ in 0..<3 {
            #expect(try await post(1, .cacheElseNetwork(maxAge: .seconds(5))) == 1)
            #expect(try await post(2, .cacheElseNetwork(maxAge: .seconds(5))) == 2)
        }
        #expect(site.count == 4)
    }

    static let policies: [CachePolicy] = [.cacheElseNetwork, .http]

    @Test(arguments: policies)
    func responseOfAnotherSchemaVersionIsNotUsed(_ policy: CachePolicy) async throws {
        let site = try CacheSite()
        site.server.answer("/item", with: .item(1).header("Cache-Control", "max-age=1000"))
        let client = site.client()
        for version in [0, 1, 1, 0, 2] {
            let request = GetItem(client, policy)
            request.version = version
            _ = try await request.promise.value
        }
        #expect(site.count == 3)
        let request = GetItem(client, policy)
        request.version = 1
        #expect(try await request.cached()?.id == 1)
        try await request.evict()
        #expect(try await request.cached() == nil)
        #expect(try await GetItem(client, policy).cached()?.id == 1)
    }

    @Test(arguments: policies)
    func requestsWithTheSameCacheKeyShareAResponse(_ policy: CachePolicy) async throws {
        let site = try CacheSite()
        site.server.answer("/item*", with: .item(1).header("Cache-Control", "max-age=1000"))
        let client = site.client()
        for number in 0..<4 {
            let request = GetItem(client, policy, .get("/item", query: ["nonce": number]))
            request.ownKey = "the item"
            _ = try await request.promise.value
        }
        #expect(site.count == 1)
        let request = GetItem(client, policy, .get("/item", query: ["nonce": 9]))
        request.ownKey = "the item"
        #expect(try await request.cached()?.id == 1)
        try await request.evict()
        #expect(try await site.store.statistics().count == 0)
    }

    /// Validators belong to one URL.
    @Test func responsesWithACacheKeyAreNotRevalidatedWithTheValidatorsOfAnotherURL() async throws {
        let site = try CacheSite()
        for day in [1, 2] {
            site.server.answer("/day/\(day)") { request in
                let isPlain = request.headers["If-None-Match"] == nil
                return isPlain ? .item(day).header("ETag", "\"1\"").header("Cache-Control", "max-age=5") : .status(304)
            }
        }
        let client = site.client()
        for day in [1, 2] {
            let request = GetItem(client, .http, .get("/day/\(day)"))
            request.ownKey = "today"
            #expect(try await request.promise.value.id == day)
            site.clock.advance(by: .seconds(10))
        }
        #expect(site.server.requests.allSatisfy { $0.headers["If-None-Match"] == nil })
        // Without a server, the last response is served.
        site.server.stop()
        let request = GetItem(client, .http, .get("/day/1"))
        request.ownKey = "today"
        #expect(try await request.promise.value.id == 2)
    }

    /// A change of a URL applies to calls in flight, also if their responses have a cache key.
    @Test func aResponseWithACacheKeyIsNotCachedAfterAChangeOfItsURL() async throws {
        let site = try CacheSite()
        let gate = Gate()
        site.server.answer("/item", with: .item(1).header("Cache-Control", "max-age=1000").held(by: gate))
        let client = site.client()
        let request = GetItem(client, .http)
        request.ownKey = "the item"
        let call = request.start()
        try await gate.reached()
        site.server.answer("/item", with: .item(2))
        _ = try await GetItem(client, .networkOnly, .put("/item")).promise.value
        gate.open()
        #expect(try await call.value.id == 1)
        await client.finishStoring()
        #expect(try await request.cached() == nil)
    }

    @Test(arguments: ["Authorization", "Cookie"], policies)
    func cacheKeyIsNotSharedBetweenUsers(_ name: String, _ policy: CachePolicy) async throws {
        let site = try CacheSite()
        site.server.answer("/item") {
            .item($0.headers[name] == "ada" ? 1 : 2).header("Cache-Control", "max-age=1000")
        }
        let client = site.client()
        for _ in 0..<2 {
            for (user, expected) in [("ada", 1), ("bob", 2)] {
                let request = GetItem(client, policy, .get("/item", headers: [name: user]))
                request.ownKey = "me"
                #expect(try await request.promise.value.id == expected)
            }
        }
        #expect(site.count == 2)
    }

    /// A client certificate identifies a user. A response from an unverified server is not for clients that verify it.
    @Test(arguments: [CachePolicy.cacheElseNetwork, .http])
    func responsesAreNotSharedBetweenTrustRules(_ policy: CachePolicy) async throws {
        let site = try CacheSite()
        site.server.answer("/item", with: .item(1).header("Cache-Control", "max-age=1000"))
        let rules: [ServerTrust] = [
            .system, .developmentHost("127.0.0.1"), .authorities([.pem("one")]), .authorities([.pem("two")]),
        ]
        for (count, trust) in rules.enumerated() {
            let client = Client(baseURL: site.server.url, cache: site.store) {
                $0.cachePolicy = policy
                $0.trust = trust
            }
            for _ in 0..<2 { _ = try await GetItem(client, nil).promise.value }
            #expect(site.count == count + 1, "\(trust)")
        }
    }

    @Test func responsesAreNotSharedBetweenLanguages() async throws {
        let site = try CacheSite()
        site.server.answer("/item") { .item($0.headers["Accept-Language"] == "de" ? 1 : 2) }
        let client = site.client()
        for _ in 0..<2 {
            for (language, expected) in [("de", 1), ("en", 2)] {
                let place = Endpoint.get("/item", headers: ["Accept-Language": language])
                #expect(try await GetItem(client, .cacheElseNetwork, place).promise.value.id == expected)
            }
        }
        #expect(site.count == 2)
    }

    @Test(arguments: CacheSite.Kind.allCases)
    func variantsFollowTheVaryHeader(_ kind: CacheSite.Kind) async throws {
        let site = try CacheSite(kind)
        site.server.answer("/item") { request in
            .item(Int(request.headers["X-Version"] ?? "0") ?? 0).header("Vary", "X-Version")
        }
        let client = site.client()
        for version in [1, 1, 2, 2, 1] {
            let place = Endpoint.get("/item", headers: ["X-Version": "\(version)"])
            #expect(try await GetItem(client, .cacheElseNetwork, place).promise.value.id == version)
            await client.finishStoring()
        }
        // Variants are cached side by side.
        #expect(site.count == 2)
    }

    // MARK: Identities

    @Test(arguments: CacheSite.Kind.allCases)
    func responsesAreNotSharedBetweenIdentities(_ kind: CacheSite.Kind) async throws {
        let site = try CacheSite(kind)
        let number = Mutex(0)
        site.server.answer("/item") { _ in
            .item(
                number.withLock {
                    $0 += 1; return $0
                })
        }
        let users: [String?] = ["ada", "bob", "ad", nil]
        let clients = users.map { site.client(identity: $0) }
        for _ in 0..<2 {
            for (index, client) in clients.enumerated() {
                #expect(try await GetItem(client, .cacheElseNetwork).promise.value.id == index + 1)
                await client.finishStoring()
            }
        }
        try await clients[0].removeCachedResponses()
        #expect(try await GetItem(clients[0], .cacheElseNetwork).cached() == nil)
        for (index, client) in clients.enumerated().dropFirst() {
            #expect(try await GetItem(client, .cacheElseNetwork).cached()?.id == index + 1)
        }
    }

    @Test func differentCredentialsWithoutAnIdentityAreDifferentUsers() async throws {
        let site = try CacheSite()
        site.server.answer("/item") { .item($0.headers["Authorization"] == "Bearer a" ? 1 : 2) }
        for _ in 0..<2 {
            for (token, expected) in [("a", 1), ("b", 2)] {
                let client = site.client(headers: .bearerAuthorization(token: token))
                #expect(try await GetItem(client, .cacheElseNetwork).promise.value.id == expected)
            }
        }
        #expect(site.count == 2)
        for token in ["c", "d"] {
            let client = site.client(headers: .bearerAuthorization(token: token), identity: "ada")
            #expect(try await GetItem(client, .cacheElseNetwork).promise.value.id == 2)
        }
        #expect(site.count == 3)
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
        #expect(second.headers["Set-Cookie"] == nil)
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
