import Foundation
import LoopbackServer
import TangoCache
import TangoPromise
import Testing

@testable import TangoRequest
@testable import TestSupport

/// Retries as a server sees them.
@Suite(.timeLimit(.minutes(20)))
struct RetryOnTheWireTests {
    private let site: Site

    init() throws { site = try Site() }

    private static let quick = RetryPolicy.exponential(attempts: 4, base: .zero)

    private func client(
        _ policy: RetryPolicy = quick, _ change: (inout Client.Configuration) -> Void = { _ in }
    ) -> Client {
        Client(baseURL: site.server.url) {
            $0.timeouts = .patient
            $0.retryPolicy = policy
            change(&$0)
        }
    }

    // MARK: Statuses

    @Test("some statuses are retried once", arguments: [408, 421])
    func statusOfOneRetry(_ status: Int) async throws {
        site.server.answer("/a", with: .status(status))
        let call = Fetch<String>(.post("/a", body: .string("x")), of: client()).start()
        let error = try #require(await refusal(of: call.promise))
        #expect(error.response?.status.code == status)
        #expect(site.server.requests.map(\.body) == [Data("x".utf8), Data("x".utf8)])
        #expect(call.attempts.last?.retry?.reason == .sameStatus)
    }

    @Test func largeBodyIsSentAgainIfTheServerSaysWhen() async throws {
        site.server.enqueue(Response.status(413).header("Retry-After", "0"), .text("ok"))
        #expect(try await Fetch<String>(.post("/a", body: .string("x")), of: client()).promise.value == "ok")
        site.server.answer("/b", with: .status(413))
        #expect(await refusal(of: Fetch<String>(.post("/b", body: .string("x")), of: client()).promise) != nil)
        #expect(site.server.requests.count == 3)
    }

    @Test func dateOfTheServerIsTheEndOfTheWait() async throws {
        let clock = ManualClock()
        let text = HTTPDate.text(1_040)
        site.server.enqueue(Response.status(503).header("Retry-After", text), .text("ok"))
        let client = client(Self.quick) {
            $0.clock = clock
            $0.now = { Date(timeIntervalSince1970: 1_000) }
        }
        let call = Fetch<String>(.get("/a"), of: client).start()
        await clock.sleepers()
        #expect(call.state == .retrying(attempt: 2, after: .seconds(40)))
        clock.advance(by: .seconds(40))
        #expect(try await call.value == "ok")
    }

    @Test func waitBeyondTheLongestFailsAtOnce() async throws {
        site.server.answer("/a", with: Response.status(429).header("Retry-After", "61"))
        let call = Fetch<String>(.get("/a"), of: client()).start()
        #expect(try #require(await refusal(of: call.promise)).response?.status == 429)
        #expect(call.attempts.last?.retry?.reason == .longWait)
        #expect(site.server.requests.count == 1)
        var patient = Self.quick
        patient.longestWait = .seconds(61)
        let clock = ManualClock()
        let waiting = Fetch<String>(.get("/a"), of: client(patient) { $0.clock = clock }).start()
        await clock.sleepers()
        #expect(waiting.state == .retrying(attempt: 2, after: .seconds(61)))
        waiting.cancel()
    }

    // MARK: Bodies

