import Foundation
import LoopbackServer
import TangoAuth
import TangoCache
import TangoPromise
import Testing

@testable import TangoRequest
@testable import TestSupport

/// Stages that are added to the pipeline, and the paths that calls take.
@Suite(.timeLimit(.minutes(20)))
struct StageTests {
    /// A stage that records the requests, responses and errors that pass it.
    struct Probe: Stage {
        let facts: Facts
        var name = "stage"
        var prepare: @Sendable (inout HTTPRequest) -> Void = { _ in }
        var isNeeded = true
        /// The statuses that the stage rejects. It then sends the request once more.
        var refused: Set<Int> = []
        var refusesErrors = false

        func prepare(_ request: inout HTTPRequest, for plan: CommonPlan) { prepare(&request) }

        func shortcut(for request: HTTPRequest, of plan: CommonPlan) -> StageShortcut { isNeeded ? .needed : .pass }

        func accepts(_ outcome: Result<HTTPResponse, any Error>, of plan: CommonPlan) -> Bool {
            switch outcome {
            case .success(let response): !refused.contains(response.status.code)
            case .failure: !refusesErrors
            }
        }

        func intercept(_ request: HTTPRequest, context: CallContext, next: Next) async throws -> HTTPResponse {
            var request = request
            prepare(&request)
            facts.note("\(name) \(request.url.path)")
            do {
                let response = try await next(request)
                facts.note("\(name) got \(response.status)")
                return refused.contains(response.status.code) ? try await next(request) : response
            } catch  where refusesErrors {
                facts.note("\(name) got an error")
                return try await next(request)
            }
        }
    }

    /// The ways in which a request gets its response.
    enum Path: CaseIterable, Sendable {
        /// The transport starts on the caller's thread.
        case direct
        /// Memory has the response, before `start()` returns.
        case atOnce
        /// A stale response comes first, then a fresh one.
        case cachedFirst
        /// The call joins the transfer of another call.
        case joined
        /// The refresh follows the delivery of a stale response.
        case backgroundRefresh
        /// `Client.send(_:)` sends an HTTP message.
        case rawDoor
    }

    private let site: CacheSite
    private let facts = Facts()

    init() throws { site = try CacheSite() }

    private func client(
        _ stages: AddedStages, attemptInterceptors: [any Interceptor] = [], observers: [any CallObserver] = [],
        retryPolicy: RetryPolicy = .connectionLoss, authenticator: (any Authenticator)? = nil
    ) -> Client {
        Client(baseURL: site.server.url, cache: site.store) {
            $0.features[AddedStages.self] = stages
            $0.attemptInterceptors = attemptInterceptors
            $0.observers = observers
            $0.retryPolicy = retryPolicy
            $0.authenticator = authenticator
            $0.clock = site.clock
        }
    }

    private func above(_ stage: Probe) -> AddedStages { AddedStages(aboveCache: [stage]) }
    private func below(_ stage: Probe) -> AddedStages { AddedStages(belowCache: [stage]) }

    /// Sends a request for `/item` on a path.
    ///
    /// - Parameter begin: Called before the request, after others that the path needs.
    private func take(
        _ path: Path, past stages: AddedStages, authenticator: (any Authenticator)? = nil, begin: () -> Void = {}
    ) async throws {
        let plain = client(AddedStages(), authenticator: authenticator)
        let client = client(
            stages, observers: path == .backgroundRefresh ? [site.facts.observer()] : [], authenticator: authenticator)
        site.server.answer("/item") { _ in
            .item(1).header("Cache-Control", "max-age=86400, stale-while-revalidate=8640000")
        }
        switch path {
        case .direct:
            begin()
            _ = try await GetItem(client, .networkOnly).promise.value
        case .atOnce:
            for _ in 0..<2 { _ = try await GetItem(client, .http).promise.value }
            facts.note("now")
            begin()
            _ = try await GetItem(client, .http).start().value
        case .cachedFirst:
            _ = try await GetItem(plain, .http).promise.value
            await plain.finishStoring()
            site.clock.advance(by: .seconds(86_401))
            facts.note("now")
            begin()
            for try await _ in GetItem(client, .http).values {}
        case .joined:
            let gate = Gate()
            site.server.answer("/item", with: .item(1).held(by: gate))
            begin()
            let calls = (0..<2).map { _ in
                let request = Fetch<Item>(.get("/item"), of: client)
                request.kind = .join
                return request.start()
            }
            try await gate.reached()
            gate.open()
            for call in calls { _ = try await call.value }
        case .backgroundRefresh:
            _ = try await GetItem(plain, .http).promise.value
            await plain.finishStoring()
            site.clock.advance(by: .seconds(86_401))
            facts.note("now")
            begin()
            _ = try await GetItem(client, .http).promise.value
            await site.facts.reached("refreshed 200")
        case .rawDoor:
            begin()
            _ = try await client.send(HTTPRequest(url: site.server.url("/item")), cachePolicy: .networkOnly)
        }
    }

