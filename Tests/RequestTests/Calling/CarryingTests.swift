import Foundation
import LoopbackServer
import Synchronization
import TangoPromise
import Testing

@testable import TangoRequest
@testable import TestSupport

/// The transport's request and the deadline of a call, which both end with the call.
@Suite(.timeLimit(.minutes(20))) struct CarryingTests {
    /// A transport that records starts and cancellations. A test completes its requests.
    struct Noting: Transport {
        let facts: Facts
        /// Called while the request starts, before the call has its `TransportTask`.
        var whileStarting: @Sendable (@escaping TransportCompletion) -> Void = { _ in }

        var capabilities: TransportCapabilities { [] }
        func shutdown() async {}

        func start(
            _ request: HTTPRequest, options: TransportOptions, completion: @escaping TransportCompletion
        ) -> TransportTask {
            facts.note("started")
            whileStarting(completion)
            return TransportTask { facts.note("cancelled") }
        }
    }

    private let facts = Facts()
    private let url = "http://localhost/"

    private func start(_ transport: Noting, times: Timeouts = .default) -> Call<String> {
        let request = Fetch<String>(.get(url), of: Client { $0.transport = transport })
        request.times = times
        return request.start()
    }

    /// `start()` passes the request to the transport before it returns, without a task in between.
    @Test func transportStartsRequestsOnTheThreadOfTheCaller() async {
        let call = start(Noting(facts: facts))
        #expect(facts.all == ["started"])
        #expect(call.state == .running)
        call.cancel()
        #expect(facts.all == ["started", "cancelled"])
        call.cancel()
        #expect(facts.all == ["started", "cancelled"])
        #expect(await isCancelled(call.promise))
    }

    @Test func callMayBeStartedAgainWhileCallbacksAreAdded() async {
        let call = start(Noting(facts: facts))
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [call] in for _ in 0..<200 { call.then { _, _ in } } }
            group.addTask { [call] in for _ in 0..<20 { call.retry().cancel() } }
        }
        call.cancel()
        #expect(facts.all.count == 2 * 21)
    }

    @Test func aRequestIsCancelledIfItsCallEndsWhileItStarts() async {
        let client = Mutex<Client?>(nil)
        let owner = Client {
            $0.transport = Noting(facts: facts, whileStarting: { _ in client.withLock { $0 }?.cancelAll() })
        }
        client.withLock { $0 = owner }
        let call = Fetch<String>(.get(url), of: owner).start()
        #expect(facts.all == ["started", "cancelled"])
        #expect(call.state == .finished(.cancelled))
        #expect(await isCancelled(call.promise))
        client.withLock { $0 = nil }
    }

    @Test func requestMayCompleteWhileItStarts() async throws {
        let done = Gate()
        let call = start(
            Noting(facts: facts) { completion in
                completion {
                    done.open()
                    return HTTPResponse(status: 200, body: Data("a".utf8))
                }
            })
        try await done.opened()
        #expect(try await call.value == "a")
    }

    @Test func aCompletedRequestIsNotCancelledWithItsCall() async throws {
        let completion = Mutex<TransportCompletion?>(nil)
        let call = start(Noting(facts: facts) { new in completion.withLock { $0 = new } })
        completion.withLock { replace(&$0, with: nil) }?({ HTTPResponse(status: 200, body: Data("a".utf8)) })
        #expect(try await call.value == "a")
        call.cancel()
        #expect(facts.all == ["started"])
    }

    /// Only a faulty transport completes a request twice.
    @Test func aSecondCompletionIsIgnored() async throws {
        let transport = Noting(facts: facts) { completion in
            completion { HTTPResponse(status: 200, body: Data("a".utf8)) }
            completion { HTTPResponse(status: 200, body: Data("b".utf8)) }
        }
        // Of so many calls, most get their second response before a thread takes the first.
        let calls = (0..<200).map { _ in start(transport) }
        for call in calls {
            #expect(try await call.value == "a")
            #expect(call.state == .finished(.success))
        }
    }

    @Test func aSecondCompletionReturnsNoSlotOfAnother() async throws {
        let completion = Mutex<TransportCompletion?>(nil)
        let client = Client {
            $0.transport = Noting(facts: facts) { new in completion.withLock { $0 = new } }
            $0.limiter = Limiter(total: 1)
        }
        let calls = (0..<3).map { _ in Fetch<String>(.get(url), of: client) }
        let first = calls[0].start()
        let complete = try #require(completion.withLock { $0 })
        for _ in 0..<2 { complete { HTTPResponse(status: 200, body: Data("a".utf8)) } }
        #expect(try await first.value == "a")
        #expect(calls[1].start().state == .running)
        #expect(calls[2].start().state == .queued)
        client.cancelAll()
        #expect(facts.all == ["started", "started", "cancelled"])
    }

    private func held(_ count: Int) async {
        await facts.reached { $0.count { $0 == "held" } >= count }
    }

    /// The first exchange of a run is a revalidation whose response is about something else. It ends twice, the second time during
    /// the next exchange.
    @Test func aLateCompletionIsNotThatOfTheNextExchange() async throws {
        let completions = Mutex<[TransportCompletion]>([])
        let client = Client(cache: MemoryStore()) {
            $0.transport = Noting(facts: facts) { [facts] new in
                completions.withLock { $0.append(new) }
                facts.note("held")
            }
        }
        func complete(_ number: Int, _ response: HTTPResponse) async {
            await held(number)
            completions.withLock { $0[number - 1] }({ response })
        }
        final class Item: Fetch<String> {
            override var cachePolicy: CachePolicy { .cacheThenNetwork }
        }
        let first = Item(.get(url), of: client).start()
        await complete(1, HTTPResponse(status: 200, headers: ["ETag": "\"1\""], body: Data("old".utf8)))
        #expect(try await first.value == "old")
        await client.finishStoring()
        let second = Item(.get(url), of: client).start()
        let newer = second.values
        await complete(2, HTTPResponse(status: 304, headers: ["ETag": "\"2\""]))
        await held(3)
        await complete(2, HTTPResponse(status: 304, headers: ["ETag": "\"2\""]))
        await complete(3, HTTPResponse(status: 200, body: Data("new".utf8)))
        var found: [String] = []
        for try await value in newer { found.append(value) }
        #expect(found == ["old", "new"])
    }

    @Test func requestIsCancelledAtItsDeadline() async throws {
        let clock = ManualClock()
        let request = Fetch<String>(
            .get(url),
            of: Client {
                $0.transport = Noting(facts: facts)
                $0.clock = clock
            })
        request.times = Timeouts(total: .seconds(1))
        let call = request.start()
        clock.advance(by: .seconds(1))
        #expect(await refusal(of: call.promise)?.code == .totalTimedOut)
        #expect(facts.all == ["started", "cancelled"])
    }

    // MARK: Deadlines

    /// A clock that records when a task begins to sleep on it, and when cancellation wakes that task.
    struct Noticing: Clock {
        typealias Instant = ContinuousClock.Instant
        let facts: Facts
        /// Called at each read of the current instant.
        var whenRead: @Sendable () -> Void = {}

        var now: Instant {
            whenRead()
            return .now
        }

        var minimumResolution: Duration { .zero }

        func sleep(until deadline: Instant, tolerance: Duration?) async throws {
            facts.note("asleep")
            do {
                try await Task.sleep(until: deadline, tolerance: tolerance, clock: .continuous)
            } catch {
                facts.note("woken")
                throw error
            }
        }
    }

    enum Ending: CaseIterable, Sendable { case success, failure, cancelled, shutDown }

    /// Otherwise the task of the deadline, and all that it references, would live until the deadline.
    @Test(arguments: Ending.allCases)
    func deadlineIsCancelledWhenTheCallEnds(ending: Ending) async throws {
        let site = try Site()
        let gate = Gate()
        site.server.answer("/a", with: .text("a", status: ending == .failure ? 500 : 200).held(by: gate))
        let client = site.client(timeouts: Timeouts(total: .seconds(3600)), clock: Noticing(facts: facts))
        let call = Fetch<String>(.get("/a"), of: client).start()
        await facts.reached("asleep")
        switch ending {
        case .success, .failure: gate.open()
        case .cancelled: call.cancel()
        case .shutDown: await client.shutdown()
        }
        _ = try? await call.value
        try await within { [facts] in await facts.reached("woken") }
        gate.open()
    }

    @Test func deadlineOfAnEndedCallIsCancelledAtOnce() async throws {
        let client = Mutex<Client?>(nil)
        let clock = Noticing(facts: facts) { client.withLock { $0 }?.cancelAll() }
        let noting = Noting(facts: facts)
        let owner = Client {
            $0.transport = noting
            $0.timeouts = Timeouts(total: .seconds(3600))
            $0.clock = clock
        }
        client.withLock { $0 = owner }
        let call = Fetch<String>(.get(url), of: owner).start()
        #expect(call.state == .finished(.cancelled))
        client.withLock { $0 = nil }
        // The task of the deadline is cancelled, before or after it begins to sleep.
        try await within { [facts] in await facts.reached("woken") }
        #expect(facts.all.contains("cancelled"))
    }
}
