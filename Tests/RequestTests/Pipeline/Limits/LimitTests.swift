import Foundation
import LoopbackServer
import TangoCache
import TangoPromise
import Testing

@testable import TangoRequest
@testable import TestSupport

/// Calls that wait for the limiter of their client.
@Suite(.timeLimit(.minutes(20)))
struct LimitTests {
    private let site: Site
    private let gate = Gate()

    init() throws {
        site = try Site()
        site.server.answer("/held", with: Response.text("held").held(by: gate))
        site.server.answer("/a", with: .text("a"))
    }

    private func client(
        _ limiter: Limiter, _ change: (inout Client.Configuration) -> Void = { _ in }
    ) -> Client {
        Client(baseURL: site.server.url) {
            $0.timeouts = .patient
            $0.limiter = limiter
            change(&$0)
        }
    }

    private func text(_ path: String, _ client: Client) -> Fetch<String> { Fetch(.get(path), of: client) }

    @Test(arguments: [false, true])
    func furtherCallsWait(isObserved: Bool) async throws {
        let limiter = Limiter(total: 1)
        let events = Facts()
        let client = client(limiter) { configuration in
            guard isObserved else { return }
            configuration.observe { event in
                if case .waiting(let wait) = event.kind { events.note("\(wait)") }
            }
        }
        let first = text("/held", client).start()
        try await gate.reached()
        let second = text("/a", client).start()
        while limiter.waiting == 0 { await Task.yield() }
        #expect(first.state == .running)
        #expect(second.state == .queued)
        #expect(limiter.running == 1)
        gate.open()
        #expect(try await first.value == "held")
        #expect(try await second.value == "a")
        #expect(site.server.requests.map(\.path) == ["/held", "/a"])
        #expect(limiter.running == 0)
        #expect(first.metrics?.queued == nil)
        #expect(try #require(second.metrics?.queued) > .zero)
        #expect(second.attempts.last?.metrics?.queued == second.metrics?.queued)
        #expect(events.all == (isObserved ? ["queue"] : []))
    }

    @Test func clientsShareALimiter() async throws {
        let limiter = Limiter(total: 1)
        let first = text("/held", client(limiter)).start()
        try await gate.reached()
        let second = text("/a", client(limiter)).start()
        while limiter.waiting == 0 { await Task.yield() }
        gate.open()
        _ = try await first.value
        _ = try await second.value
        #expect(limiter.running == 0)
    }

    @Test func priorityDecides() async throws {
        final class Urgent: Fetch<String> {
            override var priority: CallPriority { .high }
        }
        let limiter = Limiter(total: 1)
        let client = client(limiter)
        for path in ["/1", "/2", "/3", "/4"] { site.server.answer(path, with: .text(path)) }
        let first = text("/held", client).start()
        try await gate.reached()
        let calls = [text("/1", client).start(), text("/2", client).start(), text("/3", client).start()]
        while limiter.waiting < 3 { await Task.yield() }
        let urgent = Urgent(.get("/4"), of: client).start()
        while limiter.waiting < 4 { await Task.yield() }
        #expect(urgent.priority == .high)
        calls[2].priority = .high
        #expect(calls[2].priority == .high)
        gate.open()
        for call in calls + [first, urgent] { _ = try await call.value }
        let order = site.server.requests.map(\.path)
        #expect(order.first == "/held")
        #expect(Set(order[1...2]) == ["/3", "/4"])
        #expect(order.firstIndex(of: "/1").map { $0 > 2 } == true)
    }

    @Test func sharedTransferHasTheHighestPriorityOfItsCalls() async throws {
        let limiter = Limiter(total: 1)
        let client = client(limiter) { $0.uniqueness = .join }
        for path in ["/1", "/2"] { site.server.answer(path, with: .text(path)) }
        let first = text("/held", client).start()
        try await gate.reached()
        let other = text("/1", client).start()
        let calls = [text("/2", client).start(), text("/2", client).start()]
        while limiter.waiting < 2 { await Task.yield() }
        calls[1].priority = .high
        gate.open()
        for call in calls + [first, other] { _ = try await call.value }
        #expect(site.server.requests.map(\.path) == ["/held", "/2", "/1"])
    }

