import Foundation
import LoopbackServer
import Synchronization
import TangoPromise
import TangoRequest
import Testing

@testable import TestSupport

/// Requests that fail and are sent again.
@Suite(.timeLimit(.minutes(20)))
struct RetryTests {
    private let site: Site
    private let clock = ManualClock()

    init() throws { site = try Site() }

    private func client(
        _ policy: RetryPolicy? = nil, _ change: (inout Client.Configuration) -> Void = { _ in }
    ) -> Client {
        Client(baseURL: site.server.url) {
            $0.timeouts = .patient
            $0.clock = clock
            $0.random = { 0.5 }
            if let policy { $0.retryPolicy = policy }
            change(&$0)
        }
    }

    private static let patient = RetryPolicy.exponential(attempts: 4, base: .seconds(2), cap: .seconds(60))

    // MARK: Budgets

    private static let two = RetryBudget(burst: 2, perRequest: 0, perSecond: 0)

    private final class Report: Request<String> {
        private let owner: Client
        private let budget: RetryBudget

        init(_ owner: Client, _ budget: RetryBudget) {
            self.owner = owner
            self.budget = budget
        }

        override var client: Client { owner }
        override var endpoint: Endpoint { .get("/a") }
        override var retryBudget: RetryBudget { budget }
    }

    private func attempts(of request: Request<String>) async throws -> (Int, RequestError) {
        let call = request.start()
        let error = try #require(await refusal(of: call.promise))
        return (call.attempts.count, error)
    }

    @Test func errorSaysThatTheBudgetIsUsedUp() async throws {
        site.server.answer("/a", with: .status(503))
        let client = client(.custom { _ in .zero }) {
            $0.retryBudget = RetryBudget(burst: 1, perRequest: 0, perSecond: 0)
        }
        let (count, error) = try await attempts(of: Fetch(.get("/a"), of: client))
        #expect(count == 2)
        #expect(error.code == .badStatus)
        #expect(error.retryDecision?.reason == .noBudget)
        #expect("\(error)".contains("it was not sent again, because the retry budget for the host is used up"))
    }

    @Test func errorHasTheDecisionAfterTheLastAttempt() async throws {
        site.server.answer("/a", with: .status(404))
        let (_, error) = try await attempts(of: Fetch(.get("/a"), of: client(.standard)))
        #expect(error.retryDecision?.reason == .final)
        #expect(!"\(error)".contains("sent again"))
    }

    @Test func clientsShareABudget() async throws {
        site.server.answer("/a", with: .status(503))
        let budget = RetryBudget(burst: 3, perRequest: 0, perSecond: 0)
        let clients = (0..<2).map { _ in
            client(.custom { $0.number < 3 ? .zero : nil }) { $0.retryBudget = budget }
        }
        var counts: [Int] = []
        for client in clients + [clients[0].with { $0.timeouts.idle = .seconds(9) }] {
            counts.append(try await attempts(of: Fetch(.get("/a"), of: client)).0)
        }
        #expect(counts == [3, 2, 1])
    }

    @Test func clientsHaveBudgetsOfTheirOwn() async throws {
        site.server.answer("/a", with: .status(503))
        for _ in 0..<3 {
            let client = client(.custom { $0.number < 11 ? .zero : nil })
            #expect(try await attempts(of: Fetch(.get("/a"), of: client)).0 == 11)
        }
    }

    @Test func requestHasABudgetOfItsOwn() async throws {
        site.server.answer("/a", with: .status(503))
        let client = client(.custom { $0.number < 5 ? .zero : nil }) { $0.retryBudget = Self.two }
        #expect(try await attempts(of: Report(client, .unlimited)).0 == 5)
        #expect(try await attempts(of: Report(client, RetryBudget(burst: 1, perRequest: 0))).0 == 2)
        #expect(try await attempts(of: Fetch(.get("/a"), of: client)).0 == 3)
    }

    // MARK: Lost connections

    @Test(arguments: [HTTPMethod.get, .put, .delete])
    func lostConnectionIsReplacedOnce(_ method: HTTPMethod) async throws {
        site.server.enqueue(Response.text("lost").failing(.reset, at: .response), .text("ok"))
        let call = Fetch<String>(Endpoint(method: method, path: "/a"), of: client()).start()
        #expect(try await call.value == "ok")
        #expect(site.server.requests.count == 2)
        #expect(call.attempts.map(\.cause) == [.first, .retry])
        #expect(call.attempts.map(\.retry?.reason) == [.mayPass, nil])
        #expect(call.attempts[0].retry?.delay == .zero)
    }

