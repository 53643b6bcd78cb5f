import Foundation
import LoopbackServer
import Synchronization
import TangoCache
import TangoPromise
import Testing

@testable import TangoHTTP
@testable import TangoRequest
@testable import TestSupport

/// Calls of a client with a store: their responses, explanations and events.
@Suite(.timeLimit(.minutes(20)))
struct ClientCacheTests {
    private func client(_ site: Site, _ store: any CacheStore = MemoryStore(), observers: [any CallObserver] = [])
        -> Client
    {
        Client(baseURL: site.server.url, cache: store) { $0.observers = observers }
    }

    private func page(_ text: String, _ control: String = "max-age=3600", tag: String? = nil) -> Response {
        let answer = Response.text(text).header("Cache-Control", control)
        return tag.map { answer.header("ETag", $0) } ?? answer
    }

    @Test func callServedFromTheStoreHasAnExplanation() async throws {
        let site = try Site()
        site.server.answer("/a", with: page("hello"))
        let client = client(site)
        let first = Fetch<String>(.get("/a"), of: client).start()
        #expect(try await first.value == "hello")
        #expect(first.explanation?.outcome == .fetched)
        #expect(first.explanation?.reason == .nothingStored)
        #expect(first.response?.source == .network)
        let second = Fetch<String>(.get("/a"), of: client).start()
        #expect(try await second.value == "hello")
        #expect(second.explanation?.outcome == .cached)
        #expect(second.explanation?.reason == .fresh)
        #expect(second.response?.source.isCache == true)
        #expect(second.response?.headers.contains("Age") == true)
        #expect(site.server.requestCount == 1)
    }

    @Test func callReturnsARevalidatedResponse() async throws {
        let site = try Site()
        let answer = page("hello", "no-cache", tag: "\"a\"")
        site.server.answer("/a") { request in
            request.headers["If-None-Match"] == "\"a\"" ? .status(304).header("ETag", "\"a\"") : answer
        }
        let client = client(site)
        #expect(try await client.get("/a", as: String.self).value == "hello")
        let call = Fetch<String>(.get("/a"), of: client).start()
        #expect(try await call.value == "hello")
        #expect(call.response?.source == .validated)
        #expect(call.response?.status == 200)
        #expect(call.explanation?.outcome == .revalidated)
        #expect(site.server.requestCount == 2)
    }

