import Foundation
import LoopbackServer
import Synchronization
import TangoAuth
import TangoCache
import TangoMeasuring
import TangoPromise
import Testing

@testable import TangoHTTP
@testable import TangoRequest
@testable import TestSupport

/// Requests that read the HTTP cache before they send anything: `cached()`, `evict()` and `values`.
@Suite(.timeLimit(.minutes(20)))
struct CacheFirstTests {
    private let site: Site
    private let store: any CacheStore = MemoryStore()
    private let clock = MovedClock()
    private let facts = Facts()

    init() throws { site = try Site() }

    /// A clock that the test advances.
    private final class MovedClock: Sendable {
        private let passed = Mutex(0.0)
        var now: Date { Date(timeIntervalSince1970: 1_800_000_000 + passed.withLock(\.self)) }
        func wait(_ seconds: Double) { passed.withLock { $0 += seconds } }
    }

    private func client(headers: Headers = [:]) -> Client {
        Client(baseURL: site.server.url, cache: store) {
            $0.headers = headers
            $0.observers = [facts.observer()]
            $0.now = { [clock] in clock.now }
        }
    }

    private func serve(_ text: String, _ control: String = "max-age=10", tag: String? = nil) {
        site.server.answer("/a") { [clock] request in
            if let tag, request.headers["If-None-Match"] == tag { return .status(304).header("ETag", tag) }
            let response = Response.text(text).header("Cache-Control", control).header(
                "Date", HTTPDate.text(clock.now.timeIntervalSince1970))
            return tag.map { response.header("ETag", $0) } ?? response
        }
    }

    private func request(_ client: Client) -> Fetch<String> { Fetch<String>(.get("/a"), of: client) }

    private func collect(_ values: some AsyncSequence<String, any Error>) async -> [String] {
        var words: [String] = []
        do {
            for try await text in values { words.append(text) }
        } catch {
            words.append((error as? RequestError)?.code.rawValue ?? "\(error)")
        }
        return words
    }

    @Test(arguments: ["max-age=10", "max-age=10, stale-while-revalidate=100"])
    func freshResponseNeedsNoRequest(_ control: String) async throws {
        let client = client()
        #expect(try await request(client).cached() == nil)
        #expect(site.server.requestCount == 0)
        serve("one", control)
        _ = try await request(client).promise.value
        #expect(try await request(client).cached() == "one")
        clock.wait(11)
        #expect(try await request(client).cached() == nil)
        #expect(site.server.requestCount == 1)
        #expect(facts.all.count { $0 == "willStart" } == 1)
    }

    /// An interceptor that adds credentials and Cache-Control to requests, and records the status of responses.
    private struct Signer: Interceptor {
        let facts: Facts
        func intercept(_ request: HTTPRequest, context: CallContext, next: Next) async throws -> HTTPResponse {
            var request = request
            request.headers.set(name: "Authorization", value: "ada")
            request.headers.set(name: "Cache-Control", value: "max-age=1000")
            let response = try await next(request)
            facts.note("\(response.status.code)")
            return response
        }
    }

    /// Without an identity, the credentials that an interceptor adds are part of the key.
    @Test(arguments: [nil, "ada"])
    func lookupsRunNoInterceptor(identity: String?) async throws {
        let seen = Facts()
        let client = Client(baseURL: site.server.url, cache: store) {
            $0.identity = identity
            $0.interceptors = [Signer(facts: seen)]
            $0.now = { [clock] in clock.now }
        }
        serve("one", "private, max-age=10")
        #expect(try await request(client).cached() == nil)
        #expect(seen.all.isEmpty)
        _ = try await request(client).promise.value
        #expect(try await request(client).cached() == (identity == nil ? nil : "one"))
        try await request(client).evict()
        #expect(try await request(client).cached() == nil)
        #expect(try await store.statistics().count == 0)
        #expect(site.server.requestCount == 1)
        #expect(seen.all == ["200"])
    }

    /// An interceptor that reverses bodies, as a custom encoding of a server may require.
    private struct Reverser: Interceptor {
        let facts: Facts
        func intercept(_ request: HTTPRequest, context: CallContext, next: Next) async throws -> HTTPResponse {
            var response = try await next(request)
            response.body.reverse()
            facts.note("passed")
            return response
        }
    }

    @Test func freshResponsesPassTheInterceptors() async throws {
        let seen = Facts()
        let client = Client(baseURL: site.server.url, cache: store) {
            $0.interceptors = [Reverser(facts: seen)]
            $0.now = { [clock] in clock.now }
        }
        serve("one")
        for count in 1...3 {
            #expect(await collect(request(client).values) == ["eno"])
            #expect(seen.count == count)
        }
        #expect(site.server.requestCount == 1)
    }

    @Test func lookupsRemoveNothingThatAnInterceptorMakesUsable() async throws {
        let client = Client(baseURL: site.server.url, cache: store) {
            $0.interceptors = [Reverser(facts: facts)]
            $0.now = { [clock] in clock.now }
        }
        func list() -> Fetch<[Int]> { Fetch(.get("/list"), of: client) }
        site.server.answer("/list") { [clock] _ in
            .json("]1[").header("Cache-Control", "max-age=10")
                .header("Date", HTTPDate.text(clock.now.timeIntervalSince1970))
        }
        #expect(try await list().promise.value == [1])
        #expect(try await list().cached() == nil)
        #expect(try await list().promise.value == [1])
        #expect(site.server.requestCount == 1)
    }