    @Test func secondLossIsTheError() async throws {
        site.server.answer("/a", with: Response.text("lost").failing(.reset, at: .response))
        let call = Fetch<String>(.get("/a"), of: client()).start()
        let error = try #require(await refusal(of: call.promise))
        #expect(error.code == .connectionLost)
        #expect(site.server.requests.count == 2)
        #expect(call.attempts.last?.retry?.reason == .noAttempts)
    }

    @Test func requestThatMayHaveBeenProcessedIsSentOnce() async throws {
        site.server.answer("/a", with: Response.text("lost").failing(.reset, at: .response))
        let call = Fetch<String>(.post("/a", body: .string("x")), of: client()).start()
        #expect(try #require(await refusal(of: call.promise)).code == .connectionLost)
        #expect(site.server.requests.count == 1)
        #expect(call.attempts.last?.retry?.reason == .notIdempotent)
    }

    @Test func streamThatCanBeReadOnceIsSentOnce() async throws {
        site.server.answer("/a", with: Response.text("lost").failing(.reset, at: .response))
        let (stream, continuation) = AsyncStream.makeStream(of: Data.self)
        continuation.yield(Data("x".utf8))
        continuation.finish()
        let call = Fetch<String>(.put("/a", body: .stream(stream)), of: client(.standard)).start()
        #expect(await refusal(of: call.promise) != nil)
        #expect(site.server.requests.count == 1)
        #expect(call.attempts.last?.retry?.reason == .bodyNotReplayable)
    }

    @Test func policyNeverSendsOnce() async throws {
        site.server.answer("/a", with: Response.text("lost").failing(.reset, at: .response))
        let call = Fetch<String>(.get("/a"), of: client(.never)).start()
        #expect(await refusal(of: call.promise) != nil)
        #expect(site.server.requests.count == 1)
    }

    @Test func statusIsNotRetriedByDefault() async throws {
        site.server.answer("/a", with: .text("busy", status: 503))
        let call = Fetch<String>(.get("/a"), of: client()).start()
        #expect(try #require(await refusal(of: call.promise)).code == .badStatus)
        #expect(site.server.requests.count == 1)
    }

    // MARK: Statuses and waits

