import Foundation
import LoopbackServer
import TangoAuth
import TangoCache
import TangoCookies
import TangoPromise
import Testing

@testable import TangoRequest
@testable import TestSupport

/// Lists in pages.
@Suite(.timeLimit(.minutes(20)))
struct PagingTests {
    struct Messages: Codable, Hashable, Sendable {
        let messages: [Int]
        var next: String?
    }

    private final class List<Output: Sendable>: Request<Output> {
        let owner: Client
        let place: Endpoint
        let rule: Paging<Output>
        var policy: CachePolicy?
        var fields: Headers = [:]
        var key: CacheKey?

        init(
            _ owner: Client, _ place: Endpoint = .get("/list"), by rule: Paging<Output>,
            _ type: Output.Type = Output.self
        ) {
            self.owner = owner
            self.place = place
            self.rule = rule
        }

        override var client: Client { owner }
        override var endpoint: Endpoint { place }
        override var paging: Paging<Output> { rule }
        override var cachePolicy: CachePolicy { policy ?? super.cachePolicy }
        override var headers: Headers { fields }
        override var cacheKey: CacheKey? { key }
    }

    private let site: Site

    init() throws {
        site = try Site()
    }

    private func all<Pages: AsyncSequence>(_ pages: Pages) async throws -> [Pages.Element] {
        try await pages.reduce(into: []) { $0.append($1) }
    }

    private func page(_ items: [Int], next: String? = nil) -> Response {
        let response = Response.json("\(items)")
        return next.map { response.header("Link", "<\($0)>; rel=\"next\", </list>; rel=first") } ?? response
    }

    private var targets: [String] { site.server.requests.map(\.target) }

    // MARK: Rules

    @Test func linksAreFollowed() async throws {
        site.server.enqueue(page([1, 2], next: "/list?page=2&x=%2F"), page([3], next: "?page=3"), page([4]))
        let list = List(site.client(), .get("/list", query: ["x": 1]), by: .linkHeader, [Int].self)
        #expect(try await all(list.pages) == [[1, 2], [3], [4]])
        #expect(targets == ["/list?x=1", "/list?page=2&x=%2F", "/list?page=3"])
    }

    @Test func requestsFollowLinksByDefault() async throws {
        site.server.enqueue(page([1], next: "/list?page=2"), page([2]))
        #expect(try await all(Fetch(.get("/list"), of: site.client(), as: [Int].self).items) == [1, 2])
    }

    @Test func linkWithAnAnchorIsNotFollowed() async throws {
        site.server.enqueue(.json("[1]").header("Link", "</x>; rel=next; anchor=\"/other\""))
        #expect(try await all(List(site.client(), by: .linkHeader, [Int].self).pages) == [[1]])
    }

