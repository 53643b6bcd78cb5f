import LoopbackServer
import TangoCache
import TangoPromise
import Testing

@testable import TangoFoundation
@testable import TestSupport

/// Requests as `URLRequest`, and `URLRequest` as requests of a client, on real connections.
@Suite(.timeLimit(.minutes(20)))
struct URLRequestTests {
    private let site: Site

    init() throws {
        site = try Site()
    }

    private func urlRequest(_ path: String, _ change: (inout URLRequest) -> Void = { _ in }) throws -> URLRequest {
        var request = URLRequest(url: try #require(URL(string: path)))
        change(&request)
        return request
    }

    @Test func wholeURLIsSent() async throws {
        site.server.answer("/a", with: .text("hello"))
        let request = try urlRequest(site.server.url.absoluteString + "/a?b=%20c") {
            $0.httpMethod = "PUT"
            $0.setValue("text/plain", forHTTPHeaderField: "Content-Type")
            $0.httpBody = Data("body".utf8)
        }
        let text = try await Client().request(request, as: String.self).value
        #expect(text == "hello")
        let received = try #require(site.server.requests.first)
        #expect(received.method == "PUT")
        #expect(received.target.hasSuffix("/a?b=%20c"))
        #expect(received.headers.all("Content-Type") == ["text/plain"])
        #expect(received.body == Data("body".utf8))
    }

    @Test func pathIsAppendedToTheBaseURL() async throws {
        site.server.answer("/v1/users/1", with: .text("Ada"))
        let base = site.server.url.appending(path: "v1")
        let client = Client(baseURL: base) { $0.headers = ["X-Client": "1"] }
        let request = try urlRequest("/users/1?a=1")
        #expect(try await client.request(request, as: String.self).value == "Ada")
        let received = try #require(site.server.requests.first)
        #expect(received.target == "/v1/users/1?a=1")
        #expect(received.headers["X-Client"] == "1")
    }

    @Test func inputStreamRejectsThePromise() async throws {
        let request = try urlRequest("/a") { $0.httpBodyStream = InputStream(data: Data("a".utf8)) }
        #expect(await refusal(of: site.client().request(request, as: String.self))?.code == .unsupported)
        #expect(site.server.requests.isEmpty)
    }

    @Test func rawMessageIsSent() async throws {
        site.server.answer("/a", with: .text("hello"))
        let request = try urlRequest(site.server.url.absoluteString + "/a") { $0.httpMethod = "PURGE" }
        let response = try await site.client().send(HTTPRequest(request))
        #expect(response.body == Data("hello".utf8))
        #expect(site.server.requests.first?.method == "PURGE")
    }

    @Test func intervalIsTheIdleTime() throws {
        let own = Timeouts(connect: .seconds(1), idle: .seconds(2), total: .seconds(3))
        let cases: [(TimeInterval, Duration?)] = [
            (60, .seconds(2)), (0, .seconds(2)), (-1, .seconds(2)), (.nan, .seconds(2)), (0.25, .milliseconds(250)),
            (90, .seconds(90)), (.infinity, nil), (.greatestFiniteMagnitude, nil),
        ]
        for (interval, idle) in cases {
            let timeouts = try urlRequest("/a") { $0.timeoutInterval = interval }.timeouts(of: own)
            #expect(timeouts.idle == idle, "\(interval)")
            #expect(timeouts.connect == .seconds(1))
            #expect(timeouts.total == .seconds(3))
        }
    }

    @Test func intervalEndsASilentRequest() async throws {
        site.server.answer("/a", with: Response.text("late").held(by: Gate()))
        let request = try urlRequest("/a") { $0.timeoutInterval = 0.05 }
        #expect(await refusal(of: site.client().request(request, as: String.self))?.code == .idleTimedOut)
    }

    @Test func policiesHaveTheMeaningOfURLRequest() throws {
        typealias Policy = TangoRequest.CachePolicy
        let cases: [(URLRequest.CachePolicy, Policy?, Policy?, Policy?)] = [
            (.useProtocolCachePolicy, nil, nil, nil),
            (.reloadIgnoringLocalCacheData, .reload, .networkOnly, .networkOnly),
            (.reloadIgnoringLocalAndRemoteCacheData, .reload, .networkOnly, .networkOnly),
            (.reloadRevalidatingCacheData, .http, .networkOnly, .networkOnly),
            (.returnCacheDataElseLoad, .cacheElseNetwork, .networkOnly, .networkOnly),
            (.returnCacheDataDontLoad, .cacheOnly, .cacheOnly, .cacheOnly),
        ]
        for (policy, stored, unstored, changing) in cases {
            let get = try urlRequest("/a") { $0.cachePolicy = policy }
            #expect(get.policy(hasStore: true) == stored)
            #expect(get.policy(hasStore: false) == unstored)
            let post = try urlRequest("/a") {
                $0.httpMethod = "POST"
                $0.cachePolicy = policy
            }
            #expect(post.policy(hasStore: true) == changing)
        }
    }

    @Test func policyUsesTheStore() async throws {
        site.server.enqueue(.text("1"))
        site.server.enqueue(.text("2"))
        site.server.enqueue(.text("3"))
        let client = Client(baseURL: site.server.url, cache: MemoryStore())
        func text(_ policy: URLRequest.CachePolicy) async throws -> String {
            try await client.request(urlRequest("/a") { $0.cachePolicy = policy }).value
        }
        #expect(await refusal(of: { try await text(.returnCacheDataDontLoad) })?.code == .notCached)
        #expect(try await text(.returnCacheDataElseLoad) == "1")
        #expect(try await text(.returnCacheDataElseLoad) == "1")
        #expect(try await text(.reloadIgnoringLocalAndRemoteCacheData) == "2")
        #expect(try await text(.returnCacheDataDontLoad) == "2")
        #expect(try await text(.reloadRevalidatingCacheData) == "3")
        #expect(site.server.requests.map { $0.headers["Cache-Control"] } == [nil, "no-cache", "no-cache"])
    }

    @Test func excludedNetworksStayExcluded() throws {
        let plain = try urlRequest("/a")
        #expect(plain.networks(of: [.expensive]) == [.expensive])
        let sparing = try urlRequest("/a") { $0.allowsCellularAccess = false }
        #expect(!sparing.networks(of: .all).contains(.cellular))
        let client = Client(baseURL: URL(string: "https://example.com")) { $0.networks = [.expensive] }
        #expect(try !Fetch<String>(.get("/a"), of: client).urlRequest().allowsCellularAccess)
        #expect(try Fetch<String>(.get("/a"), of: client.with { $0.networks = .all }).urlRequest().allowsCellularAccess)
    }

    @Test func requestIsPrepared() throws {
        final class Send: Request<Void> {
            let owner: Client
            init(_ owner: Client) { self.owner = owner }
            override var client: Client { owner }
            override var endpoint: Endpoint {
                .post("/a b", query: ["c": [1, 2]], body: .json(Body(firstName: "Ada")))
            }
            override var headers: Headers { ["X-A": "1"] }
            override var timeouts: Timeouts { Timeouts(idle: .milliseconds(1500)) }
            override var cachePolicy: TangoRequest.CachePolicy { .cacheOnly }
            struct Body: Encodable { let firstName: String }
        }
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        let client = Client(baseURL: URL(string: "https://example.com/v1")) {
            $0.headers = ["X-Client": "1"]
            $0.json = JSONCoding(encoder: encoder)
        }
        let request = try Send(client).urlRequest()
        #expect(request.httpMethod == "POST")
        #expect(request.url?.absoluteString == "https://example.com/v1/a%20b?c=1&c=2")
        #expect(request.httpBody == Data(#"{"first_name":"Ada"}"#.utf8))
        #expect(request.value(forHTTPHeaderField: "X-Client") == "1")
        #expect(request.value(forHTTPHeaderField: "X-A") == "1")
        #expect(request.timeoutInterval == 1.5)
        #expect(request.cachePolicy == .returnCacheDataDontLoad)
        let unlimited = Fetch<String>(.get("/a"), of: client)
        unlimited.times = Timeouts.none
        #expect(try unlimited.urlRequest().timeoutInterval == URLRequest.longestInterval)
        let error = #expect(throws: RequestError.self) { try Fetch<String>(.get("/a"), of: Client()).urlRequest() }
        #expect(error?.code == .noBaseURL)
    }
}