    @Test func filesAreSentAgain() async throws {
        let files = ScratchFiles()
        let file = try files.file("body", Data("from a file".utf8))
        site.server.enqueue(.status(503), Response.text("lost").failing(.reset, at: .response), .text("ok"))
        #expect(try await Fetch<String>(.put("/a", body: .file(file)), of: client()).promise.value == "ok")
        #expect(
            site.server.requests.map(\.body) == Array(repeating: Data("from a file".utf8), count: 3))
    }

    // MARK: Attempts of a call

    @Test func attemptsHaveATimeoutEach() async throws {
        site.server.enqueue(Response.text("late").failing(.stall, at: .response), .text("ok"))
        let call = Fetch<String>(
            .get("/a"), of: client { $0.timeouts = Timeouts(idle: .seconds(60), attempt: .seconds(1)) }
        ).start()
        #expect(try await call.value == "ok")
        #expect((call.attempts.first?.error as? RequestError)?.code == .attemptTimedOut)
        #expect(call.attempts.map(\.cause) == [.first, .retry])
    }

    @Test func retryByHandHasAnotherKey() async throws {
        site.server.answer("/a", with: .status(503))
        let client = client(Self.quick.withIdempotencyKey()) { $0.retryBudget = .unlimited }
        let call = Fetch<String>(.post("/a"), of: client).start()
        _ = await refusal(of: call.promise)
        _ = await refusal(of: call.retry().promise)
        let keys = site.server.requests.map { $0.headers["Idempotency-Key"] }
        #expect(keys.count == 8)
        #expect(Set(keys.prefix(4)).count == 1)
        #expect(Set(keys.suffix(4)).count == 1)
        #expect(Set(keys).count == 2)
    }

    @Test func callsThatShareATransferWaitTogether() async throws {
        let clock = ManualClock()
        site.server.enqueue(Response.status(503).header("Retry-After", "5"), .text("ok"))
        let client = client { ($0.clock, $0.uniqueness) = (clock, .join) }
        let calls = (0..<3).map { _ in Fetch<String>(.get("/a"), of: client).start() }
        await clock.sleepers()
        for call in calls {
            while call.state != .retrying(attempt: 2, after: .seconds(5)) { await Task.yield() }
        }
        // A call that leaves does not end the wait of the others.
        calls[0].cancel()
        clock.advance(by: .seconds(5))
        for call in calls.dropFirst() {
            #expect(try await call.value == "ok")
            #expect(call.attempts.map(\.cause) == [.first, .retry])
            let decision = try #require(call.attempts.first?.retry)
            #expect(decision.reason == .serverAsks)
            #expect(call.explanation?.decisions == [.retry(attempt: 1, decision)])
        }
        #expect(site.server.requests.count == 2)
    }

    @Test func transferWhoseCallsLeaveInTheGapEnds() async throws {
        let clock = ManualClock()
        site.server.answer("/a", with: Response.status(503).header("Retry-After", "5"))
        let client = client { ($0.clock, $0.uniqueness) = (clock, .join) }
        let calls = (0..<3).map { _ in Fetch<String>(.get("/a"), of: client).start() }
        await clock.sleepers()
        for call in calls { call.cancel() }
        await client.shutdown()
        clock.advance(by: .seconds(100))
        #expect(site.server.requests.count == 1)
    }

    // MARK: Explanations

    @Test func explanationSaysWhyAttemptsFollowed() async throws {
        site.server.enqueue(.status(503), Response.status(503).header("Retry-After", "100"))
        let call = Fetch<String>(.get("/a"), of: client()).start()
        #expect(call.explanation == nil)
        _ = await refusal(of: call.promise)
        #expect(
            call.explanation?.description == """
                attempt 1 was followed by another one at once: the failure may be gone with the next attempt
                attempt 2 was the last one: the server asks for a longer wait than the policy allows
                """)
        site.server.answer("/b", with: .status(503))
        for policy in [RetryPolicy.never, .connectionLoss] {
            let call = Fetch<String>(.get("/b"), of: client(policy)).start()
            _ = await refusal(of: call.promise)
            #expect(
                call.explanation?.description == "attempt 1 was the last one: the policy does not cover the failure")
        }
        site.server.answer("/c", with: .text("ok"))
        let success = Fetch<String>(.get("/c"), of: client()).start()
        _ = try await success.value
        #expect(success.explanation == nil)
    }

    @Test func explanationHasTheCacheToo() async throws {
        site.server.enqueue(.status(503), Response.text("ok").header("Cache-Control", "max-age=60"))
        let client = Client(baseURL: site.server.url, cache: MemoryStore()) {
            $0.timeouts = .patient
            $0.retryPolicy = Self.quick
            $0.cachePolicy = .http
        }
        let call = Fetch<String>(.get("/a"), of: client).start()
        #expect(try await call.value == "ok")
        #expect(call.explanation?.reason == .nothingStored)
        #expect(
            call.explanation?.description == """
                fetched from the server: nothing is cached for the request
                attempt 1 was followed by another one at once: the failure may be gone with the next attempt
                """)
    }

    @Test func backgroundRefreshIsSentAgain() async throws {
        let facts = Facts()
        let fresh = Response.text("new").header("Cache-Control", "max-age=60")
        site.server.enqueue(
            Response.text("old").header("Cache-Control", "max-age=0, stale-while-revalidate=600"), .status(503), fresh)
        let client = Client(baseURL: site.server.url, cache: MemoryStore()) {
            $0.timeouts = .patient
            $0.retryPolicy = Self.quick
            $0.cachePolicy = .http
            $0.observe { event in
                if case .cache(.refreshed) = event.kind { facts.note("refreshed") }
            }
        }
        #expect(try await Fetch<String>(.get("/a"), of: client).promise.value == "old")
        #expect(try await Fetch<String>(.get("/a"), of: client).promise.value == "old")
        await facts.reached("refreshed")
        #expect(try await Fetch<String>(.get("/a"), of: client).promise.value == "new")
        #expect(site.server.requests.count == 3)
    }
}