    @Test func observersReceiveCacheEvents() async throws {
        let site = try Site()
        site.server.answer("/a", with: page("hello", "max-age=86400", tag: "\"a\""))
        let facts = Facts()
        let client = client(site, observers: [facts.observer()])
        _ = try await client.get("/a", as: String.self).value
        _ = try await client.get("/a", as: String.self).value
        #expect(
            facts.all == [
                "willStart", "miss absent", "sending", "response 200", "stored", "finished success",
                "willStart", "hit", "finished success",
            ])
        site.server.answer("/a", with: .status(304).header("ETag", "\"a\""))
        let url = try #require(URL(string: "/a", relativeTo: site.server.url)?.absoluteURL)
        _ = try await client.send(HTTPRequest(url: url, headers: ["Cache-Control": "no-cache"]))
        site.server.answer("/a", method: "DELETE", with: .status(204))
        _ = try await client.send(HTTPRequest(method: .delete, url: url))
        #expect(facts.all.contains("revalidated"))
        #expect(facts.all.contains("evicted obsolete"))
    }

    private struct Editor: CallObserver {
        let edit: @Sendable (CacheEntry) -> CacheEntry?
        func observe(_ event: CallEvent) {}
        func willStore(_ entry: CacheEntry, of call: AnyCall) -> CacheEntry? { edit(entry) }
    }

    @Test func observersMayPreventStoringOrChangeEntries() async throws {
        let site = try Site()
        site.server.answer("/a", with: page("hello"))
        let forbidding = client(site, observers: [Editor { _ in nil }])
        for _ in 0..<2 { _ = try await forbidding.get("/a", as: String.self).value }
        #expect(site.server.requestCount == 2)
        let changing = client(
            site,
            observers: [
                Editor { entry in
                    var entry = entry
                    entry.body = Data("changed".utf8)
                    return entry
                }
            ])
        #expect(try await changing.get("/a", as: String.self).value == "hello")
        #expect(try await changing.get("/a", as: String.self).value == "changed")
        #expect(site.server.requestCount == 3)
    }

    @Test func signingOutRemovesTheResponsesOfTheIdentity() async throws {
        let site = try Site()
        site.server.answer("/a", with: page("hello"))
        let store = MemoryStore()
        let one = Client(baseURL: site.server.url, cache: store) { $0.identity = "one" }
        let signedOut = Client(baseURL: site.server.url, cache: store)
        for client in [one, signedOut] { _ = try await client.get("/a", as: String.self).value }
        #expect(site.server.requestCount == 2)
        try await one.removeCachedResponses()
        for client in [one, signedOut] { _ = try await client.get("/a", as: String.self).value }
        #expect(site.server.requestCount == 3)
        try await signedOut.removeCachedResponses()
        for client in [one, signedOut] { _ = try await client.get("/a", as: String.self).value }
        #expect(site.server.requestCount == 4)
    }

    @Test func responsesAreRemovedByTheTagsOfTheirRequests() async throws {
        let site = try Site()
        site.server.answer("/a", with: page("hello"))
        let client = client(site)
        let request = Fetch<String>(.get("/a"), of: client)
        request.words = ["greetings"]
        _ = try await request.start().value
        try await client.removeCachedResponses(tagged: "other")
        #expect(try await request.start().value == "hello")
        #expect(site.server.requestCount == 1)
        try await client.removeCachedResponses(tagged: "greetings")
        #expect(try await request.start().value == "hello")
        #expect(site.server.requestCount == 2)
    }

    @Test(arguments: [CachePolicy.networkOnly, .reload, .cacheElseNetwork])
    func otherPoliciesDoNotUseTheHTTPCache(_ policy: CachePolicy) async throws {
        let site = try Site()
        site.server.answer("/a", with: page("hello"))
        let client = client(site)
        _ = try await client.get("/a", as: String.self).value
        let url = try #require(URL(string: "/a", relativeTo: site.server.url)?.absoluteURL)
        #expect(try await client.send(HTTPRequest(url: url), cachePolicy: policy).source == .network)
        #expect(site.server.requestCount == 2)
    }

    @Test func changeWithAnyPolicyMakesResponsesObsolete() async throws {
        let site = try Site()
        site.server.answer("/a", with: page("hello"))
        let client = client(site)
        _ = try await client.get("/a", as: String.self).value
        let url = try #require(URL(string: "/a", relativeTo: site.server.url)?.absoluteURL)
        _ = try await client.send(HTTPRequest(method: .put, url: url), cachePolicy: .networkOnly)
        _ = try await client.get("/a", as: String.self).value
        #expect(site.server.requestCount == 3)
    }

    @Test func agesUseTheClockOfTheClient() async throws {
        let site = try Site()
        site.server.answer("/a", with: page("hello", "max-age=60"))
        let clock = ManualClock()
        let client = Client(baseURL: site.server.url, cache: MemoryStore()) { $0.clock = clock }
        _ = try await client.get("/a", as: String.self).value
        clock.advance(by: .seconds(50))
        let call = Fetch<String>(.get("/a"), of: client).start()
        _ = try await call.value
        #expect(call.response?.headers["Age"].flatMap { Int($0) }.map { (50...52).contains($0) } == true)
        clock.advance(by: .seconds(20))
        _ = try await client.get("/a", as: String.self).value
        #expect(site.server.requestCount == 2)
    }

    @Test func messagesAreServedFromTheHTTPCache() async throws {
        let site = try Site()
        site.server.answer("/a", with: page("0123456789"))
        let client = client(site)
        let url = try #require(URL(string: "/a", relativeTo: site.server.url)?.absoluteURL)
        #expect(try await client.send(HTTPRequest(url: url)).source == .network)
        let whole = try await client.send(HTTPRequest(url: url))
        #expect(whole.source.isCache)
        let part = try await client.send(HTTPRequest(url: url, headers: ["Range": "bytes=2-4"]))
        #expect(part.status == 206)
        #expect(part.headers["Content-Range"] == "bytes 2-4/10")
        #expect(String(decoding: part.body, as: UTF8.self) == "234")
        let refused = try await client.send(
            HTTPRequest(url: url.appending(path: "b"), headers: ["Cache-Control": "only-if-cached"]))
        #expect(refused.status == 504)
        #expect(site.server.requestCount == 1)
    }

    @Test func streamIsServedFromTheCache() async throws {
        let site = try Site()
        site.server.answer("/a", with: Response.generated(bytes: 3_000_000).header("Cache-Control", "max-age=86400"))
        let client = client(site)
        let url = try #require(URL(string: "/a", relativeTo: site.server.url)?.absoluteURL)
        var one = try await client.send(HTTPRequest(url: url), delivery: .stream)
        #expect(one.isStreaming)
        try await one.collect()
        var two = try await client.send(HTTPRequest(url: url), delivery: .stream)
        #expect(two.source.isCache)
        try await two.collect()
        #expect(one.body == two.body)
        #expect(one.body.count == 3_000_000)
        #expect(site.server.requestCount == 1)
    }

    @Test func decodedBodyIsServedDecoded() async throws {
        let site = try Site()
        let text = String(repeating: "hello ", count: 1000)
        let answer = Response.bytes(Gzip.stored(Data(text.utf8)))
            .header("Content-Encoding", "gzip").header("Vary", "Accept-Encoding").header("Cache-Control", "max-age=999")
        site.server.answer("/a", with: answer)
        let client = client(site)
        #expect(try await client.get("/a", as: String.self).value == text)
        let call = Fetch<String>(.get("/a"), of: client).start()
        #expect(try await call.value == text)
        #expect(call.response?.source.isCache == true)
        #expect(call.response?.headers.contains("Content-Encoding") == false)
    }

    @Test func staleResponseIsServedIfTheServerCannotBeReached() async throws {
        let store = MemoryStore()
        let site = try Site()
        site.server.answer("/a", with: page("hello", "max-age=0"))
        let client = client(site, store)
        #expect(try await client.get("/a", as: String.self).value == "hello")
        site.server.stop()
        let call = Fetch<String>(.get("/a"), of: client).start()
        #expect(try await call.value == "hello")
        #expect(call.explanation?.reason == .offline)
        #expect(call.response?.source.isStale == true)
        let url = try #require(URL(string: "/a", relativeTo: site.server.url)?.absoluteURL)
        await #expect(throws: RequestError.self) {
            try await client.send(HTTPRequest(url: url), cachePolicy: .http(servesStaleOffline: false))
        }
    }

    @Test(arguments: [200, 304])
    func observersReceiveTheResponseOfARefresh(_ status: Int) async throws {
        let site = try Site()
        let heard = Mutex<HTTPResponse?>(nil)
        let facts = Facts()
        let client = client(
            site,
            observers: [
                ClosureObserver { event in
                    guard case .cache(.refreshed(_, let result)) = event.kind else { return }
                    heard.withLock { $0 = try? result.get() }
                    facts.note("refreshed")
                }
            ])
        site.server.answer("/a", with: page("hello", "max-age=0, stale-while-revalidate=100000", tag: "\"a\""))
        _ = try await client.get("/a", as: String.self).value
        site.server.answer("/a", with: status == 304 ? Response.status(304) : page("new"))
        _ = try await client.get("/a", as: String.self).value
        await facts.reached("refreshed")
        let last = heard.withLock { $0 }
        let answer = try #require(last)
        #expect(answer.status.code == status)
        #expect(answer.request?.headers["If-None-Match"] == "\"a\"")
        #expect(answer.body.isEmpty && !answer.isStreaming)
        #expect(answer.metrics.firstByte != nil)
        #expect(answer.metrics.bodyBytesReceived == (status == 304 ? 0 : 3))
    }

    @Test func shutdownEndsBackgroundRefreshes() async throws {
        let site = try Site()
        site.server.answer("/a", with: page("hello", "max-age=0, stale-while-revalidate=100000"))
        let client = client(site)
        _ = try await client.get("/a", as: String.self).value
        let gate = Gate()
        site.server.answer("/a", with: page("new").held(by: gate))
        let call = Fetch<String>(.get("/a"), of: client).start()
        #expect(try await call.value == "hello")
        #expect(call.explanation?.outcome == .cachedAndRefreshing)
        await client.shutdown()
        #expect(client.httpCache?.refresher.count == 0)
        #expect(call.response?.source.isStale == true)
        gate.open()
    }

    @Test func aClientWithoutAStoreHasNoCache() async throws {
        let site = try Site()
        site.server.answer("/a", with: page("hello"))
        let client = site.client()
        #expect(client.httpCache == nil)
        for _ in 0..<2 {
            let call = Fetch<String>(.get("/a"), of: client).start()
            _ = try await call.value
            #expect(call.explanation == nil)
        }
        #expect(site.server.requestCount == 2)
    }
}