    private final class Prioritized: Request<String> {
        private let owner: Client
        private let place: String
        private let rank: CallPriority

        init(_ path: String, _ client: Client, _ priority: CallPriority) {
            owner = client
            place = path
            rank = priority
        }

        override var client: Client { owner }
        override var endpoint: Endpoint { .get(place) }
        override var priority: CallPriority { rank }
    }

    @Test(arguments: [(CallPriority.high, ["/held", "/2", "/1", "/3"]), (.low, ["/held", "/1", "/2", "/3"])])
    func callThatJoinsRaisesThePriorityAndDoesNotLowerIt(_ priority: CallPriority, _ order: [String]) async throws {
        let limiter = Limiter(total: 1)
        let client = client(limiter) { $0.uniqueness = .join }
        for number in 1...3 { site.server.answer("/\(number)", with: .text("\(number)")) }
        let first = text("/held", client).start()
        try await gate.reached()
        var calls: [Call<String>] = []
        for number in 1...3 {
            calls.append(text("/\(number)", client).start())
            while limiter.waiting < number { await Task.yield() }
        }
        calls.append(Prioritized("/2", client, priority).start())
        gate.open()
        for call in calls + [first] { _ = try await call.value }
        #expect(site.server.requests.map(\.path) == order)
    }

    /// The priority of the call that joined last, or a later one.
    @Test(arguments: [true, false])
    func sharedTransferLosesThePriorityOfACallThatLeaves(isChanged: Bool) async throws {
        let limiter = Limiter(total: 1)
        let client = client(limiter) { $0.uniqueness = .join }
        for number in 1...2 { site.server.answer("/\(number)", with: .text("\(number)")) }
        let first = text("/held", client).start()
        try await gate.reached()
        let calls = [text("/1", client).start(), text("/2", client).start()]
        while limiter.waiting < 2 { await Task.yield() }
        let urgent = Prioritized("/2", client, isChanged ? .normal : .high).start()
        if isChanged { urgent.priority = .high }
        urgent.cancel()
        gate.open()
        for call in calls + [first] { _ = try await call.value }
        #expect(site.server.requests.map(\.path) == ["/held", "/1", "/2"])
    }

    @Test func cancelledCallLeavesTheQueue() async throws {
        let limiter = Limiter(total: 1)
        let client = client(limiter)
        let first = text("/held", client).start()
        try await gate.reached()
        let second = text("/a", client).start()
        while limiter.waiting == 0 { await Task.yield() }
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        while limiter.waiting > 0 { await Task.yield() }
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        while limiter.running > 0 { await Task.yield() }
        gate.open()
        #expect(try await text("/a", client).promise.value == "a")
    }

    /// A transport that has its responses at once, and notes what it sends.
    private struct Prompt: Transport {
        let facts: Facts

        var capabilities: TransportCapabilities { [] }
        func shutdown() async {}

        func start(
            _ request: HTTPRequest, options: TransportOptions, completion: @escaping TransportCompletion
        ) -> TransportTask {
            facts.note(request.url.path)
            completion { HTTPResponse(status: 200, body: Data("a".utf8)) }
            return .completed
        }
    }

