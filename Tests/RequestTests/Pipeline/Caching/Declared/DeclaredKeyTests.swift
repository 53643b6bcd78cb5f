import Foundation
import LoopbackServer
import Synchronization
import TangoAuth
import TangoCache
import TangoCookies
import TangoMeasuring
import Testing

@testable import TangoRequest
@testable import TestSupport

/// Requests that share a cached response, and requests that must not.
@Suite(.timeLimit(.minutes(20)))
struct DeclaredKeyTests {
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

    /// Calls that share a transfer share its entry too, so calls whose entries differ send requests of their own.
    @Test func joinedCallsAreCachedUnderTheKeyOfEach() async throws {
        let site = try CacheSite()
        let gate = Gate()
        site.server.answer("/item", with: .item(1).header("Cache-Control", "max-age=1000").held(by: gate))
        let client = site.client().with { $0.uniqueness = .join }
        let requests = ["one", "one", "other", nil].map { key in
            let request = GetItem(client, .http)
            request.ownKey = key.map { CacheKey($0) }
            return request
        }
        let calls = requests.map { $0.start() }
        gate.open()
        for call in calls { #expect(try await call.value.id == 1) }
        await client.finishStoring()
        #expect(site.count == 3)
        for request in requests { #expect(try await request.cached()?.id == 1) }
    }

    /// A request whose instances read other parts of the response.
    private final class GetPart: Fetch<String> {
        let policy: CachePolicy

        init(_ path: JSONPath?, of client: Client, _ policy: CachePolicy) {
            self.policy = policy
            super.init(.get("/parts"), of: client, by: path.map { .json(at: $0) } ?? .string)
        }

        override var cachePolicy: CachePolicy { policy }
    }

    @Test(arguments: CacheSite.Kind.allCases)
    func modelsOfOtherSerializersAreNotUsed(_ kind: CacheSite.Kind) async throws {
        let site = try CacheSite(kind)
        site.server.answer("/parts", with: .json(#"{"a": "1", "b": "2"}"#))
        let client = site.client()
        for _ in 0..<2 {
            for (path, text) in [("a", "1"), ("b", "2"), (nil, #"{"a": "1", "b": "2"}"#)] as [(JSONPath?, String)] {
                let policy = CachePolicy.cacheElseNetwork(write: .model)
                #expect(try await GetPart(path, of: client, policy).promise.value == text)
                await client.finishStoring()
            }
        }
        #expect(site.count == 3)
        // An output that the application stores is for the same serializer only, also beside raw responses.
        try await GetPart("a", of: client, .cacheElseNetwork).store("mine")
        #expect(try await GetPart("a", of: client, .cacheElseNetwork).cached() == "mine")
        #expect(try await GetPart("b", of: client, .cacheElseNetwork).cached() == nil)
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

    /// A body that the request itself asks to be encoded is not decoded. A key of its own replaces no `Vary`.
    @Test(arguments: ["Accept", "Accept-Encoding", "Accept-Language"], [nil, "mine"])
    func negotiatedResponsesAreNotMixedUp(_ name: String, _ key: String?) async throws {
        let site = try CacheSite()
        site.server.answer("/item") { request in
            .item(request.headers[name] == "de" ? 1 : request.headers[name] == "en" ? 2 : 3).header("Vary", name)
        }
        let client = site.client()
        for _ in 0..<2 {
            for (value, expected) in [("de", 1), ("en", 2), (nil, 3)] as [(String?, Int)] {
                let headers = value.map { Headers([(name, $0)]) } ?? [:]
                let request = GetItem(client, .cacheElseNetwork, .get("/item", headers: headers))
                request.ownKey = key.map { CacheKey($0) }
                #expect(try await request.promise.value.id == expected)
            }
        }
        #expect(site.count == 3)
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
}
