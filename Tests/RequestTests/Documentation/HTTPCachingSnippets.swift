import Foundation
import LoopbackServer
import TangoCache
import TangoPromise
import TangoRequest
import Testing

/// The code of "The HTTP cache", and what that article says about it.
@Suite struct HTTPCachingSnippets {
    private final class GetNews: Request<String> {
        let owner: Client
        init(_ owner: Client) { self.owner = owner }
        override var client: Client { owner }
        override var endpoint: Endpoint { .get("/news") }
    }

    private static func newsServer() throws -> LoopbackServer {
        let server = try LoopbackServer()
        server.answer("/news", with: .text("All is well.").header("Cache-Control", "max-age=86400"))
        return server
    }

    @Test func asking() async throws {
        let news = try Self.newsServer()
        defer { news.stop() }
        let server = news.url
        let store = MemoryStore()
        let client = Client(baseURL: server, cache: store)
        let first = try await client.get("/news", as: String.self).value  // asks the server
        let second = try await client.get("/news", as: String.self).value  // does not, while it is fresh
        #expect(first == second)
        #expect(news.requestCount == 1)
    }

    @Test func explaining() async throws {
        let news = try Self.newsServer()
        defer { news.stop() }
        let client = Client(baseURL: news.url, cache: MemoryStore())
        let call = GetNews(client).start()
        _ = try await call.value
        switch call.response?.source {
        case .network: print("the server's answer")
        case .validated: print("kept, and the server says that it is right")
        case .cache(let age, let isStale): print("kept, \(age) old", isStale ? "and stale" : "")
        case nil: print("no answer")
        }
        if let explanation = call.explanation { print(explanation) }
        // served from the cache: it is fresh; 12 s old of 60 s
        #expect(call.explanation?.reason == .nothingStored)
    }

    @Test func directing() async throws {
        let news = try Self.newsServer()
        defer { news.stop() }
        let client = Client(baseURL: news.url, cache: MemoryStore())
        let newsURL = news.url("/news")
        var request = HTTPRequest(url: newsURL)
        request.headers["Cache-Control"] = "no-cache"
        let newest = try await client.send(request)
        request.headers["Cache-Control"] = "only-if-cached"
        let kept = try await client.send(request)
        #expect(newest.body == kept.body)
        #expect(kept.source.isCache)
    }

    @Test func withoutANetwork() async throws {
        let news = try Self.newsServer()
        defer { news.stop() }
        let client = Client(baseURL: news.url, cache: MemoryStore())
        let newsURL = news.url("/news")
        let exact = try await client.send(HTTPRequest(url: newsURL), cachePolicy: .http(servesStaleOffline: false))
        #expect(exact.status == .ok)
    }
}
