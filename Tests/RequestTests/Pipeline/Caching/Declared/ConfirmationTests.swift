import Foundation
import LoopbackServer
import Synchronization
import TangoCache
import TangoPromise
import Testing

@testable import TangoRequest
@testable import TestSupport

/// Revalidation of cached responses that were already delivered.
@Suite(.timeLimit(.minutes(20)))
struct ConfirmationTests {
    private let site: CacheSite
    private let client: Client

    init() throws {
        site = try CacheSite()
        client = site.client()
    }

    /// Declares a route that serves item 1 with a validator. It responds 304 to requests with this validator.
    private func serveItem(_ path: String = "/item", _ validator: (String, String) = ("ETag", "\"1\"")) {
        site.server.answer(path) { request in
            let condition = request.headers["If-None-Match"] ?? request.headers["If-Modified-Since"]
            guard condition != validator.1 else {
                return .status(304, headers: ["X-Version": "2"])
            }
            return .json(#"{"id": 1, "name": "one"}"#).header(validator.0, validator.1)
        }
    }

    private var conditions: [String] {
        site.server.requests.map { $0.headers["If-None-Match"] ?? $0.headers["If-Modified-Since"] ?? "none" }
    }

    private func collect(_ values: some AsyncSequence<Item, any Error>) async throws -> [Int] {
        var ids: [Int] = []
        for try await item in values { ids.append(item.id) }
        return ids
    }

    @Test(
        arguments: [("ETag", "\"1\""), ("ETag", "W/\"1\""), ("Last-Modified", "Sat, 21 Nov 2026 06:00:00 GMT")],
        [CachePolicy.Write.raw, .model])
    func revalidatedResponseIsNotSentAgain(_ validator: (String, String), _ write: CachePolicy.Write) async throws {
        serveItem("/item", validator)
        let policy = CachePolicy.cacheThenNetwork(write: write)
        #expect(try await collect(GetItem(client, policy).values) == [1])
        site.clock.advance(by: .seconds(100))
        let call = GetItem(client, policy).start()
        #expect(try await collect(call.values) == [1])
        #expect(conditions == ["none", validator.1])
        #expect(call.response?.status == 200)
        #expect(call.response?.source == .validated)
        #expect(call.response?.headers["X-Version"] == "2")
        if write == .raw { #expect(call.response?.body == Data(#"{"id": 1, "name": "one"}"#.utf8)) }
        // Its age begins again with the revalidation.
        let recent = GetItem(client, CachePolicy(fetch: .cacheOnly, hit: .maxAge(.seconds(10)), write: write)).start()
        #expect(try await recent.value.id == 1)
        #expect(recent.response?.headers["X-Version"] == "2")
    }

    @Test func changedResponseIsSentWhole() async throws {
        serveItem()
        _ = try await GetItem(client, .reload).promise.value
        site.server.answer("/item", with: .item(2))
        #expect(try await collect(GetItem(client, .cacheThenNetwork).values) == [1, 2])
        #expect(conditions == ["none", "\"1\""])
        #expect(try await GetItem(client, .cacheOnly).promise.value.id == 2)
    }

    @Test func callbackRunsForTheCachedValueAndAtTheEnd() async throws {
        serveItem()
        _ = try await GetItem(client, .reload).promise.value
        let heard = Facts()
        let call = GetItem(client, .cacheThenNetwork).start { item, call in
            heard.note("\(item.id) \(call.state)")
        }
        for await _ in call.states {}
        await heard.reached(count: 2)
        #expect(call.state == .finished(.success))
    }

    /// An interceptor that sends requests to another URL, as redirects do.
    private final class Diversion: Interceptor {
        private let target = Mutex<URL?>(nil)

        func lead(to url: URL) { target.withLock { $0 = url } }

        func intercept(_ request: HTTPRequest, context: CallContext, next: Next) async throws -> HTTPResponse {
            var request = request
            if let url = target.withLock(\.self) { request.url = url }
            return try await next(request)
        }
    }

    /// Validators belong to one URL. A 304 from another URL does not confirm the cached response.
    @Test func responseFromAnotherURLIsRequestedWhole() async throws {
        serveItem()
        serveItem("/other")
        let diversion = Diversion()
        let client = Client(baseURL: site.server.url, cache: site.store) {
            $0.interceptors = [diversion]
            $0.clock = site.clock
        }
        _ = try await GetItem(client, .reload).promise.value
        diversion.lead(to: site.server.url("/other"))
        #expect(try await collect(GetItem(client, .cacheThenNetwork).values) == [1])
        #expect(site.server.requests.map(\.path) == ["/item", "/other", "/other"])
        #expect(conditions == ["none", "\"1\"", "none"])
        #expect(try await collect(GetItem(client, .cacheThenNetwork).values) == [1])
        #expect(conditions.suffix(1) == ["none"])
    }

    /// The response under a cache key may come from another URL.
    @Test func responseWithACacheKeyIsRequestedWhole() async throws {
        for day in [1, 2] {
            site.server.answer("/day/\(day)") { request in
                request.headers["If-None-Match"] == nil ? .item(day).header("ETag", "\"1\"") : .status(304)
            }
        }
        func day(_ day: Int) -> GetItem {
            let request = GetItem(client, .cacheThenNetwork, .get("/day/\(day)"))
            request.ownKey = "today"
            return request
        }
        #expect(try await collect(day(1).values) == [1])
        #expect(try await collect(day(2).values) == [1, 2])
    }

    @Test(arguments: ["ETag", "Last-Modified"])
    func notModifiedWithAnotherValidatorIsNotUsed(_ validator: String) async throws {
        serveItem("/item", (validator, validator == "ETag" ? "\"1\"" : "Sat, 21 Nov 2026 06:00:00 GMT"))
        _ = try await GetItem(client, .reload).promise.value
        site.server.answer("/item") { request in
            let isConditional = request.headers["If-None-Match"] != nil || request.headers["If-Modified-Since"] != nil
            return (isConditional ? Response.status(304) : .json(#"{"id": 2, "name": "two"}"#)).header("ETag", "\"2\"")
        }
        #expect(try await collect(GetItem(client, .cacheThenNetwork).values) == [1, 2])
        #expect(site.count == 3)
    }

    /// The second request of a call starts before the start of the first has returned.
    @Test func aSecondRequestIsNotCancelledByTheStartOfTheFirst() async throws {
        let store = MemoryStore()
        let (starts, cancellations) = (Facts(), Facts())
        let (isSecond, hasReturned) = (DispatchSemaphore(value: 0), Gate())
        let transport = Handing { request, completion in
            @Sendable func item(_ id: Int) {
                completion {
                    HTTPResponse(
                        status: 200, headers: ["ETag": "\"\(id)\""], body: Data(#"{"id": \#(id), "name": "a"}"#.utf8),
                        request: request)
                }
            }
            starts.note("started")
            let number = starts.count
            switch number {
            case 1: item(1)
            case 2:
                completion { HTTPResponse(status: 304, headers: ["ETag": "\"other\""], request: request) }
                #expect(isSecond.wait(timeout: .now() + 60) == .success)
            default:
                isSecond.signal()
                Task {
                    try await hasReturned.opened()
                    item(2)
                }
            }
            return TransportTask { cancellations.note("\(number)") }
        }
        let client = Client(baseURL: URL(string: "http://localhost"), cache: store) {
            $0.transport = transport
        }
        #expect(try await GetItem(client, .reload).promise.value.id == 1)
        await client.finishStoring()
        let call = GetItem(client, .cacheThenNetwork).start()
        hasReturned.open()
        #expect(try await collect(call.values) == [1, 2])
        #expect(!cancellations.all.contains("3"))
    }

    private struct Handing: Transport {
        let handing: @Sendable (HTTPRequest, @escaping TransportCompletion) -> TransportTask
        let capabilities: TransportCapabilities = []
        func shutdown() async {}

        func start(
            _ request: HTTPRequest, options: TransportOptions, completion: @escaping TransportCompletion
        ) -> TransportTask {
            handing(request, completion)
        }
    }

    @Test func responseEvictedDuringRevalidationStaysEvicted() async throws {
        serveItem()
        _ = try await GetItem(client, .reload).promise.value
        let gate = Gate()
        site.server.answer("/item", with: .status(304).held(by: gate))
        let call = GetItem(client, .cacheThenNetwork).start()
        try await gate.reached()
        try await GetItem(client, .cacheThenNetwork).evict()
        gate.open()
        #expect(try await collect(call.values) == [1])
        await client.finishStoring()
        #expect(try await GetItem(client, .cacheOnly).cached() == nil)
    }

    @Test func notModifiedFailsARequestWithItsOwnCondition() async throws {
        serveItem()
        _ = try await GetItem(client, .reload).promise.value
        let endpoint = Endpoint.get("/item", headers: ["If-None-Match": "\"1\""])
        let values = GetItem(client, .cacheThenNetwork, endpoint).values
        await #expect(throws: RequestError.self) { _ = try await collect(values) }
    }

    @Test func notModifiedFailsARequestWithoutCondition() async throws {
        site.server.answer("/item", with: .json(#"{"id": 1, "name": "one"}"#))
        _ = try await GetItem(client, .reload).promise.value
        site.server.answer("/item", with: .status(304))
        await #expect(throws: RequestError.self) { _ = try await collect(GetItem(client, .cacheThenNetwork).values) }
        #expect(conditions == ["none", "none"])
    }

    @Test func callsThatShareATransferAreRevalidatedTogether() async throws {
        serveItem()
        _ = try await GetItem(client, .reload).promise.value
        let gate = Gate()
        site.server.answer("/item", with: .status(304).held(by: gate))
        let heard = Facts()
        let joining = Client(baseURL: site.server.url, cache: site.store) {
            $0.cachePolicy = .cacheThenNetwork
            $0.uniqueness = .join
            $0.observers = [heard.observer()]
            $0.clock = site.clock
        }
        let calls = (0..<5).map { _ in GetItem(joining, nil).start() }
        // Each call reads the store before it joins.
        await heard.reached { $0.count { $0 == "sending" } == 5 }
        gate.open()
        for call in calls {
            #expect(try await collect(call.values) == [1])
            #expect(call.response?.source == .validated)
        }
        #expect(site.count == 2)
    }

    @Test func responseRemovedDuringRevalidationStaysRemoved() async throws {
        serveItem()
        _ = try await GetItem(client, .reload).promise.value
        let gate = Gate()
        site.server.answer("/item", with: .status(304).held(by: gate))
        let call = GetItem(client, .cacheThenNetwork).start()
        try await gate.reached()
        try await client.removeCachedResponses()
        gate.open()
        #expect(try await collect(call.values) == [1])
        await client.finishStoring()
        #expect(try await GetItem(client, .cacheOnly).cached() == nil)
    }
}
