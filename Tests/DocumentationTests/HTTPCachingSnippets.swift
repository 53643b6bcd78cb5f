import Foundation
import LoopbackServer
import TangoCache
import TangoCookies
import TangoPromise
import TangoRequest
import Testing

@testable import TestSupport

/// The code of "The HTTP cache", and tests of the claims of that article.
@Suite struct HTTPCachingSnippets {
    private final class GetNews: Request<String> {
        let owner: Client
        init(_ owner: Client) { self.owner = owner }
        override var client: Client { owner }
        override var endpoint: Endpoint { .get("/news") }
    }

    final class PassedOn: Request<HTTPResponse> {
        let way: Client
        let message: Endpoint
        init(_ message: Endpoint, by way: Client) {
            self.way = way
            self.message = message
        }
        override var client: Client { way }
        override var endpoint: Endpoint { message }
        override var cachePolicy: CachePolicy { .http }
        override var validation: Validation { .none }
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
        let first = try await client.get("/news", as: String.self).value  // sends a request
        let second = try await client.get("/news", as: String.self).value  // served from the cache while it is fresh
        #expect(first == second)
        #expect(news.requestCount == 1)
    }

    @Test func explaining() async throws {
        let news = try Self.newsServer()
        defer { news.stop() }
        let client = Client(baseURL: news.url, cache: MemoryStore())
        var printed: [String] = []
        func print(_ words: Any...) { printed.append(words.map { "\($0)" }.joined(separator: " ")) }
        let call = GetNews(client).start()
        _ = try await call.value
        switch call.response?.source {
        case .network: print("from the server")
        case .validated: print("from the cache, validated by the server")
        case .cache(let age, let isStale): print("from the cache, \(age) old", isStale ? "and stale" : "")
        case nil: print("no response")
        }
        if let explanation = call.explanation { print(explanation) }
        // served from the cache: the response is fresh; 12 s old of 60 s
        #expect(call.explanation?.reason == .nothingStored)
        #expect(printed == ["from the server", call.explanation?.description])
    }

    @Test func guessing() async throws {
        let news = try LoopbackServer()
        defer { news.stop() }
        news.answer("/news", with: .text("All is well.").header("Last-Modified", "Sun, 06 Nov 1994 08:49:37 GMT"))
        let server = news.url
        let store = MemoryStore()
        let cautious = Client(baseURL: server, cache: store) { $0.heuristicFreshness = .off }
        let hourly = Client(baseURL: server, cache: store) {
            $0.heuristicFreshness = HeuristicFreshness(fraction: 0.1, limit: .seconds(3600))
        }
        for _ in 0..<2 { _ = try await cautious.get("/news", as: String.self).value }
        #expect(news.requestCount == 2)
        let call = GetNews(hourly).start()
        _ = try await call.value
        #expect(call.explanation?.freshness == .seconds(3600))
        #expect(call.explanation?.description.contains("by guess") == true)
        #expect(news.requestCount == 2)
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

    @Test func staleResponsesWhenOffline() async throws {
        let news = try Self.newsServer()
        defer { news.stop() }
        let client = Client(baseURL: news.url, cache: MemoryStore())
        let newsURL = news.url("/news")
        let exact = try await client.send(HTTPRequest(url: newsURL), cachePolicy: .http(servesStaleOffline: false))
        #expect(exact.status == .ok)
    }

    /// The example of a proxy, which passes on a request that it received over a connection.
    private func passOn(
        _ method: String, _ url: String, _ fields: [(String, String)], _ body: Data, _ store: MemoryStore
    )
        async throws -> HTTPResponse
    {
        let client = Client(cache: store) {
            ($0.decompression, $0.redirectPolicy, $0.userAgent) = (nil, .refuse, nil)
        }
        let message = Endpoint(method: HTTPMethod(method), path: url, headers: Headers(fields), body: .data(body))
        let response = try await PassedOn(message, by: client).start().value
        return response
    }

    @Test func passingOn() async throws {
        let server = try LoopbackServer()
        defer { server.stop() }
        server.answer(
            with: .text("x").status(302).header("Location", "/b").header("Cache-Control", "max-age=86400")
                .header("Link", "<a>").header("link", "<b>").header("Set-Cookie", "a=1").header("X-Case", "AbC"))
        let url = server.url("/a?b=%c3").absoluteString
        let store = MemoryStore()
        let fields = [("X-A", "1"), ("x-b", "2"), ("X-A", "3")]
        for (place, method) in ["GET", "GET", "HEAD", "PROPPATCH", "GET"].enumerated() {
            let response = try await passOn(method, url, fields, Data(), store)
            #expect(response.status == 302)
            #expect(response.source.isCache == (1...2).contains(place))
            #expect(response.headers.all("Link") == ["<a>", "<b>"])
            #expect(response.headers["Set-Cookie"] == "a=1")
            #expect(response.headers["x-case"] == "AbC")
            #expect(response.body == Data((method == "HEAD" ? "" : "x").utf8))
        }
        #expect(server.requests.map(\.method) == ["GET", "PROPPATCH", "GET"])
        let sent = try #require(server.requests.first).headers
        #expect(sent.map(\.name).filter { $0 != "Host" } == ["X-A", "x-b", "X-A"])
        let answer = try await passOn("POST", url, [], Data("y".utf8), store)
        #expect(answer.status == 302)
        #expect(server.requests.last?.body == Data("y".utf8))
    }
}
