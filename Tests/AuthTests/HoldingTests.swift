import Foundation
import LoopbackServer
import Synchronization
import TangoPromise
import Testing

@testable import TangoAuth
@testable import TangoRequest
@testable import TestSupport

/// Calls that wait for a token.
@Suite(.timeLimit(.minutes(20)))
struct HoldingTests {
    private let site: TokenSite

    init() throws { site = try TokenSite(accepting: "a") }

    // MARK: Before a request is sent

    @Test func tokenIsAddedToRequests() async throws {
        let client = site.client(site.authenticator(Token("a")))
        #expect(try await site.call(client).value.token == "a")
        #expect(site.tokens == ["a"])
        #expect(site.source.replaced.isEmpty)
    }

    @Test func schemeOfTheTokenIsSent() async throws {
        let client = site.client(site.authenticator(Token("a", scheme: "DPoP")))
        _ = try? await site.call(client).value
        #expect(site.server.requests.first?.headers["Authorization"] == "DPoP a")
    }

    @Test func callsWaitForTheFirstToken() async throws {
        let gate = Gate()
        site.source.add { _, _ in
            try await gate.opened()
            return Token("a")
        }
        let client = site.client(site.authenticator())
        let calls = (0..<20).map { _ in site.call(client) }
        try await gate.reached()
        #expect(site.server.requestCount == 0)
        gate.open()
        for call in calls { #expect(try await call.value.token == "a") }
        #expect(site.source.replaced == ["none"])
        #expect(site.server.requestCount == 20)
    }

    /// While a call with its new token is about to run, those that were started before it go on, and later ones follow it.
    @Test func callThatContinuesIsOvertakenByNoLaterOne() async throws {
        let gate = Gate()
        site.source.add { _, _ in
            try await gate.opened()
            return Token("a")
        }
        let authenticator = site.authenticator()
        let client = Client(baseURL: site.server.url)
        let contexts = (0..<3).map { _ in AuthenticationContext(of: site.call(client).core) }
        let request = HTTPRequest(url: site.server.url)
        let executor = HeldExecutor()
        let call = Task(executorPreference: executor) {
            try await authenticator.authorized(request, context: contexts[1])
        }
        try await gate.reached()
        executor.hold()
        gate.open()
        try await executor.isHeld.opened()
        guard case .ready = authenticator.authorize(request, context: contexts[0]) else {
            Issue.record("a call that was started before waits")
            return executor.release()
        }
        guard case .waits = authenticator.authorize(request, context: contexts[2]) else {
            Issue.record("a later call overtakes the one that continues")
            return executor.release()
        }
        let later = Task { try await authenticator.authorized(request, context: contexts[2]) }
        executor.release()
        #expect(try await call.value.headers["Authorization"] == "Bearer a")
        #expect(try await later.value.headers["Authorization"] == "Bearer a")
    }

    /// Runs one task, and blocks the thread that resumes it.
    private final class HeldExecutor: TaskExecutor {
        let isHeld = Gate()
        private let queue = DispatchQueue(label: "held")
        private let isHolding = Atomic(false)
        private let isReleased = DispatchSemaphore(value: 0)

        func enqueue(_ job: consuming ExecutorJob) {
            if isHolding.exchange(false, ordering: .relaxed) {
                isHeld.open()
                isReleased.wait()
            }
            let job = UnownedJob(job)
            queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        }

        /// Blocks the next thread that resumes the task, once the task is suspended.
        func hold() {
            queue.sync { isHolding.store(true, ordering: .relaxed) }
        }

        func release() { isReleased.signal() }
    }

    /// A store that cannot be read until a token is requested, such as a keychain before the device is unlocked.
    private final class LockedStore: TokenStore {
        private let stored: StoredToken
        private let isLocked = Mutex(true)

        init(_ stored: StoredToken) { self.stored = stored }

        func load() throws -> StoredToken? {
            if isLocked.withLock(\.self) { throw ScriptedSource.Refused(text: "locked") }
            return stored
        }

        func save(_ token: StoredToken) async throws {}
        func remove() async throws {}

        func exclusively<Value: Sendable>(
            _ body: nonisolated(nonsending) @Sendable () async throws -> Value
        ) async throws -> Value {
            isLocked.withLock { $0 = false }
            return try await body()
        }
    }

    @Test func callThatWaitsWhileAnotherOneReadsTheStoreContinues() async throws {
        let gate = Gate()
        site.source.add { _, _ in
            try await gate.opened()
            return Token("a")
        }
        let old = StoredToken(token: Token("old", expires: .distantPast), identity: "ada")
        let client = site.client(site.authenticator(store: LockedStore(old))) { $0.timeouts.total = .seconds(20) }
        let first = site.call(client)
        try await gate.reached()
        // This call reads the store, which has become readable.
        let second = site.call(client)
        while second.state != .held, !second.isFinished { await Task.yield() }
        gate.open()
        #expect(try await second.value.token == "a")
        #expect(await refusal(of: first.promise)?.code != .totalTimedOut)
        #expect(site.source.replaced.count == 1)
    }

    @Test func heldCallsSaySo() async throws {
        let gate = Gate()
        site.source.add { _, _ in
            try await gate.opened()
            return Token("a")
        }
        let facts = Facts()
        let client = site.client(site.authenticator()) { $0.observers = [facts.observer()] }
        let call = site.call(client)
        await facts.reached("waiting hold")
        #expect(call.state == .held)
        #expect("\(call.state)" == "held for credentials")
        gate.open()
        _ = try await call.value
        #expect(facts.all == ["willStart", "waiting hold", "sending", "response 200", "finished success"])
        let held = try #require(call.attempts.first?.held)
        #expect(call.explanation?.decisions == [.hold(attempt: 1, held)])
        #expect(call.explanation?.description.contains("for credentials") == true)
    }

    @Test func expiredTokenIsReplacedBeforeARequestIsSent() async throws {
        let clock = ManualClock()
        let old = Token("old", expires: Date(timeIntervalSince1970: 100))
        site.source.issue(Token("a"))
        let client = site.client(site.authenticator(old)) {
            $0.clock = clock
            $0.now = { Date(timeIntervalSince1970: 96) }
        }
        #expect(try await site.call(client).value.token == "a")
        #expect(site.tokens == ["a"])
        #expect(site.source.replaced == ["old"])
    }

    @Test func tokenThatExpiresSoonIsRenewedWhileItIsUsed() async throws {
        let gate = Gate()
        let now = Date(timeIntervalSince1970: 1000)
        site.accept("a", "b")
        site.source.add { _, _ in
            try await gate.opened()
            return Token("b", expires: now.addingTimeInterval(7200))
        }
        let authenticator = site.authenticator(Token("a", expires: now.addingTimeInterval(30)))
        let client = site.client(authenticator) { $0.now = { now } }
        for _ in 0..<3 { #expect(try await site.call(client).value.token == "a") }
        try await gate.reached()
        gate.open()
        while authenticator.token?.value != "b" { await Task.yield() }
        #expect(try await site.call(client).value.token == "b")
        #expect(site.source.replaced == ["a"])
    }

    @Test func failedEarlyRenewalIsNotRepeatedWithEachRequest() async throws {
        let now = Date(timeIntervalSince1970: 1000)
        let failed = Gate()
        site.source.add { _, _ in
            failed.open()
            throw ScriptedSource.Refused(text: "busy")
        }
        let authenticator = site.authenticator(Token("a", expires: now.addingTimeInterval(30)))
        let client = site.client(authenticator) { $0.now = { now } }
        _ = try await site.call(client).value
        try await failed.opened()
        while authenticator.state.withLock({ $0.round != nil }) { await Task.yield() }
        for _ in 0..<5 { _ = try await site.call(client).value }
        #expect(site.source.replaced == ["a"])
    }

    @Test func requestsWithCredentialsOfTheirOwnKeepThem() async throws {
        let client = site.client(site.authenticator(Token("b")))
        let request = Fetch<TokenSite.Item>(.get("/item"), of: client)
        request.fields = .bearerAuthorization(token: "a")
        #expect(try await request.promise.value.token == "a")
    }

    @Test func requestsToOtherOriginsGetNoToken() async throws {
        let other = try TokenSite(accepting: "a")
        let client = site.client(site.authenticator(Token("a")))
        let error = await refusal(of: site.call(client, other.server.url("/item").absoluteString).promise)
        #expect(error?.code == .badStatus)
        #expect(other.tokens == ["none"])
        #expect(site.source.replaced.isEmpty)
    }

    @Test func redirectsToOtherOriginsCarryNoToken() async throws {
        let other = try TokenSite(accepting: "a")
        site.server.answer("/away", with: .redirect(to: other.server.url("/item").absoluteString))
        site.server.answer("/here", with: .redirect(to: "/item"))
        let client = site.client(site.authenticator(Token("a")))
        _ = await refusal(of: site.call(client, "/away").promise)
        #expect(other.tokens == ["none"])
        #expect(try await site.call(client, "/here").value.token == "a")
        #expect(site.tokens == ["a", "a", "a"])
    }

    // MARK: After a rejection

    @Test func rejectedCallsGetOneNewTokenAndAreSentAgainOnce() async throws {
        let gate = Gate()
        // No call is rejected before all have been sent: a call that starts later waits for the new token.
        let sent = Gate()
        site.server.answer { request in
            let isNew = request.headers["Authorization"] == "Bearer b"
            return isNew ? .json(#"{"token": "b"}"#) : .status(401).held(by: sent)
        }
        site.source.add { _, _ in
            try await gate.opened()
            return Token("b")
        }
        let client = site.client(site.authenticator(Token("a")))
        let calls = (0..<50).map { _ in site.call(client) }
        try await sent.reached(count: 50)
        sent.open()
        try await gate.reached()
        gate.open()
        for call in calls { #expect(try await call.value.token == "b") }
        #expect(site.source.replaced == ["a"])
        #expect(site.tokens.count { $0 == "b" } == 50)
        #expect(site.server.requestCount == 100)
        #expect(calls.allSatisfy { $0.attempts.map(\.cause) == [.first, .authentication] })
        #expect(calls[0].attempts[0].authentication == .sentAgain)
        #expect(calls[0].explanation?.decisions.contains(.authentication(attempt: 1, .sentAgain)) == true)
    }

    @Test func callsThatStartDuringARequestForATokenWaitForIt() async throws {
        site.accept("b")
        let gate = Gate()
        site.source.add { _, _ in
            try await gate.opened()
            return Token("b")
        }
        let client = site.client(site.authenticator(Token("a")))
        let first = site.call(client)
        try await gate.reached()
        let second = site.call(client, "/second")
        while second.state != .held, !second.isFinished { await Task.yield() }
        gate.open()
        #expect(try await first.value.token == "b")
        #expect(try await second.value.token == "b")
        #expect(site.tokens == ["a", "b", "b"])
        #expect(site.server.requests.filter { $0.path == "/second" }.count == 1)
    }

    @Test func rejectionOfAnOlderTokenNeedsNoRequestForAToken() async throws {
        let gate = Gate()
        site.server.answer("/slow") { request in
            let isOld = request.headers["Authorization"] == "Bearer a"
            return isOld ? .status(401).held(by: gate) : .json(#"{"token": "b"}"#)
        }
        let authenticator = site.authenticator(Token("a"))
        let client = site.client(authenticator)
        let call = site.call(client, "/slow")
        try await gate.reached()
        try await authenticator.update(Token("b"))
        gate.open()
        #expect(try await call.value.token == "b")
        #expect(site.source.replaced.isEmpty)
        #expect(site.tokens == ["a", "b"])
    }

    @Test func rejectedNewTokenDoesNotLoop() async throws {
        site.accept()
        site.source.issue(Token("b"), Token("c"), Token("d"))
        let client = site.client(site.authenticator(Token("a")))
        let call = site.call(client)
        let error = await refusal(of: call.promise)
        #expect(error?.code == .badStatus)
        #expect(error?.response?.status == .unauthorized)
        #expect(site.tokens == ["a", "b"])
        #expect(site.source.replaced == ["a"])
        let decisions = try #require(call.explanation?.decisions)
        #expect(decisions.contains(.authentication(attempt: 1, .sentAgain)))
        #expect(decisions.contains(.authentication(attempt: 2, .gaveUp)))
    }

    @Test func serverThatRejectsEachNewTokenIsLeftAloneAfterAWhile() async throws {
        site.accept()
        for number in 0..<20 { site.source.issue(Token("t\(number)")) }
        let client = site.client(site.authenticator(Token("a"))) { $0.now = { Date(timeIntervalSince1970: 1000) } }
        for _ in 0..<10 { #expect(await refusal(of: site.call(client).promise)?.response?.status == .unauthorized) }
        #expect(site.source.replaced.count == 5)
    }

    @Test func eachRejectedCallGetsItsOwnErrorAfterAFailure() async throws {
        // All are sent before the first is rejected. A later one would not be sent.
        let gate = Gate()
        site.server.answer { _ in .json(#"{"error": "a"}"#, status: 401).held(by: gate) }
        site.source.fail(ScriptedSource.Refused(text: "no"))
        let client = site.client(site.authenticator(Token("a")))
        let calls = (0..<5).map { site.call(client, "/item/\($0)") }
        try await gate.reached(count: 5)
        gate.open()
        for (number, call) in calls.enumerated() {
            let error = try #require(await refusal(of: call.promise))
            #expect(error.code == .badStatus)
            #expect(error.request?.url.path == "/item/\(number)")
            #expect(error.response.map { String(decoding: $0.body, as: UTF8.self) } == #"{"error": "a"}"#)
        }
    }

    @Test func callsThatWereNotSentFailWithTheErrorOfTheSource() async throws {
        site.source.fail(ScriptedSource.Refused(text: "no"))
        let client = site.client(site.authenticator())
        let error = try #require(await refusal(of: site.call(client).promise))
        #expect(error.code == .authenticationFailed)
        #expect(error.underlying as? ScriptedSource.Refused == ScriptedSource.Refused(text: "no"))
        #expect(site.server.requestCount == 0)
    }

    @Test func missingSignInIsAnErrorOfItsOwn() async throws {
        site.source.fail(RequestError.signInRequired)
        let client = site.client(site.authenticator())
        #expect(await refusal(of: site.call(client).promise)?.code == .signInRequired)
        #expect(site.source.failures.isEmpty)
    }

    @Test func failedRequestForATokenIsRepeatedAsTheSourceDecides() async throws {
        let clock = ManualClock()
        for _ in 0..<2 { site.source.fail(ScriptedSource.Refused(text: "busy")) }
        site.source.issue(Token("a"))
        site.source.decide(.retry(after: .seconds(2)), .retry(after: .seconds(4)))
        let client = site.client(site.authenticator()) { $0.clock = clock }
        let call = site.call(client)
        for seconds in [2, 4] {
            await clock.sleepers()
            clock.advance(by: .seconds(seconds))
        }
        #expect(try await call.value.token == "a")
        #expect(site.source.failures == [1, 2])
        #expect(site.source.replaced.count == 3)
    }

    @Test func endlessDecisionsToRepeatEnd() async throws {
        for _ in 0..<30 {
            site.source.fail(ScriptedSource.Refused(text: "busy"))
            site.source.decide(.retry(after: .zero))
        }
        let client = site.client(site.authenticator())
        #expect(await refusal(of: site.call(client).promise)?.code == .authenticationFailed)
        #expect(site.source.replaced.count == 10)
    }

    @Test func nextCallRequestsATokenAgainAfterAFailure() async throws {
        site.source.fail(ScriptedSource.Refused(text: "no"))
        site.source.issue(Token("a"))
        let client = site.client(site.authenticator())
        #expect(await refusal(of: site.call(client).promise)?.code == .authenticationFailed)
        #expect(try await site.call(client).value.token == "a")
    }

    @Test func bodyThatCanBeSentOnceFailsClearlyAfterARejection() async throws {
        site.accept("b")
        site.source.issue(Token("b"))
        let client = site.client(site.authenticator(Token("a")))
        let portions = Portions([Data("x".utf8)])
        let once = Fetch<TokenSite.Item>(.post("/item", body: .stream(portions)), of: client)
        let error = try #require(await refusal(of: once.promise))
        #expect(error.code == .bodyNotReplayable)
        #expect(error.response?.status == .unauthorized)
        // The next one has the new token from the start.
        let next = Fetch<TokenSite.Item>(.post("/item", body: .stream(Portions([Data("x".utf8)]))), of: client)
        #expect(try await next.promise.value.token == "b")
        #expect(site.tokens == ["a", "b"])
    }

    @Test func bodyThatCanBeSentOnceGetsTheTokenFirst() async throws {
        site.source.issue(Token("a"))
        let client = site.client(site.authenticator())
        let portions = Portions([Data("x".utf8)])
        let call = Fetch<TokenSite.Item>(.post("/item", body: .stream(portions)), of: client)
        #expect(try await call.promise.value.token == "a")
        #expect(portions.taken.all.first == 0)
    }

    @Test func replayableBodiesAreSentAgain() async throws {
        site.accept("b")
        site.source.issue(Token("b"))
        let client = site.client(site.authenticator(Token("a")))
        let request = Fetch<TokenSite.Item>(.post("/item", body: .string("hello")), of: client)
        #expect(try await request.promise.value.token == "b")
        #expect(site.server.requests.map(\.text) == ["hello", "hello"])
    }

    @Test func streamedRejectionHoldsNoConnection() async throws {
        site.accept("b")
        site.source.issue(Token("b"))
        let client = site.client(site.authenticator(Token("a")))
        let response = try await client.send(HTTPRequest(.get, site.server, "/item"), delivery: .stream)
        #expect(response.status == .ok)
        var text = Data()
        for try await portion in response.stream { text += portion }
        #expect(String(decoding: text, as: UTF8.self) == #"{"token": "b"}"#)
    }

    // MARK: Services

    @Test func firstServiceThatMatchesIsResponsible() async throws {
        site.accept("a", "b")
        let url = site.server.url.absoluteString
        let client = site.client(
            .services([
                ServicePattern(url + "/b/*"): site.authenticator(Token("b")),
                ServicePattern(url): site.authenticator(Token("a")),
            ]))
        #expect(try await site.call(client, "/item").value.token == "a")
        #expect(try await site.call(client, "/b/item").value.token == "b")
    }

    @Test func tokensNeverLeaveTheirService() async throws {
        let other = try TokenSite(accepting: "a")
        site.server.answer("/away", with: .redirect(to: other.server.url("/item").absoluteString))
        let client = site.client(
            .services([ServicePattern(site.server.url.absoluteString + "/"): site.authenticator(Token("a"))]))
        _ = await refusal(of: site.call(client, "/away").promise)
        _ = await refusal(of: site.call(client, other.server.url("/x").absoluteString).promise)
        #expect(other.tokens == ["none", "none"])
    }

    @Test func invalidServiceFailsEachRequest() async throws {
        let client = site.client(.services(["api.example.com": site.authenticator(Token("a"))]))
        let error = await refusal(of: site.call(client).promise)
        #expect(error?.code == .badPolicy)
        #expect(error?.detail.contains("api.example.com") == true)
        #expect(site.server.requestCount == 0)
    }

    // MARK: Secrets

    @Test func descriptionsHaveNoSecrets() {
        let token = Token("hidden1", refreshToken: "hidden2", values: ["id_token": "hidden3"])
        let stored = StoredToken(token: token, identity: "hidden4")
        var text = "\(token) \(stored) \(site.authenticator(token))"
        for value in [token, stored, site.authenticator(token)] as [Any] { dump(value, to: &text) }
        #expect(!text.contains("hidden"))
    }
}