    @Test func statusIsRetriedAfterWaitsThatGrow() async throws {
        let gate = Gate()
        site.server.enqueue(.status(503).held(by: gate), .status(500), .text("ok"))
        let events = Facts()
        let client = client(Self.patient) {
            $0.observe { event in
                if case .following(let cause, _, let delay) = event.kind { events.note("\(cause) after \(delay)") }
            }
        }
        let call = Fetch<String>(.get("/a"), of: client).start()
        let all = call.states
        gate.open()
        let states = Task { await all.reduce(into: []) { $0.append($1) } }
        await clock.sleepers()
        #expect(call.state == .retrying(attempt: 2, after: .seconds(1)))
        clock.advance(by: .milliseconds(999))
        #expect(site.server.requests.count == 1)
        clock.advance(by: .milliseconds(1))
        _ = try await site.server.requests(count: 2)
        await clock.sleepers()
        #expect(call.state == .retrying(attempt: 3, after: .seconds(2)))
        clock.advance(by: .seconds(2))
        #expect(try await call.value == "ok")
        #expect(site.server.requests.count == 3)
        #expect(
            await states.value.drop { $0 == .queued } == [
                .running, .retrying(attempt: 2, after: .seconds(1)), .running,
                .retrying(attempt: 3, after: .seconds(2)), .running, .finished(.success),
            ])
        #expect(events.all == ["retry after 1.0 seconds", "retry after 2.0 seconds"])
        #expect(call.attempts.map { $0.response?.status } == [503, 500, 200])
    }

    @Test func serverSaysHowLongToWait() async throws {
        site.server.enqueue(Response.status(429).header("Retry-After", "7"), .text("ok"))
        let call = Fetch<String>(.get("/a"), of: client(Self.patient)).start()
        await clock.sleepers()
        #expect(call.state == .retrying(attempt: 2, after: .seconds(7)))
        clock.advance(by: .seconds(7))
        #expect(try await call.value == "ok")
        #expect(call.attempts[0].retry?.reason == .serverAsks)
    }

    @Test(arguments: [Uniqueness.allow, .join])
    func waitBeyondTheTotalFailsAtOnce(_ uniqueness: Uniqueness) async throws {
        site.server.answer("/a", with: Response.status(503).header("Retry-After", "10"))
        let request = Fetch<String>(
            .get("/a"),
            of: client(Self.patient) { $0.timeouts = Timeouts(connect: nil, idle: nil, total: .seconds(10)) })
        request.kind = uniqueness
        let call = request.start()
        let error = try #require(await refusal(of: call.promise))
        #expect(error.code == .badStatus)
        #expect(error.retryDecision?.reason == .noTime)
        #expect(call.attempts.last?.retry?.reason == .noTime)
        #expect(site.server.requests.count == 1)
    }

    /// A shared transfer has as much time as the call that has the most.
    @Test(arguments: [nil, .seconds(11)] as [Duration?])
    func sharedTransferWaitsForTheMostPatientCall(_ total: Duration?) async throws {
        let gate = Gate()
        site.server.enqueue(Response.status(503).header("Retry-After", "10").held(by: gate), .text("ok"))
        let client = client(Self.patient) { $0.uniqueness = .join }
        let calls = [.seconds(5), total].map { total in
            let request = Fetch<String>(.get("/a"), of: client)
            request.times = .patient
            request.times?.total = total
            return request.start()
        }
        try await gate.reached()
        gate.open()
        await clock.sleepers(total == nil ? 2 : 3)
        clock.advance(by: .seconds(10))
        #expect(await refusal(of: calls[0].promise)?.code == .totalTimedOut)
        #expect(try await calls[1].value == "ok")
    }

    @Test func lastResponseIsTheError() async throws {
        site.server.enqueue(.status(503), .status(503), .text("last", status: 502))
        let policy = RetryPolicy.exponential(attempts: 3, base: .zero)
        let error = try #require(await refusal(of: Fetch<String>(.get("/a"), of: client(policy)).promise))
        #expect(error.response?.status == 502)
        #expect(error.response?.body == Data("last".utf8))
    }

    @Test(arguments: [Uniqueness.allow, .join])
    func acceptedStatusIsNoFailure(_ uniqueness: Uniqueness) async throws {
        site.server.answer("/a", with: .text("busy", status: 503))
        let request = Fetch<String>(.get("/a"), of: client(.exponential(base: .zero)))
        request.kind = uniqueness
        request.rules = .status([200, 503])
        #expect(try await request.promise.value == "busy")
        #expect(site.server.requests.count == 1)
    }

    // MARK: Leaving

    @Test func callIsCancelledInTheGap() async throws {
        site.server.answer("/a", with: .status(503))
        let call = Fetch<String>(.get("/a"), of: client(Self.patient)).start()
        await clock.sleepers()
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
        clock.advance(by: .seconds(1000))
        #expect(site.server.requests.count == 1)
        #expect(call.state == .finished(.cancelled))
    }

    @Test func totalTimeoutEndsTheGap() async throws {
        site.server.answer("/a", with: .status(503))
        let times = Timeouts(connect: nil, idle: nil, total: .seconds(2))
        let call = Fetch<String>(.get("/a"), of: client(Self.patient) { $0.timeouts = times }).start()
        await clock.sleepers(2)
        clock.advance(by: .seconds(1))
        _ = try await site.server.requests(count: 2)
        // The second wait would be two seconds, and one is left.
        let error = try #require(await refusal(of: call.promise))
        #expect(error.response?.status == 503)
        #expect(call.attempts.last?.retry?.reason == .noTime)
    }

    // MARK: Keys, budgets, closures

    /// As an authenticator does after a rejected token.
    private struct Again: Interceptor {
        func intercept(_ request: HTTPRequest, context: CallContext, next: Next) async throws -> HTTPResponse {
            _ = try await next(request)
            return try await next(request)
        }
    }

    @Test func requestThatAnInterceptorSendsAgainHasTheSameKey() async throws {
        site.server.enqueue(.status(503), .status(401), .text("ok"))
        let client = client(.exponential(attempts: 3, base: .zero).withIdempotencyKey())
            .with { $0.interceptors = [Again()] }
        #expect(try await Fetch<String>(.post("/a"), of: client).promise.value == "ok")
        let keys = site.server.requests.map { $0.headers["Idempotency-Key"] ?? "" }
        #expect(keys.count == 3)
        #expect(Set(keys).count == 1)
        #expect(keys.first != "")
    }

    @Test func attemptsOfACallHaveTheSameKey() async throws {
        let policy = RetryPolicy.exponential(attempts: 3, base: .zero).withIdempotencyKey()
        let client = client(policy)
        var keys: [String] = []
        for _ in 0..<2 {
            site.server.enqueue(.status(503), .status(503), .text("ok"))
            #expect(try await Fetch<String>(.post("/a"), of: client).promise.value == "ok")
            let seen = site.server.requests.suffix(3).map { $0.headers["Idempotency-Key"] ?? "" }
            #expect(Set(seen).count == 1)
            keys += Set(seen)
        }
        #expect(Set(keys).count == 2)
        #expect(!keys.contains(""))
        // A key of the application stays, and an idempotent request needs none.
        site.server.answer("/b", with: .text("ok"))
        let own = Fetch<String>(.post("/b"), of: client)
        own.fields = ["Idempotency-Key": "mine"]
        _ = try await own.promise.value
        _ = try await Fetch<String>(.put("/b"), of: client).promise.value
        #expect(site.server.requests.suffix(2).map { $0.headers["Idempotency-Key"] } == ["mine", nil])
    }

    @Test func callsShareTheBudgetOfAHost() async throws {
        site.server.answer("/a", with: .status(503))
        let client = client(.exponential(attempts: 10, base: .zero)) {
            $0.retryBudget = RetryBudget(burst: 3, perRequest: 0, perSecond: 0)
        }
        let first = Fetch<String>(.get("/a"), of: client).start()
        _ = await refusal(of: first.promise)
        #expect(first.attempts.count == 4)
        #expect(first.attempts.last?.retry?.reason == .noBudget)
        let second = Fetch<String>(.get("/a"), of: client).start()
        _ = await refusal(of: second.promise)
        #expect(second.attempts.count == 1)
    }

    /// Requests that succeed bring retries back, on both ways to the transport.
    @Test(arguments: [false, true]) func requestsBringRetriesBack(isObserved: Bool) async throws {
        site.server.answer("/a", with: .status(503))
        site.server.answer("/b", with: .text("ok"))
        let client = client(.exponential(attempts: 10, base: .zero)) {
            $0.retryBudget = RetryBudget(burst: 2, perRequest: 0.25, perSecond: 0)
            if isObserved { $0.observe { _ in } }
        }
        func attempts() async -> Int {
            let call = Fetch<String>(.get("/a"), of: client).start()
            _ = await refusal(of: call.promise)
            return call.attempts.count
        }
        #expect(await attempts() == 3)
        #expect(await attempts() == 1)
        // With the two calls that failed, a quarter of a retry each.
        for _ in 0..<2 { _ = try await Fetch<String>(.get("/b"), of: client).promise.value }
        #expect(await attempts() == 2)
    }

    @Test func closureSeesTheFailedAttempt() async throws {
        site.server.enqueue(Response.text("taken", status: 409).header("Retry-After", "3"), .text("ok"))
        let seen = Mutex<[String]>([])
        let policy = RetryPolicy.custom { attempt in
            seen.withLock {
                $0.append(
                    "\(attempt.number) \(attempt.response?.status ?? 0) \(attempt.retryAfter ?? .zero) \(attempt.error == nil)"
                )
            }
            return .zero
        }
        #expect(try await Fetch<String>(.post("/a"), of: client(policy)).promise.value == "ok")
        #expect(seen.withLock { $0 } == ["1 409 3.0 seconds true"])
    }

    @Test(arguments: [
        (RetryPolicy.exponential(attempts: 0), "attempts"), (.exponential(attempts: -3), "attempts"),
        (.exponential(base: .seconds(-1)), "base"), (.exponential(cap: .seconds(-1)), "cap"),
    ])
    func invalidPoliciesAreErrors(_ policy: RetryPolicy, _ word: String) async throws {
        let error = try #require(await refusal(of: Fetch<String>(.get("/a"), of: client(policy)).promise))
        #expect(error.code == .badPolicy)
        #expect(error.phase == .prepare)
        #expect(error.detail.contains(word))
        #expect(site.server.requests.isEmpty)
    }

    @Test func requestOverridesThePolicyOfItsClient() async throws {
        final class Once: Fetch<String> {
            override var retryPolicy: RetryPolicy { .never }
        }
        site.server.answer("/a", with: .status(503))
        let client = client(.exponential(attempts: 3, base: .zero))
        _ = await refusal(of: Once(.get("/a"), of: client).promise)
        #expect(site.server.requests.count == 1)
        _ = await refusal(of: Fetch<String>(.get("/a"), of: client).promise)
        #expect(site.server.requests.count == 4)
    }
}
