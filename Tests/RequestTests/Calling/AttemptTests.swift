import Foundation
import LoopbackServer
import Synchronization
import TangoCache
import TangoPromise
import Testing

@testable import TangoRequest
@testable import TestSupport

/// The log of a call's attempts, and the events that belong to them.
@Suite(.timeLimit(.minutes(20)))
struct AttemptTests {
    private struct Passing: Interceptor {
        func intercept(_ request: HTTPRequest, context: CallContext, next: Next) async throws -> HTTPResponse {
            try await next(request)
        }
    }

    private struct Stamping: Interceptor {
        func intercept(_ request: HTTPRequest, context: CallContext, next: Next) async throws -> HTTPResponse {
            var request = request
            request.headers["X-Stamp"] = "1"
            return try await next(request)
        }
    }

    private struct Repeating: Interceptor {
        func intercept(_ request: HTTPRequest, context: CallContext, next: Next) async throws -> HTTPResponse {
            let response = try await next(request)
            return response.status == 503 ? try await next(request) : response
        }
    }

    private let site: Site
    private let facts = Facts()

    init() throws { site = try Site() }

    private func words(_ call: AnyCall) -> [String] {
        call.attempts.map { "\($0.number) \($0.cause) \($0.response.map { "\($0.status)" } ?? "none")" }
    }

    @Test(arguments: [true, false])
    func attemptRecordsRequestAndResponse(isDirect: Bool) async throws {
        site.server.answer("/a", with: .text("hello").header("X-A", "1"))
        let client = site.client(attemptInterceptors: isDirect ? [] : [Stamping()])
        let call = Fetch<String>(.post("/a", body: isDirect ? .none : .string("body")), of: client).start()
        #expect(try await call.value == "hello")
        #expect(words(call) == ["1 first 200"])
        let attempt = try #require(call.attempts.first)
        #expect(attempt.request.url == site.server.url("/a"))
        #expect(attempt.request.headers["X-Stamp"] == (isDirect ? nil : "1"))
        #expect(attempt.request.body.isNone)
        #expect(attempt.response?.headers["X-A"] == "1")
        #expect(attempt.response?.body.isEmpty == true)
        #expect(attempt.error == nil)
        #expect(attempt.bytesReceived == 5)
        #expect(attempt.bytesSent == (isDirect ? 0 : 4))
        #expect(attempt.metrics == call.metrics)
        #expect(try #require(attempt.ended) >= attempt.started)
    }

    @Test(arguments: [true, false])
    func failedAttemptHasItsError(isDirect: Bool) async throws {
        site.server.answer("/a", with: .text("hello").failing(.reset, at: .responseHead))
        let client = site.client(interceptors: isDirect ? [] : [Passing()]).with { $0.retryPolicy = .never }
        let call = Fetch<String>(.get("/a"), of: client).start()
        let error = await refusal(of: call.promise)
        let attempt = try #require(call.attempts.first)
        #expect(call.attempts.count == 1)
        #expect((attempt.error as? RequestError)?.code == error?.code)
        #expect(attempt.response == nil)
        #expect(attempt.ended != nil)
    }

    @Test func eachRequestThatAnInterceptorSendsIsAnAttempt() async throws {
        site.server.enqueue(.status(503), .text("a"))
        let call = Fetch<String>(.get("/a"), of: site.client(interceptors: [Repeating()])).start()
        #expect(try await call.value == "a")
        #expect(words(call) == ["1 first 503", "2 repetition 200"])
    }

    @Test func outcomesThatAStageRefusesAreLoggedOnce() async throws {
        site.server.enqueue(.status(503), .text("a"))
        let stage = StageTests.Probe(facts: facts, isNeeded: false, refused: [503])
        let client = site.client().with { $0.features[AddedStages.self] = AddedStages(aboveCache: [stage]) }
        let call = Fetch<String>(.get("/a"), of: client).start()
        #expect(try await call.value == "a")
        #expect(words(call) == ["1 first 503", "2 repetition 200"])
    }

    @Test(arguments: [true, false])
    func anAttemptInFlightEndsWithItsCall(isDirect: Bool) async throws {
        let gate = Gate()
        site.server.answer("/a", with: .text("a").held(by: gate))
        let call = Fetch<String>(.get("/a"), of: site.client(interceptors: isDirect ? [] : [Passing()])).start()
        try await gate.reached()
        #expect(words(call) == ["1 first none"])
        #expect(call.attempts.first?.ended == nil)
        call.cancel()
        #expect(call.attempts.first?.error is CancellationError)
        #expect(call.attempts.first?.ended != nil)
        gate.open()
    }

