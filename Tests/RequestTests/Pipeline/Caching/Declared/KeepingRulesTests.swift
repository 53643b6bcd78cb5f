import Foundation
import LoopbackServer
import Synchronization
import TangoAuth
import TangoCache
import TangoMeasuring
import Testing

@testable import TangoRequest
@testable import TestSupport

/// The rules for storing and evicting responses, with their tags and keys.
@Suite(.timeLimit(.minutes(20)))
struct KeepingRulesTests {
    private let site: CacheSite

    init() throws {
        site = try CacheSite()
    }

    // MARK: Tags

    @Test(arguments: [CachePolicy.http, .reload])
    func anEntryHasTheTagsOfTheLastRequest(_ policy: CachePolicy) async throws {
        let client = site.client()
        site.server.answer("/item", with: Response.item(1).header("Cache-Control", "max-age=0"))
        for number in 0..<20 {
            if policy == .http {
                site.server.answer("/item", with: Response.item(number).header("Cache-Control", "max-age=0"))
            }
            let request = GetItem(client, policy)
            request.words = ["screen \(number)"]
            _ = try await request.promise.value
            await client.finishStoring()
        }
        for try await item in site.store.entries() {
            #expect(item.tags.filter { $0.hasPrefix("screen") } == ["screen 19"])
        }
        try await client.removeCachedResponses(tagged: "screen 19")
        #expect(try await site.store.statistics().count == 0)
    }

    /// Each variant has a tag of its own.
    @Test func anEntryHasTheTagsOfAllItsVariants() async throws {
        let client = site.client()
        site.server.answer(
            "/item", with: Response.item(1).header("Cache-Control", "max-age=99").header("Vary", "X-Zone"))
        for zone in ["1", "2", "1"] {
            let request = GetItem(
                client, .http, .get("/item", headers: ["X-Zone": zone, "Cache-Control": "no-cache, no-transform"]))
            request.words = ["zone \(zone)", "line\nbreak", "back\\slash"]
            _ = try await request.promise.value
            await client.finishStoring()
        }
        for try await item in site.store.entries() {
            #expect(item.tags.isSuperset(of: ["zone 1", "zone 2", "line\nbreak", "back\\slash"]))
        }
        try await client.removeCachedResponses(tagged: "line\nbreak")
        #expect(try await site.store.statistics().count == 0)
    }

    // MARK: Vary

    /// An interceptor that sets a header between the cache and the server.
    private final class Setting: Interceptor {
        let name: String
        let value = Mutex("1")

        init(_ name: String) {
            self.name = name
        }

        func intercept(_ request: HTTPRequest, context: CallContext, next: Next) async throws -> HTTPResponse {
            var request = request
            request.headers[name] = value.withLock(\.self)
            return try await next(request)
        }
    }

    @Test(arguments: ["X-Version", "Accept-Language", "Accept"])
    func responsesVaryingByAFieldOfAnInterceptorAreNotCached(_ name: String) async throws {
        let setting = Setting(name)
        let client = Client(baseURL: site.server.url, cache: site.store) {
            $0.cachePolicy = .cacheElseNetwork
            $0.interceptors = [setting]
        }
        site.server.answer("/item") { request in
            Response.item(Int(request.headers[name] ?? "") ?? 0).header("Vary", "\(name), Accept-Encoding")
        }
        for value in ["1", "2"] {
            setting.value.withLock { $0 = value }
            #expect(try await GetItem(client, nil).promise.value.id == Int(value))
            await client.finishStoring()
        }
        // The response does not vary by the field, so it is cached.
        site.server.answer("/item", with: Response.item(3).header("Vary", "Accept-Encoding, X-Other"))
        for _ in 0..<2 {
            #expect(try await GetItem(client, nil).promise.value.id == 3)
            await client.finishStoring()
        }
        #expect(site.count == 3)
    }

    /// Observers learn why nothing is cached, for example because of added credentials.
    @Test(arguments: [CachePolicy.cacheElseNetwork, .http])
    func responsesThatInterceptorsKeepOutOfTheCacheAreReported(_ policy: CachePolicy) async throws {
        for name in ["Authorization", "X-Version", "Host"] {
            let reason = name == "Authorization" ? "credentialsAdded" : "requestChanged"
            let facts = Facts()
            let client = Client(baseURL: site.server.url, cache: site.store) {
                $0.cachePolicy = policy
                $0.attemptInterceptors = [Setting(name)]
                $0.observers = [facts.observer()]
            }
            site.server.answer(
                "/item", with: Response.item(1).header("Cache-Control", "max-age=99").header("Vary", "X-Version"))
            _ = try await GetItem(client, nil).promise.value
            await client.shutdown()
            #expect(facts.all.contains("not stored \(reason)"), "\(name)")
            #expect(try await site.store.statistics().count == 0)
        }
    }

    // MARK: Validation

    private final class Strict: GetItem {
        var rules = Validation.default
        override var validation: Validation { rules }
    }

    /// The cached response is the same in memory, also beside its output, and on disk.
    @Test(arguments: CacheSite.Kind.allCases, [true, false])
    func cachedResponseIsValidated(_ kind: CacheSite.Kind, isQuick: Bool) async throws {
        let site = try CacheSite(kind)
        site.server.answer("/item", with: .item(1))
        let client = site.client()
        let refusing: Validation = isQuick ? .status([204]) : .business { _ in BusinessFailure(code: 1) }
        for rules in [.default, .default, refusing] {
            let request = Strict(client, .cacheElseNetwork)
            request.rules = rules
            _ = try? await request.promise.value
            await client.finishStoring()
        }
        #expect(site.count == 2)
        #expect(site.facts.all.contains("evicted unusable"))
        _ = try await Strict(client, .reload).promise.value
        let request = Strict(client, .cacheElseNetwork)
        request.rules = refusing
        #expect(try await request.cached() == nil)
    }