    @Test func evictedResponseIsRequestedAgain() async throws {
        let client = client()
        serve("one")
        _ = try await request(client).promise.value
        try await request(client).evict()
        #expect(try await request(client).cached() == nil)
        #expect(try await store.statistics().count == 0)
        serve("two")
        #expect(try await request(client).promise.value == "two")
    }

    @Test func responsesToOtherCredentialsAreNotVisible() async throws {
        let (ada, bob) = (client(headers: ["Authorization": "ada"]), client(headers: ["Authorization": "bob"]))
        serve("for ada", "private, max-age=10")
        _ = try await request(ada).promise.value
        #expect(try await request(ada).cached() == "for ada")
        #expect(try await request(bob).cached() == nil)
        try await request(bob).evict()
        #expect(try await request(ada).cached() == "for ada")
    }

    @Test func staleValueComesBeforeTheNewOne() async throws {
        let client = client()
        serve("one")
        #expect(await collect(request(client).values) == ["one"])
        #expect(await collect(request(client).values) == ["one"])
        #expect(site.server.requestCount == 1)
        clock.wait(11)
        serve("two")
        #expect(await collect(request(client).values) == ["one", "two"])
        #expect(await collect(request(client).values) == ["two"])
        #expect(site.server.requestCount == 2)
    }

    @Test func revalidatedValueIsDeliveredOnce() async throws {
        let client = client()
        serve("one", tag: "\"1\"")
        _ = try await request(client).promise.value
        clock.wait(11)
        #expect(await collect(request(client).values) == ["one"])
        #expect(site.server.requestCount == 2)
        #expect(site.server.requests.last?.headers["If-None-Match"] == "\"1\"")
        #expect(site.server.requests.last?.headers["Cache-Control"] == nil)
    }

    @Test func valuesRefreshNowDespiteStaleWhileRevalidate() async throws {
        let client = client()
        serve("one", "max-age=10, stale-while-revalidate=100")
        _ = try await request(client).promise.value
        clock.wait(11)
        serve("two")
        #expect(await collect(request(client).values) == ["one", "two"])
    }

    @Test(arguments: ["max-age=10, must-revalidate", "no-cache", "no-store"])
    func responseThatMustNotBeStaleIsNotDelivered(_ control: String) async throws {
        let client = client()
        serve("one", control)
        _ = try await request(client).promise.value
        clock.wait(11)
        serve("two")
        #expect(await collect(request(client).values) == ["two"])
        #expect(site.server.requestCount == 2)
    }

    @Test func staleValueIsTheOnlyOneIfTheServerCannotBeReached() async throws {
        let client = client()
        serve("one")
        _ = try await request(client).promise.value
        clock.wait(11)
        site.server.stop()
        #expect(await collect(request(client).values) == ["one"])
    }

    @Test func errorOfTheServerFollowsTheStaleValue() async throws {
        let client = client()
        serve("one")
        _ = try await request(client).promise.value
        clock.wait(11)
        site.server.answer("/a", with: .text("no", status: 403))
        #expect(await collect(request(client).values) == ["one", "badStatus"])
    }

    @Test func errorAfterAStaleValueHasNoResponse() async throws {
        let clock = ManualClock()
        let client = Client(baseURL: site.server.url, cache: store) {
            $0.timeouts = Timeouts(total: .seconds(30))
            $0.clock = clock
            $0.now = { [self] in self.clock.now }
        }
        serve("one")
        _ = try await request(client).promise.value
        self.clock.wait(11)
        let gate = Gate()
        site.server.answer("/a", with: .text("two").held(by: gate))
        var values = request(client).values.makeAsyncIterator()
        #expect(try await values.next() == "one")
        try await gate.reached()
        clock.advance(by: .seconds(31))
        let error = await #expect(throws: RequestError.self) { _ = try await values.next() }
        #expect(error?.code == .totalTimedOut)
        #expect(error?.response == nil)
        gate.open()
    }

    @Test func leavingTheLoopCancelsTheCall() async throws {
        let client = client()
        serve("one")
        _ = try await request(client).promise.value
        clock.wait(11)
        let gate = Gate()
        site.server.answer("/a", with: .text("two").held(by: gate))
        for try await _ in request(client).values {
            try await gate.reached()
            break
        }
        await facts.reached("finished cancelled")
        gate.open()
        while !client.calls.isEmpty { await Task.yield() }
    }

    @Test func observersReceiveEventsOfBothValues() async throws {
        let client = client()
        serve("one")
        _ = try await request(client).promise.value
        clock.wait(11)
        serve("two")
        let before = facts.all.count
        #expect(await collect(request(client).values) == ["one", "two"])
        #expect(
            facts.all.dropFirst(before) == [
                "willStart", "hit", "sending", "response 200", "stored", "finished success",
            ])
    }

    @Test func valueThatARequestStoresIsCached() async throws {
        let client = client()
        try await request(client).store("mine")
        #expect(try await request(client).cached() == "mine")
        try await request(client).evict()
        #expect(try await request(client).cached() == nil)
    }
}
