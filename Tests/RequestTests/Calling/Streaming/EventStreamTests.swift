import Foundation
import LoopbackServer
import TangoAuth
import TangoMeasuring
import TangoPromise
import TangoTesting
import Testing

@testable import TangoRequest
@testable import TestSupport

/// Event streams over real connections, and their reconnections.
@Suite(.timeLimit(.minutes(20)))
struct EventStreamTests {
    struct Update: Codable, Hashable, Sendable {
        let id: Int
    }

    private let site: Site
    private let clock = ManualClock()
    private let facts = Facts()
    private let files = ScratchFiles()

    init() throws {
        site = try Site()
    }

    private func client(
        idle: Duration? = .seconds(600), random: Double = 0, _ change: (inout Client.Configuration) -> Void = { _ in }
    ) -> Client {
        Client(baseURL: site.server.url) {
            $0.timeouts = .none
            $0.clock = clock
            $0.random = { random }
            $0.retryPolicy = .never
            $0.observers = [facts.observer()]
            change(&$0)
        }
    }

    private func request<Event>(
        _ client: Client, _ type: Event.Type = String.self, _ policy: EventStreamPolicy = EventStreamPolicy(),
        _ endpoint: Endpoint = .get("/")
    ) -> Fetch<EventStream<Event>> {
        Fetch(endpoint, of: client, by: .events(policy))
    }

    /// Reads all events. Advances the clock past each wait, and notes its length.
    private func all<Event>(_ events: EventStream<Event>, waits: Recorded<Duration> = Recorded()) async throws
        -> [Event]
    {
        let clock = clock
        let watcher = Task {
            for await state in events.states {
                guard case .reconnecting(let delay) = state else { continue }
                waits.add(delay)
                await clock.sleepers()
                clock.advance(by: delay)
            }
        }
        defer { watcher.cancel() }
        return try await events.reduce(into: []) { $0.append($1) }
    }

    // MARK: Events