    // MARK: Messages

    @Test(
        arguments: [
            (200, nil, true), (203, nil, true), (204, nil, true), (301, nil, false), (302, nil, false),
            (403, nil, false),
            (404, nil, false), (410, nil, false), (429, nil, false), (503, nil, false), (200, "no-store", false),
            (200, "max-age=9, NO-STORE", false), (200, "no-cache", true), (200, "private", true),
        ] as [(Int, String?, Bool)])
    func onlySuccessesOfMessagesAreCached(_ status: Int, _ control: String?, _ isCached: Bool) async throws {
        let client = site.client()
        let answer = Response.status(status)
        site.server.answer("/a", with: control.map { answer.header("Cache-Control", $0) } ?? answer)
        for _ in 0..<2 {
            let request = HTTPRequest(url: site.server.url("/a"))
            #expect(try await client.send(request, cachePolicy: .cacheElseNetwork).status.code == status)
            await client.finishStoring()
        }
        #expect(site.count == (isCached ? 1 : 2))
    }

    @Test func messagesWithNoStoreAreNotCached() async throws {
        let client = site.client()
        site.server.answer("/a", with: .text("a"))
        for _ in 0..<2 {
            let request = HTTPRequest(url: site.server.url("/a"), headers: ["Cache-Control": "no-store"])
            _ = try await client.send(request, cachePolicy: .cacheElseNetwork)
            await client.finishStoring()
        }
        #expect(site.count == 2)
    }

    // MARK: Evicting

    /// An interceptor that responds or throws in place of the server once it is on. Until then, it adds a token and a
    /// query item.
    private final class Meddling: Interceptor {
        enum Way: String, CaseIterable, Sendable {
            case answers, `throws`
        }

        let way: Way
        let isOn = Mutex(false)
        let count = Mutex(0)

        init(_ way: Way) {
            self.way = way
        }

        func intercept(_ request: HTTPRequest, context: CallContext, next: Next) async throws -> HTTPResponse {
            count.withLock { $0 += 1 }
            guard isOn.withLock(\.self) else {
                var request = request
                request.headers["Authorization"] = "Bearer 1"
                request.url.append(queryItems: [URLQueryItem(name: "zone", value: "1")])
                return try await next(request)
            }
            if way == .throws { throw RequestError(.cannotConnect, phase: .connect, detail: "scripted") }
            return HTTPResponse(status: .ok, body: Data("{}".utf8))
        }
    }

    @Test(arguments: Meddling.Way.allCases, [nil, "alice"])
    private func evictingIgnoresInterceptors(_ way: Meddling.Way, _ identity: String?) async throws {
        let meddling = Meddling(way)
        let client = Client(baseURL: site.server.url, cache: site.store) {
            $0.identity = identity
            $0.interceptors = [meddling]
        }
        site.server.answer("/item*", with: Response.item(1).header("Cache-Control", "max-age=86400"))
        _ = try await GetItem(client, .http).promise.value
        await client.finishStoring()
        #expect(try await site.store.statistics().count == 1)
        meddling.isOn.withLock { $0 = true }
        let count = meddling.count.withLock(\.self)
        try await GetItem(client, .http).evict()
        #expect(try await site.store.statistics().count == 0)
        // Eviction runs no code of the application.
        #expect(meddling.count.withLock(\.self) == count)
    }

    @Test func evictingLeavesTheResponsesToOtherURLsAlone() async throws {
        let client = site.client()
        site.server.answer("/item*", with: Response.item(1).header("Cache-Control", "max-age=86400"))
        for path in ["/item", "/item/1", "/items"] { _ = try await GetItem(client, .http, .get(path)).promise.value }
        await client.finishStoring()
        try await GetItem(client, .http).evict()
        #expect(try await site.store.statistics().count == 2)
    }

    // MARK: Bodies

    @Test(arguments: [
        (#"{"a": 1, "b": 2}"#, #"{"b": 2, "a": 1}"#, true),
        (#"{"a": 2}"#, #"{"a": 1, "a": 2}"#, false),
        (#"{"a": 1}"#, #"{"a": 1, "a": 2}"#, false),
        (#"{"a": 2}"#, #"{"\u0061": 1, "a": 2}"#, false),
        (#"[{"a": {"b": 2}}]"#, #"[{"a": {"b": 1, "b": 2}}]"#, false),
        ("{\"\u{e9}\": 2}", "{\"e\u{301}\": 1, \"\u{e9}\": 2}", false),
        ("{\"\u{e9}\": 2}", "{\"e\u{301}\": 2}", false),
        ("{\"a\": \"\u{e9}\"}", "{\"a\": \"e\u{301}\"}", false),
        (#"{"a": "x:y", "b": 1}"#, #"{"b": 1, "a": "x:y"}"#, true),
        (#"{"a": "\":", "b": 1}"#, #"{"b": 1, "a": "\":"}"#, true),
    ])
    func onlyEquivalentDocumentsHaveTheSameDigest(_ one: String, _ other: String, _ isSame: Bool) {
        func digest(_ text: String) -> String? {
            ResponseKey.digest(of: Body(content: .data(Data(text.utf8)), contentType: "application/json"))
        }
        #expect((digest(one) == digest(other)) == isSame)
    }
}