    private var seen: [String] {
        let all = facts.all
        return Array(all[(all.firstIndex(of: "now").map { $0 + 1 } ?? 0)...])
    }

    @Test(arguments: Path.allCases)
    func stagesAboveTheCacheSeeTheRequestOnEachPath(_ path: Path) async throws {
        try await take(path, past: above(Probe(facts: facts)))
        #expect(seen == ["stage /item", "stage got 200"])
        if path == .joined { #expect(site.count == 1) }
    }

    /// A response from memory needs no attempt.
    @Test(arguments: Path.allCases)
    func lostConnectionsAreReplacedOnEachPath(_ path: Path) async throws {
        let before = Facts()
        try await take(path, past: below(Probe(facts: facts, isNeeded: false))) {
            before.note("\(site.count)")
            site.server.enqueue(.item(1).failing(.reset, at: .response))
        }
        let count = site.count - (Int(before.all[0]) ?? 0)
        #expect(count == (path == .atOnce ? 0 : 2))
    }

    /// A response from memory needs no attempt.
    @Test(arguments: Path.allCases)
    func stagesBelowTheCacheSeeEachAttemptOnEachPath(_ path: Path) async throws {
        try await take(path, past: below(Probe(facts: facts)))
        #expect(seen == (path == .atOnce ? [] : ["stage /item", "stage got 200"]))
    }

    /// A response from memory needs no credentials.
    @Test(arguments: Path.allCases)
    func rejectedCredentialsAreReplacedOnEachPath(_ path: Path) async throws {
        let source = ScriptedSource()
        source.issue(Token("b"))
        let authenticator = TokenAuthenticator(source, store: TestStore(Token("a")))
        let before = Facts()
        try await take(path, past: AddedStages(), authenticator: authenticator) {
            before.note("\(site.count)")
            site.server.enqueue(.status(401))
        }
        let tokens = site.server.requests.dropFirst(Int(before.all[0]) ?? 0).map { $0.headers["Authorization"] }
        #expect(tokens == (path == .atOnce ? [] : ["Bearer a", "Bearer b"]))
        #expect(source.replaced == (path == .atOnce ? [] : ["a"]))
    }

    // MARK: Outcomes that a stage rejects

    @Test(arguments: [302, 401, 503], [true, false])
    func rejectedOutcomeIsTheFirstAttemptOfThePipeline(_ status: Int, isAbove: Bool) async throws {
        let stage = Probe(facts: facts, isNeeded: false, refused: [status])
        let other = Probe(facts: facts, name: "other", isNeeded: false)
        let client = client(
            isAbove
                ? AddedStages(aboveCache: [stage], belowCache: [other])
                : AddedStages(aboveCache: [other], belowCache: [stage]))
        site.server.enqueue(.status(status), .item(2))
        #expect(try await GetItem(client, .networkOnly).promise.value.id == 2)
        #expect(site.count == 2)
        #expect(
            facts.all
                == (isAbove
                    ? [
                        "stage /item", "other /item", "other got \(status)", "stage got \(status)", "other /item",
                        "other got 200",
                    ]
                    : ["other /item", "stage /item", "stage got \(status)", "other got 200"]))
    }