    @Test func dataIsDecodedAsJSON() async throws {
        site.server.enqueue(
            .events([.comment("hello"), #"{"id": 1}"#, .event("{\n\"id\": 2\n}", id: "7")]), .status(204))
        let events = try await request(client(), Update.self).promise.value
        #expect(events.response.headers["Content-Type"] == "text/event-stream")
        #expect(try await all(events) == [Update(id: 1), Update(id: 2)])
        let sent = site.server.requests
        #expect(sent.map { $0.headers["Accept"] } == ["text/event-stream", "text/event-stream"])
        #expect(sent.map { $0.headers["Last-Event-ID"] } == [nil, "7"])
    }

    @Test(arguments: [nil, "text/*"])
    func acceptedTypeOfTheRequestHasPrecedence(own: String?) async throws {
        site.server.answer("/", with: .events(["a"]))
        let request = request(client { $0.headers = ["Accept": "application/json"] }, String.self, .once)
        if let own { request.fields = ["Accept": own] }
        #expect(try await all(request.promise.value) == ["a"])
        #expect(site.server.requests.map { $0.headers["Accept"] } == [own ?? "text/event-stream"])
    }

    @Test func wholeEventsAndTexts() async throws {
        site.server.enqueue(
            .events([.event("a", id: "1", type: "add"), "b"]), .status(204), .events(["x", "y"]), .status(204))
        let events = try await all(request(client(), ServerSentEvent.self).promise.value)
        #expect(events == [ServerSentEvent(type: "add", data: "a", id: "1"), ServerSentEvent(data: "b", id: "1")])
        #expect(try await all(request(client(), String.self).promise.value) == ["x", "y"])
    }

    @Test func wrongDataFailsAndClosesTheConnection() async throws {
        site.server.answer("/", with: .events([#"{"id": 1}"#, "secret"], ends: false))
        let events = try await request(client(), Update.self).promise.value
        var iterator = events.makeAsyncIterator()
        #expect(try await iterator.next() == Update(id: 1))
        let error = await refusal { try await iterator.next() }
        #expect(error?.code == .notDecodable)
        #expect(error?.detail.hasPrefix("no Update in an event of the body") == true)
        #expect(error?.detail.contains("secret") == false)
        #expect(try await iterator.next() == nil)
        #expect(events.state == .closed)
        try await site.server.connectionEnded(0)
    }

    @Test func largeEventFails() async throws {
        site.server.answer("/", with: .events(["ok", "much too large"], ends: false))
        let events = try await request(client(), String.self, EventStreamPolicy(eventLimit: 10)).promise.value
        var iterator = events.makeAsyncIterator()
        #expect(try await iterator.next() == "ok")
        #expect(await refusal { try await iterator.next() }?.code == .elementTooLarge)
        try await site.server.connectionEnded(0)
    }

    @Test func eventOfTheApplicationEndsTheStream() async throws {
        site.server.answer("/", with: .events([#"{"id": 1}"#, "[DONE]", #"{"id": 2}"#], ends: false))
        let client = client()
        let call = request(client, Update.self, EventStreamPolicy(isEnd: { $0.data == "[DONE]" })).start()
        #expect(try await all(call.value) == [Update(id: 1)])
        #expect(call.state == .finished(.success))
        try await site.server.connectionEnded(0)
    }

    @Test(arguments: [204, 200])
    func firstResponseWithoutEvents(status: Int) async throws {
        site.server.enqueue(status == 204 ? .status(204) : .events([]), .status(204))
        #expect(try await all(request(client(), String.self).promise.value) == [])
    }

    @Test(arguments: ["text/html", "application/json", ""])
    func wrongContentTypeFails(type: String) async throws {
        site.server.answer(
            "/", with: Response(headers: ["Content-Type": type], body: .bytes(Array("data: a\n\n".utf8))))
        #expect(await refusal(of: request(client(), String.self).promise)?.code == .badContentType)
    }

    @Test func contentTypeMayHaveParameters() async throws {
        site.server.enqueue(
            Response(
                headers: ["Content-Type": "Text/Event-Stream;charset=utf-8"], body: .bytes(Array("data: a\n\n".utf8))),
            .status(204))
        #expect(try await all(request(client(), String.self).promise.value) == ["a"])
    }

    // MARK: Reconnecting

    @Test func lostConnectionContinuesAfterTheLastEvent() async throws {
        site.server.enqueue(
            .events([.retry(milliseconds: 1500), .event("a", id: "é1"), .text("id: 9\ndata: lost\n"), .disconnect]),
            .events(["b", .event("c", id: "3")]), .events(["d"]), .status(204))
        let client = client()
        let call = request(client, String.self).start()
        let waits = Recorded<Duration>()
        #expect(try await all(call.value, waits: waits) == ["a", "b", "c", "d"])
        #expect(site.server.requests.map { $0.headers["Last-Event-ID"] } == [nil, "é1", "3", "3"])
        #expect(waits.all == Array(repeating: .milliseconds(1500), count: 3))
        #expect(call.state == .finished(.success))
        #expect(call.attempts.map(\.cause) == [.first, .reconnection, .reconnection, .reconnection])
        #expect(call.attempts.map { $0.response?.status } == [200, 200, 200, 204])
        #expect((call.attempts[0].error as? RequestError)?.code != nil)
        #expect(call.attempts.allSatisfy { $0.ended != nil })
        #expect(call.response?.status == 204)
        await client.shutdown()
        #expect(facts.all.filter { $0 == "finished success" }.count == 1)
        #expect(facts.all.last == "finished success")
    }

    @Test func streamCanBeginAfterAnEarlierEvent() async throws {
        site.server.enqueue(.events(["a"]), .status(204))
        let events = try await request(client(), ServerSentEvent.self, EventStreamPolicy(lastEventID: "5")).promise
            .value
        #expect(try await all(events) == [ServerSentEvent(data: "a", id: "5")])
        #expect(site.server.requests.map { $0.headers["Last-Event-ID"] } == ["5", "5"])
    }

    @Test(arguments: [nil, "", "5"])
    func emptyIdentifierEndsTheField(ofTheRequest own: String?) async throws {
        site.server.enqueue(.events([.event("a", id: "")]), .events([.event("b", id: "7")]), .status(204))
        let request = request(client(), ServerSentEvent.self, EventStreamPolicy(lastEventID: own == nil ? "4" : ""))
        if let own { request.fields = ["Last-Event-ID": own] }
        #expect(try await all(request.promise.value).map(\.id) == ["", "7"])
        #expect(site.server.requests.map { $0.headers["Last-Event-ID"] } == [own ?? "4", nil, "7"])
    }

    @Test func fieldOfTheRequestIsSentUntilTheServerNamesAnother() async throws {
        site.server.enqueue(.events(["a"]), .status(204))
        let request = request(client(), ServerSentEvent.self)
        request.fields = ["Last-Event-ID": "5"]
        #expect(try await all(request.promise.value) == [ServerSentEvent(data: "a", id: "5")])
        #expect(site.server.requests.map { $0.headers["Last-Event-ID"] } == ["5", "5"])
    }

    @Test func controlCharactersOfAnIdentifierAreNotSent() async throws {
        site.server.enqueue(
            .events([.event("a", id: "\u{1}4\u{7F}2\t\u{85}é\u{1B}")]), .events([.event("b", id: "\u{2}")]),
            .status(204))
        let stream = try await request(client(), ServerSentEvent.self).promise.value
        let events = try await all(stream)
        #expect(events.map(\.id) == ["\u{1}4\u{7F}2\t\u{85}é\u{1B}", "\u{2}"])
        #expect(site.server.requests.map { $0.headers["Last-Event-ID"] } == [nil, "42é", nil])
        site.server.enqueue(.events([]), .status(204))
        let policy = EventStreamPolicy(lastEventID: events[0].id)
        #expect(try await all(request(client(), String.self, policy).promise.value) == [])
        #expect(site.server.requests.suffix(2).map { $0.headers["Last-Event-ID"] } == ["42é", "42é"])
    }

    @Test func dateToRetryAfterCounts() async throws {
        let now = Date(timeIntervalSince1970: 1_700_000_000)
        site.server.enqueue(
            .events(["a"]), .status(503).header("Retry-After", "Tue, 14 Nov 2023 22:14:03 GMT"), .events(["b"]),
            .status(204))
        let waits = Recorded<Duration>()
        let events = try await request(client { $0.now = { now } }, String.self).promise.value
        #expect(try await all(events, waits: waits) == ["a", "b"])
        #expect(waits.all == [.seconds(3), .seconds(43), .seconds(3)])
    }

    @Test func logOfAnEndlessStreamIsBounded() async throws {
        let count = 250
        let connections = Recorded<Int>()
        site.server.answer("/") { _ in
            connections.add(0)
            return connections.all.count > count ? .status(204) : .events([.event("\(connections.all.count)")])
        }
        let recorder = try HARRecorder(file: files.url.appendingPathComponent("run.har"))
        let client = client {
            $0.observers = [recorder]
            $0.collectsStatistics = true
        }
        let call = request(client, String.self).start()
        #expect(try await all(call.value).count == count)
        let attempts = call.attempts
        #expect(attempts.map(\.number) == [1] + Array(count - 97...count + 1))
        #expect(attempts.map(\.cause) == [.first] + Array(repeating: .reconnection, count: 99))
        #expect(attempts.allSatisfy { $0.ended != nil })
        #expect(call.timeline.attempts.count == 100)
        #expect("\(call.timeline)".contains("\(count + 1) attempts"))
        await client.shutdown()
        #expect(client.statistics.total.attempts == count + 1)
        recorder.close()
        #expect(recorder.count == count + 1)
    }

    @Test func waitsGrowWhileTheServerIsDown() async throws {
        site.server.enqueue(
            .events([.event("a", id: "1")]), .status(503), .status(503).header("Retry-After", "40"), .events([]),
            .events(["b"]), .status(204))
        let waits = Recorded<Duration>()
        let events = try await request(client(random: 0.5), String.self).promise.value
        #expect(try await all(events, waits: waits) == ["a", "b"])
        // 3 s doubles with each failure; a quarter is added at random.
        #expect(
            waits.all == [.milliseconds(3750), .milliseconds(7500), .seconds(50), .seconds(30), .milliseconds(3750)])
    }

    @Test func attemptsAreLimited() async throws {
        site.server.enqueue(.events(["a"]), .status(503), .status(503), .events(["b"]))
        let events = try await request(client(), String.self, EventStreamPolicy(attempts: 2)).promise.value
        let error = await refusal { try await all(events) }
        #expect(error?.code == .badStatus)
        #expect(error?.response?.status == 503)
        #expect(site.server.requestCount == 3)
        #expect(events.state == .closed)
    }

    enum Refusal: CaseIterable, Sendable { case status, contentType }

    @Test(arguments: Refusal.allCases)
    func refusedReconnectionFails(_ refused: Refusal) async throws {
        site.server.enqueue(.events(["a"]), refused == .status ? .status(404) : .text("a page"), .events(["b"]))
        let client = client()
        let call = request(client, String.self).start()
        let events = try await call.value
        let error = await refusal { try await all(events) }
        #expect(error?.code == (refused == .status ? .badStatus : .badContentType))
        #expect(call.state == .finished(.failure))
        #expect(site.server.requestCount == 2)
    }

    @Test func otherMethodsDoNotReconnect() async throws {
        site.server.answer("/", method: "POST", with: .events(["a"]))
        #expect(
            try await all(request(client(), String.self, .init(), .post("/", body: .json([:]))).promise.value) == ["a"])
        site.server.answer("/lost", method: "POST", with: .events(["a", .disconnect]))
        let events = try await request(client(), String.self, .init(), .post("/lost")).promise.value
        #expect(await refusal { try await all(events) } != nil)
        #expect(site.server.requestCount == 2)
    }

    @Test func onceDoesNotReconnect() async throws {
        site.server.answer("/", with: .events(["a"]))
        #expect(try await all(request(client(), String.self, .once).promise.value) == ["a"])
        #expect(site.server.requestCount == 1)
    }

    @Test func silentConnectionIsReplaced() async throws {
        // A busy machine may be slow to send any of these, so each depends on the last event alone.
        site.server.answer("/") { request in
            switch request.headers["Last-Event-ID"] {
            case nil: .events([.event("a", id: "1")], ends: false)
            case "1": .events([.event("b", id: "2")])
            default: .status(204)
            }
        }
        let client = client { $0.clock = ContinuousClock() }
        let policy = EventStreamPolicy(wait: .zero, idle: .milliseconds(200))
        let call = request(client, String.self, policy).start()
        var seen: [String] = []
        for try await event in try await call.value { seen.append(event) }
        #expect(seen == ["a", "b"])
        #expect((call.attempts.first?.error as? RequestError)?.code == .idleTimedOut)
        try await site.server.connectionEnded(0)
    }

    @Test func reconnectionPassesTheWholePipeline() async throws {
        struct Token: Interceptor {
            let number = Recorded<Int>()
            func intercept(_ request: HTTPRequest, context: CallContext, next: Next) async throws -> HTTPResponse {
                number.add(0)
                var request = request
                request.headers["Authorization"] = "Bearer \(number.all.count)"
                return try await next(request)
            }
        }
        site.server.enqueue(.events([.event("a", id: "1")]), .status(503), .events(["b"]), .status(204))
        let client = client {
            $0.interceptors = [Token()]
            $0.retryPolicy = .exponential(attempts: 2, base: .seconds(1))
            $0.random = { 0 }
        }
        let call = request(client, String.self).start()
        #expect(try await all(call.value) == ["a", "b"])
        #expect(
            site.server.requests.map { $0.headers["Authorization"] } == [
                "Bearer 1", "Bearer 2", "Bearer 2", "Bearer 3",
            ])
        #expect(call.attempts.map(\.cause) == [.first, .reconnection, .retry, .reconnection])
    }

    // MARK: Leaving

    enum Leaving: CaseIterable, Sendable {
        case breaking, releasing, cancellingTheTask, cancellingAll, shuttingDown, deadline
    }

    @Test(arguments: Leaving.allCases)
    func leavingClosesTheConnection(_ leaving: Leaving) async throws {
        site.server.answer("/", with: .events(["a"], ends: false))
        let client = client { $0.timeouts.total = .seconds(10) }
        var following: AsyncStream<EventStreamState>?
        do {
            let events = try await request(client, String.self).promise.value
            let states = events.states
            switch leaving {
            case .breaking: for try await _ in events { break }
            case .releasing: break
            case .cancellingTheTask:
                let task = Task { for try await _ in events { withUnsafeCurrentTask { $0?.cancel() } } }
                _ = await task.result
            case .cancellingAll, .shuttingDown, .deadline:
                var iterator = events.makeAsyncIterator()
                #expect(try await iterator.next() == "a")
                switch leaving {
                case .cancellingAll: client.cancelAll()
                case .shuttingDown: await client.shutdown()
                default: clock.advance(by: .seconds(10))
                }
                do {
                    _ = try await iterator.next()
                    Issue.record("the stream did not fail")
                } catch {
                    let code = (error as? RequestError)?.code
                    #expect(
                        code == (leaving == .shuttingDown ? .shutDown : leaving == .deadline ? .totalTimedOut : nil))
                }
            }
            if leaving == .releasing { following = states }
            if leaving != .releasing { #expect(await states.reduce(into: []) { $0.append($1) }.last == .closed) }
        }
        if let following { #expect(await following.reduce(into: []) { $0.append($1) } == [.open, .closed]) }
        try await site.server.connectionEnded(0)
        while !client.calls.isEmpty { await Task.yield() }
        #expect(site.server.requestCount == 1)
    }

    @Test(arguments: [Leaving.cancellingTheTask, .cancellingAll, .shuttingDown, .deadline])
    func leavingEndsTheWait(_ leaving: Leaving) async throws {
        site.server.answer("/", with: .events(["a"]))
        let client = client { $0.timeouts.total = .seconds(2) }
        let call = request(client, String.self).start()
        let events = try await call.value
        let task = Task { try await events.reduce(into: []) { $0.append($1) } }
        for await state in call.states {
            if case .retrying(2, .seconds(3)) = state { break }
        }
        await clock.sleepers(2)
        switch leaving {
        case .cancellingTheTask: task.cancel()
        case .cancellingAll: client.cancelAll()
        case .shuttingDown: await client.shutdown()
        default: clock.advance(by: .seconds(2))
        }
        let error = await #expect(throws: (any Error).self) { try await task.value }
        let code = (error as? RequestError)?.code
        #expect(code == (leaving == .shuttingDown ? .shutDown : leaving == .deadline ? .totalTimedOut : nil))
        #expect(call.isFinished)
        #expect(site.server.requestCount == 1)
    }

    // MARK: Decisions

    @Test(
        arguments: [
            (0, nil, nil, 0, 3000), (1, nil, nil, 0, 6000), (4, nil, nil, 0, 48_000), (5, nil, nil, 0, 60_000),
            (500, nil, nil, 0, 60_000),
            (0, 1500, nil, 0, 1500), (1, 1500, nil, 0, 3000), (0, 0, nil, 0, 100), (0, .max, nil, 0, 60_000),
            (0, 90_000, nil, 0, 60_000),
            (0, nil, 10, 0, 10_000), (0, nil, 1, 0, 3000), (0, nil, 1000, 0, 60_000), (0, nil, nil, 0.5, 3750),
            (5, nil, nil, 0.5, 45_000), (4, nil, nil, 0.5, 60_000), (5, nil, 55, 0.5, 55_000),
            (5, 58_000, nil, 0.9, 58_000),
            (0, nil, 1000, 0.9, 60_000), (5, nil, nil, 0.999, 30_030),
        ] as [(Int, UInt64?, Int?, Double, Int)])
    func waits(failures: Int, retry: UInt64?, retryAfter: Int?, random: Double, milliseconds: Int) {
        let delay = EventStreamPolicy().delay(
            failures: failures, retry: retry, retryAfter: retryAfter.map { .seconds($0) }, random: random)
        #expect(delay == .milliseconds(milliseconds))
    }

    @Test(arguments: [Duration.zero, .milliseconds(40), .seconds(5)])
    func longestWaitHoldsWithThePartAtRandom(longestWait: Duration) {
        let policy = EventStreamPolicy(longestWait: longestWait)
        for failures in 0..<10 {
            for random in [0, 0.3, 0.999] {
                for retry in [nil, 0, 1000, 4000, 90_000] as [UInt64?] {
                    let delay = policy.delay(failures: failures, retry: retry, random: random)
                    #expect(delay <= longestWait)
                    #expect(delay >= min(.milliseconds(Int64(retry ?? 0)), longestWait))
                }
            }
        }
    }

    struct Step: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var error: RequestError?
        var isRepeatable = true
        var failures = 0
        var policy = EventStreamPolicy()
        let step: EventStreamStep
    }

    private static func lost(_ code: RequestError.Code = .connectionLost, _ status: HTTPStatus? = nil) -> RequestError {
        let request = HTTPRequest(method: .get, url: URL(filePath: "/"))
        return RequestError(
            code, phase: .receive, detail: "", request: request,
            response: status.map { HTTPResponse(status: $0, request: request) })
    }

    static let steps = [
        Step(testDescription: "the end of a body", step: .reconnect),
        Step(testDescription: "a lost connection", error: lost(), step: .reconnect),
        Step(testDescription: "silence", error: lost(.idleTimedOut), step: .reconnect),
        Step(testDescription: "a truncated body", error: lost(.truncated), step: .reconnect),
        Step(testDescription: "503", error: lost(.badStatus, 503), step: .reconnect),
        Step(testDescription: "404", error: lost(.badStatus, 404), step: .fail),
        Step(testDescription: "a wrong type", error: lost(.badContentType, 200), step: .fail),
        Step(testDescription: "the deadline", error: lost(.totalTimedOut), step: .fail),
        Step(testDescription: "an untrusted server", error: lost(.untrusted), step: .fail),
        Step(testDescription: "the end of a body that cannot be repeated", isRepeatable: false, step: .end),
        Step(testDescription: "a lost one that cannot be repeated", error: lost(), isRepeatable: false, step: .fail),
        Step(testDescription: "the end of a body, once", policy: .once, step: .end),
        Step(testDescription: "a lost connection, once", error: lost(), policy: .once, step: .fail),
        Step(
            testDescription: "below the limit", error: lost(), failures: 4, policy: .init(attempts: 5), step: .reconnect
        ),
        Step(testDescription: "at the limit", error: lost(), failures: 5, policy: .init(attempts: 5), step: .fail),
        Step(testDescription: "an end at the limit", failures: 5, policy: .init(attempts: 5), step: .end),
        Step(testDescription: "no attempts", policy: .init(attempts: 0), step: .end),
    ]

    @Test(arguments: Self.steps)
    func stepAfterAConnection(_ row: Step) {
        let situation = EventStreamStep.Situation(
            error: row.error, isRepeatable: row.isRepeatable, failures: row.failures)
        #expect(EventStreamStep.of(situation, row.policy) == row.step)
    }
}
