import Foundation
import LoopbackServer
import Synchronization
import TangoPromise
import Testing

@testable import TangoRequest

/// The work that carries a run, and the deadline of the run, when it ends.
@Suite(.timeLimit(.minutes(10))) struct CarryingTests {
    /// An exchange that does nothing but note what it is told.
    final class Noted: Exchange {
        let request: HTTPRequest
        let facts: Facts
        let whenStarted: @Sendable () -> Void

        init(_ request: HTTPRequest, _ facts: Facts, whenStarted: @escaping @Sendable () -> Void) {
            self.request = request
            self.facts = facts
            self.whenStarted = whenStarted
        }

        func start() {
            facts.note("started")
            whenStarted()
        }

        func leave() { facts.note("left") }
    }

    /// A transport of such exchanges.
    struct Noting: DirectTransport {
        let facts: Facts
        /// Called while the exchange is made, before the run has it.
        var whileMaking: @Sendable (CallCore) -> Void = { _ in }
        var whenStarted: @Sendable (CallCore) -> Void = { _ in }

        var capabilities: TransportCapabilities { [] }
        func shutdown() async {}

        func send(_ request: HTTPRequest, options: TransportOptions) async throws -> HTTPResponse {
            Issue.record("the call is not carried by its exchange")
            throw CancellationError()
        }

        func exchange(
            _ request: HTTPRequest, options: TransportOptions, for call: CallCore
        ) throws -> any Exchange {
            whileMaking(call)
            return Noted(request, facts) { whenStarted(call) }
        }
    }

    private let facts = Facts()
    private let url = "http://localhost/"

    private func start(_ transport: Noting, times: Timeouts = .default) -> Call<String> {
        let request = Fetch<String>(.get(url), of: Client { $0.transport = transport })
        request.times = times
        return request.start()
    }

    @Test func anExchangeIsStartedAndLeftWhenTheCallIsCancelled() async {
        let call = start(Noting(facts: facts))
        #expect(facts.all == ["started"])
        call.cancel()
        #expect(facts.all == ["started", "left"])
        call.cancel()
        #expect(facts.all == ["started", "left"])
        #expect(await isCancelled(call.promise))
    }

    @Test func anExchangeThatIsMadeForAnEndedCallIsLeftAndNotStarted() async {
        let call = start(Noting(facts: facts, whileMaking: { $0.cancel() }))
        #expect(facts.all == ["left"])
        #expect(call.state == .finished(.cancelled))
        #expect(await isCancelled(call.promise))
    }

    @Test func anExchangeThatHasAnsweredIsNotLeft() async throws {
        let call = start(
            Noting(
                facts: facts, whenStarted: { $0.completeExchange { HTTPResponse(status: 200, body: Data("a".utf8)) } }))
        #expect(try await call.value == "a")
        #expect(facts.all == ["started"])
    }

    @Test func anExchangeIsLeftWhenTheTimeIsUp() async throws {
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
        #expect(facts.all == ["started", "left"])
    }

    // MARK: Deadlines

    /// A clock that notes when somebody sleeps on it, and when they are woken by being cancelled.
    struct Noticing: Clock {
        typealias Instant = ContinuousClock.Instant
        let facts: Facts
        /// Called whenever somebody looks at the clock.
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

    /// Or else each call would hold a task, and what that holds, until its time is up.
    @Test(arguments: Ending.allCases)
    func theDeadlineGoesWithTheCall(ending: Ending) async throws {
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

    @Test func aDeadlineThatIsSetForAnEndedCallGoesAtOnce() async throws {
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
        // Its task is cancelled, before or after it has begun to sleep.
        try await within { [facts] in await facts.reached("woken") }
        #expect(facts.all.contains("left"))
    }
}