    @Test func acceptedOutcomesRunNoStage() async throws {
        let client = client(above(Probe(facts: facts, isNeeded: false, refused: [503], refusesErrors: true)))
        site.server.answer("/item", with: .item(1))
        #expect(try await GetItem(client, .networkOnly).promise.value.id == 1)
        #expect(facts.all.isEmpty)
    }

    @Test func rejectedErrorIsTheFirstAttemptOfThePipeline() async throws {
        let client = client(above(Probe(facts: facts, isNeeded: false, refusesErrors: true)), retryPolicy: .never)
        site.server.enqueue(.item(1).failing(.reset, at: .responseHead), .item(1))
        #expect(try await GetItem(client, .networkOnly).promise.value.id == 1)
        #expect(facts.all == ["stage /item", "stage got an error"])
    }

    @Test func callIsCancelledWhileAStageSendsAgain() async throws {
        let client = client(above(Probe(facts: facts, isNeeded: false, refused: [503])))
        let gate = Gate()
        site.server.enqueue(.status(503), .item(2).held(by: gate))
        let call = GetItem(client, .networkOnly).start()
        try await gate.reached()
        call.cancel()
        #expect(await isCancelled(call.promise))
        gate.open()
    }

    // MARK: Requests that a stage prepares

    @Test func preparedRequestsAreSentDirectly() async throws {
        let stage = Probe(facts: facts, prepare: { $0.headers.set(name: "X-Kind", value: "a") }, isNeeded: false)
        let client = client(above(stage))
        site.server.answer("/item", with: .item(1))
        _ = try await GetItem(client, .networkOnly).promise.value
        #expect(site.server.requests.map { $0.headers["X-Kind"] } == ["a"])
        #expect(facts.all.isEmpty)
    }

    @Test func cacheLookupsUsePreparedRequests() async throws {
        func client(_ kind: String) -> Client {
            self.client(
                above(Probe(facts: facts, prepare: { $0.headers.set(name: "X-Kind", value: kind) }, isNeeded: false)))
        }
        site.server.answer("/item") { request in
            .item(request.headers["X-Kind"] == "a" ? 1 : 2)
                .header("Cache-Control", "max-age=86400").header("Vary", "X-Kind")
        }
        for (kind, id) in [("a", 1), ("b", 2)] {
            for _ in 0..<2 { #expect(try await GetItem(client(kind), .http).promise.value.id == id) }
        }
        let a = client("a")
        for _ in 0..<2 { _ = try await GetItem(a, .http).promise.value }
        let call = GetItem(a, .http).start()
        #expect(call.isFinished)
        #expect(try await call.value.id == 1)
        #expect(try await GetItem(client("a"), .http).cached()?.id == 1)
        #expect(try await GetItem(client("b"), .http).cached()?.id == 2)
        #expect(try await GetItem(client("c"), .http).cached() == nil)
        #expect(site.count == 2)
    }

    // MARK: Existing stages and interceptors

    @Test func responsesFromMemorySkipAttemptInterceptors() async throws {
        site.server.answer("/item", with: .item(1).header("Cache-Control", "max-age=86400"))
        let client = client(AddedStages(), attemptInterceptors: [Probe(facts: facts)])
        for _ in 0..<2 { _ = try await GetItem(client, .http).promise.value }
        let call = GetItem(client, .http).start()
        #expect(call.isFinished)
        #expect(facts.all == ["stage /item", "stage got 200"])
    }

    @Test func clearSiteDataAppliesUnderEveryPolicy() async throws {
        site.server.answer("/item", with: .item(1).header("Cache-Control", "max-age=86400"))
        let client = client(AddedStages())
        for _ in 0..<2 { _ = try await GetItem(client, .http).promise.value }
        site.server.answer("/bye", with: .item(3).header("Clear-Site-Data", "\"cache\""))
        #expect(try await GetItem(client, .networkOnly, .get("/bye")).promise.value.id == 3)
        _ = try await GetItem(client, .http).promise.value
        #expect(site.server.requests.map(\.path) == ["/item", "/bye", "/item"])
    }
}