    @Test func cursorBecomesAParameter() async throws {
        site.server.enqueue(
            .json(#"{"messages": [1, 2], "next": "a&b"}"#), .json(#"{"messages": [], "next": "c"}"#),
            .json(#"{"messages": [3], "next": ""}"#))
        let list = List(
            site.client(), .get("/list", query: ["limit": 2]), by: .cursor(\.next, parameter: "after"), Messages.self)
        #expect(try await all(list.items(\.messages)) == [1, 2, 3])
        #expect(targets == ["/list?limit=2", "/list?limit=2&after=a%26b", "/list?limit=2&after=c"])
    }

    @Test func pageNumbersGrow() async throws {
        site.server.enqueue(page([1]), page([2]), page([]), page([]), page([5]))
        #expect(try await all(List(site.client(), by: .pageNumber(), [Int].self).items) == [1, 2])
        #expect(targets == ["/list", "/list?page=2", "/list?page=3"])
        let list = List(
            site.client(), .get("/list", query: ["p": 0]), by: .pageNumber(parameter: "p", first: 0) { $0 == [5] },
            [Int].self)
        #expect(try await all(list.pages) == [[], [5]])
        #expect(targets.suffix(2) == ["/list?p=0", "/list?p=1"])
    }

    @Test(
        arguments: [
            ("/list?page=1&x=2#top", [:], "/list?x=2&page=2"), ("/list?x=2&%70age=7&page=8", [:], "/list?x=2&page=2"),
            ("/list?page", ["page": 1, "y": 3], "/list?page=2&y=3"), ("/list?pages=1&", [:], "/list?pages=1&page=2"),
        ] as [(String, Query, String)])
    func itemOfTheURLIsReplaced(path: String, query: Query, next: String) async throws {
        site.server.enqueue(page([1]), page([]), page([1]), page([]))
        #expect(
            try await all(List(site.client(), .get(path, query: query), by: .pageNumber(), [Int].self).items) == [1])
        let whole = List(
            site.client(), .get(site.server.url(path).absoluteString, query: query),
            by: .cursor({ $0.isEmpty ? nil : "2" }, parameter: "page"), [Int].self)
        #expect(try await all(whole.items) == [1])
        #expect([targets[1], targets[3]] == [next, next])
    }

    @Test func nestedItemIsReplaced() async throws {
        site.server.enqueue(page([1]), page([2]), page([]))
        let list = List(
            site.client(), .get("/list?page[number]=1", query: ["page": ["number": 1, "size": 10]]),
            by: .pageNumber(parameter: "page[number]"), [Int].self)
        #expect(try await all(list.items) == [1, 2])
        #expect(
            targets.dropFirst() == [
                "/list?page%5Bsize%5D=10&page%5Bnumber%5D=2", "/list?page%5Bsize%5D=10&page%5Bnumber%5D=3",
            ])
    }

    @Test func closureNamesTheNextEndpoint() async throws {
        site.server.enqueue(page([1]), page([2]))
        let rule = Paging<[Int]>.custom { page in
            page.number == 1 ? .post("/more", body: .json(["after": page.output[0]])) : nil
        }
        #expect(try await all(List(site.client(), by: rule).items) == [1, 2])
        #expect(site.server.requests.map(\.method) == ["GET", "POST"])
        #expect(site.server.requests[1].text == #"{"after":1}"#)
    }

    @Test func secretsOfAFurtherEndpointAreRedacted() async throws {
        site.server.enqueue(page([1]), .status(404))
        let facts = Facts()
        let rule = Paging<[Int]>.custom { _ in .get("/export/hush").redacting("hush") }
        let client = site.client(observers: [ClosureObserver { facts.note("\($0)") }])
        let list = List(client, by: rule)
        var failure: (any Error)?
        do { _ = try await all(list.items) } catch { failure = error }
        #expect(site.server.requests.last?.path == "/export/hush")
        let texts = facts.all + ["\(try #require(failure))"]
        #expect(texts.allSatisfy { !$0.contains("hush") })
        #expect(texts.contains { $0.contains("/export/") })
    }

    // MARK: Limits

    @Test func limitsEndTheSequences() async throws {
        site.server.answer(
            "/list",
            { request in
                let number = Int(request.query?.split(separator: "=").last ?? "1") ?? 1
                return .json("[\(number), \(number)]").header("Link", "</list?page=\(number + 1)>; rel=next")
            })
        let client = site.client()
        #expect(try await all(List(client, by: .linkHeader.limited(pages: 2), [Int].self).pages) == [[1, 1], [2, 2]])
        #expect(site.server.requestCount == 2)
        #expect(try await all(List(client, by: .linkHeader.limited(items: 3), [Int].self).items) == [1, 1, 2])
        #expect(site.server.requestCount == 4)
        #expect(try await all(List(client, by: .linkHeader.limited(pages: 0), [Int].self).pages) == [])
        #expect(
            try await all(List(client, by: .linkHeader.prefetching().limited(pages: 2), [Int].self).items) == [
                1, 1, 2, 2,
            ])
        #expect(site.server.requestCount == 6)
    }