    /// Each of them makes the slot of the next one free while it starts.
    @Test func queuedCallsMayEndWhileTheyStart() async throws {
        let limiter = Limiter(total: 1)
        let facts = Facts()
        limiter.suspend()
        let client = client(limiter) { $0.transport = Prompt(facts: facts) }
        let calls = (0..<20_000).map { text("/\($0)", client).start() }
        #expect(limiter.waiting == calls.count)
        limiter.resume()
        for call in calls { #expect(try await call.value == "a") }
        #expect(facts.all == calls.indices.map { "/\($0)" })
        #expect(limiter.running == 0)
    }

    /// Whichever comes first, the slot is returned, and the request is sent at most once.
    @Test func callMayBeCancelledWhileItGetsItsSlot() async throws {
        let limiter = Limiter(total: 1)
        let facts = Facts()
        let client = client(limiter) { $0.transport = Prompt(facts: facts) }
        for round in 0..<100 {
            limiter.suspend()
            let calls = (0..<2).map { text("/\(round).\($0)", client).start() }
            await withTaskGroup(of: Void.self) { group in
                group.addTask { limiter.resume() }
                group.addTask { calls[round % 2].cancel() }
            }
            for call in calls { _ = try? await call.value }
            #expect(calls[1 - round % 2].state == .finished(.success))
            while limiter.running > 0 { await Task.yield() }
            #expect(limiter.waiting == 0)
        }
        #expect(Set(facts.all).count == facts.all.count)
    }

    /// It has no work that could send its request later.
    @Test func queuedCallThatIsServedFromTheCacheLeavesTheQueue() async throws {
        let clock = ManualClock()
        let limiter = Limiter(total: 1)
        site.server.answer("/b", with: .text("b"))
        let client = Client(baseURL: site.server.url, cache: MemoryStore()) {
            $0.clock = clock
            $0.limiter = limiter
            $0.cachePolicy = .networkElseCache
        }
        #expect(try await text("/a", client).promise.value == "a")
        await client.finishStoring()
        limiter.suspend()
        let request = text("/a", client)
        request.times = Timeouts(total: .seconds(10))
        let call = request.start()
        while limiter.waiting == 0 { await Task.yield() }
        clock.advance(by: .seconds(10))
        #expect(try await call.value == "a")
        while limiter.waiting > 0 { await Task.yield() }
        limiter.resume()
        #expect(try await text("/b", client).promise.value == "b")
        #expect(site.server.requests.map(\.path) == ["/a", "/b"])
    }

    @Test func totalTimeIncludesTheQueue() async throws {
        let clock = ManualClock()
        let limiter = Limiter()
        limiter.suspend()
        let client = client(limiter) {
            $0.clock = clock
            $0.timeouts.total = .seconds(10)
        }
        let call = text("/a", client).start()
        while limiter.waiting == 0 { await Task.yield() }
        clock.advance(by: .seconds(10))
        #expect(await refusal(of: call.promise)?.code == .totalTimedOut)
        while limiter.waiting > 0 { await Task.yield() }
        #expect(site.server.requests.isEmpty)
    }

    @Test func queueThatIsFullIsAnError() async throws {
        let limiter = Limiter(total: 1, queue: 0)
        let client = client(limiter)
        let first = text("/held", client).start()
        try await gate.reached()
        let error = try #require(await refusal(of: text("/a", client).promise))
        #expect(error.code == .queueFull)
        #expect(error.phase == .prepare)
        #expect(error.detail.contains("Limiter.queue"))
        gate.open()
        _ = try await first.value
    }

    /// The wait for a slot ends like an attempt: the policy of the application is asked.
    @Test func policyMayQueueARequestAgain() async throws {
        let clock = ManualClock()
        let limiter = Limiter(total: 1, queue: 0)
        let client = client(limiter) {
            $0.clock = clock
            $0.retryPolicy = .custom { _ in .seconds(1) }
        }
        let first = text("/held", client).start()
        try await gate.reached()
        let call = text("/a", client).start()
        await clock.sleepers()
        gate.open()
        #expect(try await first.value == "held")
        while limiter.running > 0 { await Task.yield() }
        clock.advance(by: .seconds(1))
        #expect(try await call.value == "a")
    }

    @Test func invalidLimitsAreErrors() async throws {
        let error = try #require(await refusal(of: text("/a", client(Limiter(total: 0))).promise))
        #expect(error.code == .badPolicy)
        #expect(error.detail.contains("Limiter.total"))
        #expect(site.server.requests.isEmpty)
    }

    @Test(arguments: ["total", "perHost", "queue"])
    func limitThatBecomesInvalidFailsTheRequestsThatWait(_ name: String) async throws {
        let limiter = Limiter(total: 1, perHost: 1, queue: 10)
        let client = client(limiter)
        let first = text("/held", client).start()
        try await gate.reached()
        let waiting = (0..<3).map { _ in text("/a", client).start() }
        while limiter.waiting < 3 { await Task.yield() }
        switch name {
        case "total": limiter.total = 0
        case "perHost": limiter.perHost = -1
        default: limiter.queue = -1
        }
        for call in waiting + [text("/a", client).start()] {
            let error = try #require(await refusal(of: call.promise))
            #expect(error.code == .badPolicy)
            #expect(error.detail.contains("Limiter.\(name)"))
        }
        #expect(limiter.waiting == 0)
        (limiter.total, limiter.perHost, limiter.queue) = (1, 1, nil)
        gate.open()
        #expect(try await first.value == "held")
        #expect(try await text("/a", client).promise.value == "a")
    }

    @Test(arguments: ["read", "cancelled", "released"])
    func streamedBodyHoldsItsSlot(_ end: String) async throws {
        let limiter = Limiter(total: 1)
        let client = client(limiter)
        site.server.answer("/large", with: .generated(bytes: 3_000_000))
        var response: HTTPResponse? = try await client.send(
            HTTPRequest(url: site.server.url("/large")), delivery: .stream)
        #expect(limiter.running == 1)
        let waiting = text("/a", client).start()
        while limiter.waiting == 0 { await Task.yield() }
        switch end {
        case "read": try await response?.collect(upTo: nil)
        case "cancelled": response?.stream.cancel()
        default: response = nil
        }
        #expect(try await waiting.value == "a")
        withExtendedLifetime(response) {}
    }

    @Test func retryHasNoSlotWhileItWaits() async throws {
        let clock = ManualClock()
        let limiter = Limiter(total: 1)
        let client = client(limiter) {
            $0.clock = clock
            $0.retryPolicy = .exponential(base: .seconds(1))
        }
        site.server.enqueue(.status(503), .text("other"), .text("again"))
        let call = text("/b", client).start()
        await clock.sleepers()
        #expect(limiter.running == 0)
        #expect(try await text("/c", client).promise.value == "other")
        clock.advance(by: .seconds(1))
        #expect(try await call.value == "again")
    }

    @Test func cachedResponseNeedsNoSlot() async throws {
        let limiter = Limiter(total: 1)
        site.server.answer("/fresh", with: Response.text("fresh").header("Cache-Control", "max-age=600"))
        let client = Client(baseURL: site.server.url, cache: MemoryStore()) {
            $0.cachePolicy = .http
            $0.limiter = limiter
        }
        #expect(try await text("/fresh", client).promise.value == "fresh")
        await client.finishStoring()
        limiter.suspend()
        #expect(try await text("/fresh", client).promise.value == "fresh")
    }

    @Test func failuresReturnTheirSlots() async throws {
        let limiter = Limiter(total: 2)
        let client = client(limiter) { $0.retryPolicy = .never }
        site.server.answer("/lost", with: Response.text("lost").failing(.reset, at: .response))
        for _ in 0..<20 {
            _ = await refusal(of: text("/lost", client).promise)
            _ = await refusal(of: text("/none", client).promise)
        }
        #expect(try await text("/a", client).promise.value == "a")
        #expect(limiter.running == 0)
        await client.shutdown()
        _ = await refusal(of: text("/a", client).promise)
        #expect(limiter.running == 0)
    }

    @Test func thousandsOfQueuedCallsAreCancelled() async throws {
        let limiter = Limiter()
        limiter.suspend()
        let client = client(limiter)
        let calls = (0..<5_000).map { text("/\($0)", client).start() }
        while limiter.waiting < calls.count { await Task.yield() }
        for call in calls.shuffled() { call.cancel() }
        for call in calls { await #expect(throws: CancellationError.self) { try await call.value } }
        while limiter.waiting > 0 { await Task.yield() }
        limiter.resume()
        #expect(limiter.running == 0)
        #expect(site.server.requests.isEmpty)
    }
}
