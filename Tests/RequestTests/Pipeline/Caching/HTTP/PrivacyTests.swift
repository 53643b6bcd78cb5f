import Foundation
import LoopbackServer
import Synchronization
import TangoAuth
import TangoCache
import TangoCookies
import TangoRequest
import Testing

@testable import TestSupport

/// Responses that users do not share, and data that must not be stored.
@Suite(.timeLimit(.minutes(20))) struct PrivacyTests {
    private let server: LoopbackServer

    init() throws {
        server = try LoopbackServer()
        server.answer("/me") { request in
            .text("\(request.headers["Cookie"] ?? "") \(request.headers["Authorization"] ?? "")")
                .header("Cache-Control", "private, max-age=86400")
        }
    }

    /// An interceptor that adds a token between the cache and the server.
    private final class Token: Interceptor {
        let value = Mutex("a")

        func intercept(_ request: HTTPRequest, context: CallContext, next: Next) async throws -> HTTPResponse {
            var request = request
            request.headers["Authorization"] = value.withLock { $0 }
            return try await next(request)
        }
    }

    @Test func cookiesDoNotShareResponses() async throws {
        let client = Client(baseURL: server.url, cache: MemoryStore())
        for cookie in ["a", "b", "a"] {
            let request = HTTPRequest(url: server.url("/me"), headers: ["Cookie": cookie])
            #expect(try await client.send(request).body == Data("\(cookie) ".utf8))
        }
        #expect(server.requestCount == 2)
    }

    @Test(arguments: [CachePolicy.http, .cacheElseNetwork], [nil, "ada"])
    func responseToATokenOfAnInterceptorIsCachedOnlyWithAnIdentity(_ policy: CachePolicy, _ identity: String?)
        async throws
    {
        let token = Token()
        let client = Client(baseURL: server.url, cache: MemoryStore()) {
            $0.cachePolicy = policy
            $0.identity = identity
            $0.attemptInterceptors = [token]
        }
        for value in ["a", "b"] {
            token.value.withLock { $0 = value }
            let body = try await client.send(HTTPRequest(url: server.url("/me"))).body
            #expect(body == Data(" \(identity == nil ? value : "a")".utf8))
            await client.finishStoring()
        }
        #expect(server.requestCount == (identity == nil ? 2 : 1))
    }

    @Test func storeContainsNoCookie() async throws {
        let store = MemoryStore()
        let client = Client(baseURL: server.url, cache: store)
        _ = try await client.send(HTTPRequest(url: server.url("/me"), headers: ["Cookie": "sid=secret-word"]))
        for try await item in store.entries() {
            let entry = try #require(try await store.get(item.key))
            #expect(!"\(entry.metadata)".contains("secret-word"))
            #expect(!(item.key.text ?? "").contains("secret-word"))
        }
    }

    @Test func hugeWeightDoesNotPreventReuse() async throws {
        server.answer(
            "/words", with: .text("a").header("Cache-Control", "max-age=86400").header("Vary", "Accept-Language"))
        let client = Client(baseURL: server.url, cache: MemoryStore())
        for _ in 0..<2 {
            let request = HTTPRequest(
                url: server.url("/words"), headers: ["Accept-Language": "en;q=999999999999999999.5, de"])
            #expect(try await client.send(request).status == 200)
        }
        #expect(server.requestCount == 1)
    }

    @Test func revalidationWithNoStoreRemovesTheResponse() async throws {
        server.answer("/news") { request in
            guard request.headers["If-None-Match"] == nil else {
                return .status(304).header("Cache-Control", "no-store").header("ETag", "\"a\"")
            }
            return .text("a").header("Cache-Control", "max-age=0").header("ETag", "\"a\"")
        }
        let client = Client(baseURL: server.url, cache: MemoryStore())
        for _ in 0..<3 {
            #expect(try await client.send(HTTPRequest(url: server.url("/news"))).body == Data("a".utf8))
        }
        #expect(server.requests.map { $0.headers["If-None-Match"] } == [nil, "\"a\"", nil])
    }

    @Test func failedPreconditionIsNotServedToOtherRequests() async throws {
        server.answer("/guarded") { request in
            let answer: Response = request.headers["If-Match"] == nil ? .text("a") : .status(412)
            return answer.header("Cache-Control", "max-age=86400")
        }
        let client = Client(baseURL: server.url, cache: MemoryStore())
        let url = server.url("/guarded")
        #expect(try await client.send(HTTPRequest(url: url, headers: ["If-Match": "\"x\""])).status == 412)
        #expect(try await client.send(HTTPRequest(url: url)).status == 200)
    }
}