    @Test func limitRequestsNoFurtherPageEarly() async throws {
        let requested = Recorded<String>()
        site.server.answer("/list") { request in
            requested.add(request.target)
            return page([1, 2], next: "/list?page=\(requested.all.count + 1)")
        }
        let client = site.client()
        let rule = Paging<[Int]>.linkHeader.prefetching().limited(items: 2)
        var iterator = List(client, by: rule).items.makeAsyncIterator()
        for _ in 0..<2 {
            _ = try await iterator.next()
            #expect(client.calls.allSatisfy { $0.isFinished })
        }
        #expect(try await iterator.next() == nil)
        #expect(
            try await all(List(client, by: .linkHeader.prefetching().limited(items: 3), [Int].self).items).count == 3)
        await client.shutdown()
        #expect(requested.all.count == 3)
    }

    @Test(arguments: ["/list", "ftp://example.com/"])
    func pageIsDeliveredBeforeItsBadLinkFails(next: String) async throws {
        site.server.answer("/list", with: page([1, 2], next: next))
        for rule in [Paging<[Int]>.linkHeader, .linkHeader.prefetching()] {
            var iterator = List(site.client(), by: rule).items.makeAsyncIterator()
            #expect(try await iterator.next() == 1)
            #expect(try await iterator.next() == 2)
            #expect(await refusal { try await iterator.next() }?.code == .badPage)
            #expect(try await iterator.next() == nil)
            #expect(try await all(List(site.client(), by: rule.limited(items: 2)).items) == [1, 2])
        }
    }

    @Test(arguments: ["/list", "/list?page=1", "/%6Cist?page=1"])
    func loopIsAnError(next: String) async throws {
        site.server.answer("/list", with: page([1], next: next))
        let error = await refusal {
            try await all(List(site.client(), .get("/list?page=1"), by: .linkHeader, [Int].self).pages)
        }
        #expect(error?.code == .badPage)
        #expect(site.server.requestCount == (next == "/list" ? 2 : 1))
    }

    @Test func sameCursorIsALoop() async throws {
        site.server.answer("/list", with: .json(#"{"messages": [1], "next": "a"}"#))
        let error = await refusal { try await all(List(site.client(), by: .cursor(\.next), Messages.self).pages) }
        #expect(error?.code == .badPage)
        #expect(site.server.requestCount == 2)
    }

    // MARK: Other origins

    private static let secret: Headers = ["Authorization": "Bearer secret", "X-Plain": "1"]

    @Test(arguments: [true, false])
    func anotherOriginGetsNoCredentials(isTrusted: Bool) async throws {
        let other = try LoopbackServer()
        defer { other.stop() }
        other.enqueue(page([2], next: site.server.url("/list?page=3").absoluteString))
        site.server.enqueue(page([1], next: other.url("/list").absoluteString), page([3]))
        let client = Client(baseURL: site.server.url) {
            $0.headers = ["Cookie": "client"]
            if isTrusted { $0.trustedOrigins = ["http://127.0.0.1:\(other.port)"] }
        }
        let list = List(client, .get("/list", headers: ["X-API-Key": "secret"]), by: .linkHeader, [Int].self)
        list.fields = Self.secret
        #expect(try await all(list.items) == [1, 2, 3])
        let foreign = try #require(other.requests.first)
        #expect(foreign.headers["X-Plain"] == "1")
        for name in ["Authorization", "X-API-Key", "Cookie"] {
            #expect((foreign.headers[name] != nil) == isTrusted, "\(name)")
            #expect(site.server.requests.allSatisfy { $0.headers[name] != nil })
        }
    }

    @Test func downgradeIsRefused() throws {
        var seen: Set<ExactString> = []
        let next = HTTPRequest(method: .get, url: try #require(URL(string: "http://example.com/2")))
        let previous = try #require(URL(string: "https://example.com/1"))
        let error = #expect(throws: RequestError.self) {
            try PageAddress.check(next, after: previous, allowsInsecure: false, seen: &seen)
        }
        #expect(error?.code == .badPage)
        #expect(throws: Never.self) { try PageAddress.check(next, after: previous, allowsInsecure: true, seen: &seen) }
    }

    @Test(
        arguments: [
            ("https://a.com/1", "https://a.com/2", [], PageAddress.Credentials.sent),
            ("https://a.com", "https://a.com:443/2", [], .sent),
            ("https://a.com", "https://b.com", [], .removed), ("https://a.com", "https://a.com:444", [], .removed),
            ("https://a.com", "http://a.com", [], .removed), ("https://a.com", "https://b.com", ["b.com"], .removed),
            ("https://a.com", "https://b.com", ["a.com", "b.com"], .sent),
            ("https://a.com", "https://c.com", ["a.com", "b.com"], .removed),
        ] as [(String, String, Set<String>, PageAddress.Credentials)])
    func credentials(first: String, next: String, trusted: Set<String>, credentials: PageAddress.Credentials) throws {
        #expect(
            PageAddress.credentials(
                to: try #require(URL(string: next)), first: try #require(URL(string: first)),
                allowsCredentials: { trusted.contains($0.host() ?? "") }) == credentials)
    }

    @Test(arguments: ["ftp://example.com/", "http://", "/a/../b\u{0}"])
    func badLinkIsAnError(target: String) async throws {
        site.server.answer("/list", with: page([1], next: target))
        let error = await refusal { try await all(List(site.client(), by: .linkHeader, [Int].self).pages) }
        #expect(error != nil)
    }

    // MARK: Policies, and leaving

    @Test(arguments: [CachePolicy.cacheElseNetwork(maxAge: .seconds(60)), .http], [nil, CacheKey("mine")])
    func eachPageIsCached(policy: CachePolicy, key: CacheKey?) async throws {
        site.server.answer(
            "/list",
            { request in
                let number = Int(request.query?.split(separator: "=").last ?? "1") ?? 1
                let response = Response.json("[\(number)]").header("Cache-Control", "max-age=600")
                return number < 3 ? response.header("Link", "</list?page=\(number + 1)>; rel=next") : response
            })
        let client = Client(baseURL: site.server.url, cache: MemoryStore())
        for _ in 1...2 {
            let list = List(client, by: .linkHeader, [Int].self)
            list.policy = policy
            list.key = key
            #expect(try await all(list.items) == [1, 2, 3])
        }
        #expect(site.server.requestCount == 3)
        await client.shutdown()
    }

    @Test func modelsKeepTheirLinks() async throws {
        site.server.enqueue(page([1], next: "/list?page=2"), page([2]))
        let client = Client(baseURL: site.server.url, cache: MemoryStore())
        for _ in 1...2 {
            let list = List(client, by: .linkHeader, [Int].self)
            list.policy = CachePolicy(fetch: .cacheElseNetwork, hit: .maxAge(.seconds(60)), write: .model)
            #expect(try await all(list.items) == [1, 2])
        }
        #expect(site.server.requestCount == 2)
        await client.shutdown()
    }

    @Test func failedPageEndsTheSequence() async throws {
        site.server.enqueue(page([1], next: "/list?page=2"), .status(500))
        var iterator = List(site.client(), by: .linkHeader.prefetching(), [Int].self).items.makeAsyncIterator()
        #expect(try await iterator.next() == 1)
        #expect(await refusal { try await iterator.next() }?.code == .badStatus)
        #expect(try await iterator.next() == nil)
    }

    @Test func nextPageIsRequestedWhenItIsNeeded() async throws {
        site.server.enqueue(page([1], next: "/list?page=2"), page([2]))
        var iterator = List(site.client(), by: .linkHeader, [Int].self).items.makeAsyncIterator()
        #expect(try await iterator.next() == 1)
        #expect(site.server.requestCount == 1)
        #expect(try await iterator.next() == 2)
    }

    @Test func prefetchedPageIsRequestedEarlyAndCancelledWhenTheLoopLeaves() async throws {
        let gate = Gate()
        site.server.enqueue(page([1], next: "/list?page=2"), page([2]).held(by: gate))
        let client = site.client()
        for try await item in List(client, by: .linkHeader.prefetching(), [Int].self).items {
            #expect(item == 1)
            try await gate.reached()
            break
        }
        let last = try await site.server.requests(count: 2)[1]
        try await site.server.connectionEnded(last.connection)
        while !client.calls.isEmpty { await Task.yield() }
    }

    @Test func cancelledTaskCancelsThePage() async throws {
        let gate = Gate()
        site.server.answer("/list", with: page([1]).held(by: gate))
        let client = site.client()
        let list = List(client, by: .linkHeader, [Int].self).pages
        let task = Task { for try await _ in list {} }
        try await gate.reached()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        try await site.server.connectionEnded(0)
        while !client.calls.isEmpty { await Task.yield() }
    }

    @Test func eachIterationBeginsAnew() async throws {
        site.server.answer("/list", with: page([1]))
        let pages = List(site.client(), by: .linkHeader, [Int].self).pages
        #expect(try await all(pages) == [[1]])
        #expect(try await all(pages) == [[1]])
        #expect(site.server.requestCount == 2)
    }
}
