import Foundation
import LoopbackServer
import Synchronization
import TangoCache
import TangoPromise
import Testing

@testable import TangoHTTP
@testable import TangoRequest
@testable import TestSupport

/// Calls that the HTTP cache serves without a task and without decoding again, and calls that need both.
@Suite(.timeLimit(.minutes(20)))
struct AtOnceTests {
    /// A class, so that each decoding creates another instance.
    final class Page: Decodable, Sendable {
        let text: String
    }

    private class GetPage: Request<Page>, @unchecked Sendable {
        let owner: Client
        var place = Endpoint.get("/page")
        var rule: Validation?
        var limit: Int?

        init(_ owner: Client) { self.owner = owner }

        override var client: Client { owner }
        override var endpoint: Endpoint { place }
        override var validation: Validation { rule ?? super.validation }
        override var responseLimit: Int? { limit ?? super.responseLimit }
    }

    private final class GetOtherPage: GetPage, @unchecked Sendable {}

    private struct Noting: Interceptor {
        let passed: Noted<String>

        func intercept(_ request: HTTPRequest, context: CallContext, next: Next) async throws -> HTTPResponse {
            passed.note(request.url.path)
            return try await next(request)
        }
    }

    private func pageResponse(_ text: String, tag: String = "a") -> Response {
        .json(#"{"text": "\#(text)"}"#).header("Cache-Control", "max-age=86400").header("ETag", "\"\(tag)\"")
    }

    /// Fills the cache of a client, and returns the decoded page in its memory.
    private func warm(_ site: CacheSite, _ owner: Client) async throws -> Page {
        _ = try await GetPage(owner).promise.value
        return try await GetPage(owner).promise.value
    }

    @Test(arguments: [CacheSite.Kind.memory, .tiered])
    func freshDecodedResponseFinishesTheCallAtOnce(_ kind: CacheSite.Kind) async throws {
        let site = try CacheSite(kind)
        site.server.answer("/page", with: pageResponse("one"))
        let client = site.client(observers: [])
        let page = try await warm(site, client)
        site.clock.advance(by: .seconds(7))
        let call = GetPage(client).start()
        #expect(call.isFinished)
        #expect(try await call.value === page)
        #expect(call.response?.source == .cache(age: .seconds(7), isStale: false))
        #expect(call.response?.headers["Age"] == "7")
        #expect(call.response?.headers["ETag"] == "\"a\"")
        #expect(call.response?.body == Data(#"{"text": "one"}"#.utf8))
        #expect(call.response?.request?.url.path == "/page")
        #expect(call.explanation?.outcome == .cached)
        #expect(call.explanation?.reason == .fresh)
        #expect(call.explanation?.age == .seconds(7))
        #expect(site.count == 1)
    }

    @Test func responseFromDiskIsDecodedOnce() async throws {
        let site = try CacheSite(.tiered)
        site.server.answer("/page", with: pageResponse("one"))
        let first = site.client(observers: [])
        _ = try await GetPage(first).promise.value
        await first.finishStoring()
        let disk = try #require((site.store as? TieredStore)?.backing)
        let client = site.client(store: TieredStore(over: disk), observers: [])
        let page = try await warm(site, client)
        let call = GetPage(client).start()
        #expect(call.isFinished)
        #expect(try await call.value === page)
        #expect(site.count == 1)
    }

    @Test func outputsDecodedWhileAResponseIsWrittenStayInMemory() async throws {
        let held = HeldStore()
        let site = try CacheSite()
        site.server.answer("/page", with: pageResponse("one"))
        let client = site.client(store: TieredStore(over: held), observers: [])
        let page = try await warm(site, client)
        try await held.gate.reached()
        held.gate.open()
        await client.finishStoring()
        let call = GetPage(client).start()
        #expect(call.isFinished)
        #expect(try await call.value === page)
        #expect(site.count == 1)
    }

    @Test func otherRequestTypesAndClientsDecodeTheirOwnOutputs() async throws {
        let site = try CacheSite()
        site.server.answer("/page", with: pageResponse("one"))
        let client = site.client(observers: [])
        let page = try await warm(site, client)
        let other = try await GetOtherPage(client).promise.value
        #expect(other !== page)
        let renamed = site.client(json: JSONCoding(decoder: JSONDecoder()), observers: [])
        #expect(try await GetPage(renamed).promise.value !== page)
        let text = try await client.get("/page", as: String.self).value
        #expect(text == #"{"text": "one"}"#)
        // Each request type still finds its own object.
        for _ in 0..<2 {
            #expect(try await GetPage(client).promise.value === page)
            #expect(try await GetOtherPage(client).promise.value === other)
        }
        #expect(site.count == 1)
    }

    @Test func identitiesDoNotShareOutputs() async throws {
        let site = try CacheSite()
        site.server.answer("/page", with: pageResponse("one"))
        let one = site.client(identity: "one", observers: [])
        let page = try await warm(site, one)
        let two = site.client(identity: "two", observers: [])
        #expect(try await GetPage(two).promise.value !== page)
        #expect(site.count == 2)
        try await one.removeCachedResponses()
        #expect(try await GetPage(one).promise.value !== page)
        #expect(site.count == 3)
    }

    @Test func variantsDoNotShareOutputs() async throws {
        let site = try CacheSite()
        site.server.answer("/page") { request in
            .json(#"{"text": "\#(request.headers["Accept-Language"] ?? "none")"}"#)
                .header("Cache-Control", "max-age=86400").header("Vary", "Accept-Language")
        }
        let client = site.client(observers: [])
        for _ in 0..<3 {
            for language in ["de", "fr"] {
                let request = GetPage(client)
                request.place = .get("/page", headers: ["Accept-Language": language])
                #expect(try await request.promise.value.text == language)
            }
        }
        #expect(site.count == 2)
    }

    @Test func eachVariantIsDecodedWithItsOwnCharset() async throws {
        let site = try CacheSite()
        site.server.answer("/text") { request in
            let type = "text/plain; charset=\(request.headers["X-Kind"] ?? "")"
            return .bytes([0xC3, 0xA9], type: type).header("Cache-Control", "max-age=86400").header("Vary", "X-Kind")
        }
        let client = site.client(observers: [])
        func get(_ kind: String) async throws -> String {
            try await client.get("/text", headers: ["X-Kind": kind], as: String.self).value
        }
        for _ in 0..<3 {
            #expect(try await get("windows-1252") == "Ã©")
            #expect(try await get("utf-8") == "é")
            #expect(try await get("utf-8") == "é")
        }
        #expect(site.count == 2)
    }

    @Test func observersAndInterceptorsAreNotBypassed() async throws {
        let site = try CacheSite()
        site.server.answer("/page", with: pageResponse("one"))
        let heard = site.client()
        for _ in 0..<4 { _ = try await GetPage(heard).promise.value }
        #expect(site.facts.all.filter { $0 == "hit" }.count == 3)
        let passed = Noted<String>()
        let intercepted = Client(baseURL: site.server.url, cache: site.store) {
            $0.interceptors = [Noting(passed: passed)]
            $0.clock = site.clock
        }
        for _ in 0..<3 { _ = try await GetPage(intercepted).promise.value }
        #expect(passed.all == ["/page", "/page", "/page"])
        #expect(site.count == 1)
    }

    private func currentThread() -> ObjectIdentifier { ObjectIdentifier(Thread.current) }

    @Test func customRulesDoNotRunOnTheThreadThatStartsTheCall() async throws {
        let site = try CacheSite()
        site.server.answer("/page", with: pageResponse("one"))
        let client = site.client(observers: [])
        _ = try await warm(site, client)
        let isStarting = Atomic(false)
        let ran = Atomic(0)
        for _ in 0..<3 {
            let thread = currentThread()
            let request = GetPage(client)
            request.rule = .custom { _ in
                ran.add(1, ordering: .relaxed)
                // No other job runs on the thread meanwhile.
                let isHere = isStarting.load(ordering: .relaxed) && currentThread() == thread
                #expect(!isHere)
            }
            isStarting.store(true, ordering: .relaxed)
            let call = request.start()
            isStarting.store(false, ordering: .relaxed)
            _ = try await call.value
        }
        #expect(ran.load(ordering: .relaxed) == 3)
        // Their outputs are not cached as objects, because these could never be used.
        let cache = try #require(client.httpCache)
        let key = HTTPCacheKey.of(HTTPRequest(url: site.server.url("/page")), identity: Identity(nil), .system)
        let store = ResponseStore(shared: cache.store, identity: Identity(nil))
        let decoded = try #require(store.peek(key)).responses.decoded
        #expect(decoded.count == 1)
    }

    @Test func rulesApplyToEachCall() async throws {
        let site = try CacheSite()
        let missing = Response.json(#"{"text": "one"}"#, status: 404).header("Cache-Control", "max-age=86400")
        site.server.answer("/page", with: missing)
        let client = site.client(observers: [])
        func get(_ rule: Validation) -> GetPage {
            let request = GetPage(client)
            request.rule = rule
            return request
        }
        for _ in 0..<3 { _ = try await get(.none).promise.value }
        await #expect { try await get(.default).promise.value } throws: { ($0 as? RequestError)?.code == .badStatus }
        let refusing = get(.custom { _ in throw CocoaError(.featureUnsupported) })
        await #expect { try await refusing.promise.value } throws: { ($0 as? RequestError)?.code == .refusedResponse }
        let limited = get(.none)
        limited.limit = 3
        await #expect { try await limited.promise.value } throws: { ($0 as? RequestError)?.code == .responseTooLarge }
        // Each call whose validation rejected the cached response has sent one more request.
        #expect(site.count == 3)
    }

    @Test func staleResponseIsRevalidated() async throws {
        let site = try CacheSite()
        let first = pageResponse("one")
        site.server.answer("/page") { request in
            request.headers["If-None-Match"] == nil ? first : .status(304).header("ETag", "\"a\"")
        }
        let client = site.client(observers: [])
        _ = try await warm(site, client)
        site.clock.advance(by: .seconds(86_401))
        let confirmed = GetPage(client).start()
        #expect(try await confirmed.value.text == "one")
        #expect(confirmed.response?.source == .validated)
        #expect(site.count == 2)
        await client.finishStoring()
        let page = try await GetPage(client).promise.value
        let call = GetPage(client).start()
        #expect(call.isFinished)
        #expect(try await call.value === page)
        #expect(call.response?.headers["Age"] == "0")
        #expect(site.count == 2)
    }

    @Test func newResponseIsDecodedAgain() async throws {
        let site = try CacheSite()
        site.server.answer("/page", with: pageResponse("one"))
        let client = site.client(observers: [])
        _ = try await warm(site, client)
        site.server.answer("/page", with: pageResponse("two", tag: "b"))
        let request = GetPage(client)
        request.place = .get("/page", headers: ["Cache-Control": "no-cache"])
        #expect(try await request.promise.value.text == "two")
        #expect(try await GetPage(client).promise.value.text == "two")
        site.server.answer("/page", method: "PUT", with: .status(204))
        _ = try await client.send(HTTPRequest(method: .put, url: site.server.url.appendingPathComponent("page")))
        site.server.answer("/page", with: pageResponse("three", tag: "c"))
        #expect(try await GetPage(client).promise.value.text == "three")
        try await GetPage(client).evict()
        _ = try await GetPage(client).promise.value
        #expect(site.count == 5)
    }
}