    @Test func callsThatShareATransferShareItsAttempts() async throws {
        let gate = Gate()
        site.server.answer("/a", with: .text("a").held(by: gate))
        let client = site.client(uniqueness: .join)
        let calls = (0..<3).map { _ in Fetch<String>(.get("/a"), of: client).start() }
        try await gate.reached()
        for call in calls { #expect(words(call) == ["1 first none"]) }
        calls[0].cancel()
        #expect(words(calls[0]) == ["1 first none"])
        #expect(calls[0].attempts.first?.error is CancellationError)
        gate.open()
        for call in calls.dropFirst() {
            #expect(try await call.value == "a")
            #expect(words(call) == ["1 first 200"])
        }
    }

    @Test func attemptsForTheCacheHaveTheirCause() async throws {
        let site = try CacheSite()
        site.server.answer("/item") { request in
            let response = request.headers["If-None-Match"] == nil ? Response.item(1) : .status(304)
            return response.header("Cache-Control", "max-age=10, stale-while-revalidate=10").header("ETag", "\"1\"")
        }
        let client = site.client()
        let first = GetItem(client, .http).start()
        _ = try await first.value
        #expect(words(first) == ["1 first 200"])
        let second = GetItem(client, .http).start()
        _ = try await second.value
        #expect(words(second) == [])
        #expect(second.metrics == AttemptMetrics())
        site.clock.advance(by: .seconds(11))
        let third = GetItem(client, .http).start()
        _ = try await third.value
        await site.facts.reached { $0.contains { $0.hasPrefix("refreshed") } }
        #expect(words(third) == ["1 refresh 304"])
        await client.finishStoring()
        site.clock.advance(by: .seconds(21))
        let fourth = GetItem(client, .http).start()
        _ = try await fourth.value
        #expect(words(fourth) == ["1 validation 304"])
        #expect(fourth.response?.status == 200)
    }

    @Test func cacheThenNetworkValidatesTheDeliveredEntry() async throws {
        let site = try CacheSite()
        site.server.answer("/item", with: .item(1))
        let client = site.client()
        _ = try await GetItem(client, .cacheThenNetwork).promise.value
        await client.finishStoring()
        let call = GetItem(client, .cacheThenNetwork).start()
        for try await _ in call.values {}
        #expect(call.attempts.map(\.cause) == [.validation])
    }

    @Test func eventsHaveTheNumberOfTheirAttemptAndTheirInstant() async throws {
        site.server.enqueue(.status(503), .text("a").informational(103, headers: [:]))
        let events = Mutex<[CallEvent]>([])
        let client = site.client(
            interceptors: [Repeating()], observers: [ClosureObserver { event in events.withLock { $0.append(event) } }])
        let call = Fetch<String>(.get("/a"), of: client).start()
        #expect(try await call.value == "a")
        let all = events.withLock { $0 }
        let numbered = all.compactMap { event in event.attempt.map { "\($0) \(event.word)" } }
        #expect(
            numbered.filter { !$0.hasSuffix("progress") }
                == ["1 sending", "1 response 503", "2 sending", "2 informational 103", "2 response 200"])
        #expect(Set(all.filter { $0.attempt == nil }.map(\.word)) == ["willStart", "finished success"])
        #expect(all.map(\.instant) == all.map(\.instant).sorted())
        let attempts = call.attempts
        #expect(attempts.count == 2)
        #expect(attempts[0].started <= attempts[1].started)
    }

    @Test func eventsOfASharedTransferAreNumberedForEachCall() async throws {
        let gate = Gate()
        site.server.answer("/a", with: .text("a").held(by: gate))
        let client = site.client(observers: [facts.numbering()], uniqueness: .join)
        let calls = (0..<2).map { _ in Fetch<String>(.get("/a"), of: client).start() }
        try await gate.reached()
        gate.open()
        for call in calls { _ = try await call.value }
        #expect(facts.all.sorted() == ["1 response 200", "1 response 200", "1 sending", "1 sending"])
    }
}

extension Facts {
    /// An observer that records the events of attempts, except progress.
    fileprivate func numbering() -> ClosureObserver {
        ClosureObserver { event in
            if case .progress = event.kind { return }
            if let attempt = event.attempt { self.note("\(attempt) \(event.word)") }
        }
    }
}
