import Foundation
import LoopbackServer
import Synchronization
import TangoPromise
import Testing

@testable import TangoRequest
@testable import TangoTransfers
@testable import TestSupport

/// A source of time that records its uses, and expires when a test says so.
final class FakeBackgroundTime: BackgroundTime {
    private struct State {
        var began: [String] = []
        var ended = 0
        var expiries: [@Sendable () -> Void] = []
    }

    private let state = Mutex(State())
    private let expiresAtOnce: Bool

    init(expiresAtOnce: Bool = false) {
        self.expiresAtOnce = expiresAtOnce
    }

    var began: [String] { state.withLock(\.began) }
    var ended: Int { state.withLock(\.ended) }

    func begin(_ name: String, onExpiry: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
        state.withLock { state in
            state.began.append(name)
            state.expiries.append(onExpiry)
        }
        if expiresAtOnce { onExpiry() }
        return { [self] in state.withLock { $0.ended += 1 } }
    }

    func expire() {
        for expire in state.withLock(\.expiries) { expire() }
    }
}

/// The time in which calls finish after their application has left the foreground.
@Suite(.timeLimit(.minutes(20)))
struct BackgroundTimeTests {
    private final class Send: Request<String> {
        let owner: Client
        var policy: BackgroundPolicy?
        init(_ owner: Client) { self.owner = owner }
        override var client: Client { owner }
        override var endpoint: Endpoint { .post("/order", query: ["token": "secret"]) }
        override var backgroundPolicy: BackgroundPolicy { policy ?? super.backgroundPolicy }
    }

    private let time = FakeBackgroundTime()
    private let server: LoopbackServer
    private let client: Client

    init() throws {
        server = try LoopbackServer()
        client = Client(baseURL: server.url) { [time] in
            $0.backgroundPolicy = .finish
            $0.backgroundTime = time
            $0.retryPolicy = .never
        }
        server.answer("/order", method: "POST", with: .text("done"))
    }

    /// Returns once all calls have settled.
    private func settle() async { await client.shutdown() }

    @Test func timeEndsOnceWithTheOutput() async throws {
        #expect(try await Send(client).start().value == "done")
        await settle()
        #expect(time.began == ["POST /order"])
        #expect(time.ended == 1)
    }

    @Test func timeEndsOnceWithAnError() async throws {
        server.answer("/order", method: "POST", with: .status(500))
        #expect(try await failure { try await Send(client).start().value }.code == .badStatus)
        await settle()
        #expect(time.ended == 1)
    }

    @Test func timeEndsOnceWithACancellation() async throws {
        let gate = Gate()
        server.answer("/order", method: "POST", with: Response.text("done").held(by: gate))
        let call = Send(client).start()
        call.cancel()
        call.cancel()
        await settle()
        gate.open()
        #expect(time.ended == 1)
    }

    @Test func timeEndsOnceWithADroppedCall() async throws {
        let gate = Gate()
        server.answer("/order", method: "POST", with: Response.text("done").held(by: gate))
        do { _ = Send(client).start(lifetime: .unmanaged) }
        await settle()
        gate.open()
        #expect(time.ended == 1)
    }

    @Test func timeEndsOnceWithAClientThatIsShutDown() async throws {
        await client.shutdown()
        #expect(try await failure { try await Send(client).start().value }.code == .shutDown)
        #expect(time.began.count == time.ended)
    }

    @Test func expiryFailsTheCallAtOnce() async throws {
        let gate = Gate()
        server.answer("/order", method: "POST", with: Response.text("done").held(by: gate))
        let call = Send(client).start()
        time.expire()
        // The call has ended when the system goes on.
        #expect(call.state == .finished(.failure))
        #expect(time.ended == 1)
        let error = try await failure { try await call.value }
        #expect(error.code == .backgroundTimeExpired)
        #expect(!error.isRetryable)
        time.expire()
        await settle()
        gate.open()
        #expect(time.ended == 1)
    }

    @Test func timeMayExpireWhileItBegins() async throws {
        let time = FakeBackgroundTime(expiresAtOnce: true)
        let client = client.with { $0.backgroundTime = time }
        #expect(try await failure { try await Send(client).start().value }.code == .backgroundTimeExpired)
        await client.shutdown()
        #expect(time.ended == 1)
    }

    @Test func expiryAfterTheEndHasNoEffect() async throws {
        let call = Send(client).start()
        #expect(try await call.value == "done")
        time.expire()
        #expect(call.state == .finished(.success))
    }

    @Test func callsOfASharedTransferAskOnceEach() async throws {
        let client = client.with { $0.uniqueness = .join }
        let gate = Gate()
        server.answer("/order", method: "POST", with: Response.text("done").held(by: gate))
        let calls = [Send(client).start(), Send(client).start()]
        gate.open()
        for call in calls { _ = try await call.value }
        await client.shutdown()
        #expect(time.began.count == 2)
        #expect(time.ended == 2)
    }

    @Test func requestOverridesItsClient() async throws {
        let request = Send(client)
        request.policy = .suspend
        _ = try await request.start().value
        #expect(time.began.isEmpty)
        request.policy = .session("com.example.none")
        _ = try await request.start().value
        #expect(time.began.count == 1)
    }

    @Test func noCallAsksUnlessItsPolicySaysSo() async throws {
        let client = Client(baseURL: server.url) { [time] in $0.backgroundTime = time }
        _ = try await Send(client).start().value
        #expect(time.began.isEmpty)
    }
}

/// One activity of the system for all calls.
@Suite(.timeLimit(.minutes(20)))
struct SharedActivityTests {
    /// A system that runs each activity on a thread of its own.
    private final class System: Sendable {
        struct State {
            var blocks: [@Sendable (Bool) -> Void] = []
            var returned = 0
        }

        let state = Mutex(State())
        let grants: Bool

        init(grants: Bool = true) { self.grants = grants }

        var count: Int { state.withLock { $0.blocks.count } }

        func perform(_ name: String, _ block: @escaping @Sendable (Bool) -> Void) {
            state.withLock { $0.blocks.append(block) }
            guard grants else { return block(true) }
            let isRunning = DispatchSemaphore(value: 0)
            Thread.detachNewThread { [self] in
                isRunning.signal()
                block(false)
                state.withLock { $0.returned += 1 }
            }
            isRunning.wait()
        }

        func expire(_ number: Int) {
            let block = state.withLock { $0.blocks[number] }
            block(true)
        }

        /// Returns once a number of activities have ended.
        func ended(_ count: Int) async {
            while state.withLock(\.returned) < count { await Task.yield() }
        }
    }

    @Test func callsShareAnActivityThatEndsWithTheLast() async {
        let system = System()
        let activity = SharedActivity { system.perform($0, $1) }
        let first = activity.begin("a") { Issue.record("expired") }
        let second = activity.begin("b") { Issue.record("expired") }
        #expect(system.count == 1)
        first()
        first()
        #expect(system.state.withLock(\.returned) == 0)
        second()
        await system.ended(1)
        let third = activity.begin("c") {}
        #expect(system.count == 2)
        third()
        await system.ended(2)
    }

    @Test func expiryReachesEveryCallOnce() async {
        let system = System()
        let activity = SharedActivity { system.perform($0, $1) }
        let expired = Mutex<[String]>([])
        let ends = ["a", "b", "c"].map { name in activity.begin(name) { expired.withLock { $0.append(name) } } }
        ends[1]()
        while !activity.isGranted { await Task.yield() }
        system.expire(0)
        await system.ended(1)
        system.expire(0)
        for end in ends { end() }
        #expect(expired.withLock { $0 } == ["a", "c"])
        // A call after the expiry asks anew.
        activity.begin("d") {}()
        #expect(system.count == 2)
        await system.ended(2)
    }

    @Test func callsGoOnWithoutAGrant() {
        let system = System(grants: false)
        let activity = SharedActivity { system.perform($0, $1) }
        let end = activity.begin("a") { Issue.record("expired") }
        end()
        activity.begin("b") { Issue.record("expired") }()
        #expect(system.count == 2)
    }
}

/// The handlers of the system for the end of its events.
struct EventDeliveryTests {
    private func handler(_ name: String, _ record: Recorded<String>) -> EventDelivery.Handler {
        EventDelivery.Handler { record.add(name) }
    }

    @Test @MainActor func handlerRunsOnceInEitherOrder() {
        let record = Recorded<String>()
        var delivery = EventDelivery()
        for handler in delivery.add(handler("a", record)) { handler.run() }
        for handler in delivery.add(handler("b", record)) { handler.run() }
        #expect(record.all.isEmpty)
        for handler in delivery.deliveredAll() { handler.run() }
        #expect(record.all == ["a", "b"])
        for handler in delivery.deliveredAll() { handler.run() }
        for handler in delivery.add(handler("c", record)) { handler.run() }
        for handler in delivery.add(handler("d", record)) { handler.run() }
        #expect(record.all == ["a", "b", "c"])
        for handler in delivery.deliveredAll() { handler.run() }
        #expect(record.all == ["a", "b", "c", "d"])
    }

    @Test func handlerOfTheApplicationRunsAfterTheEvents() async throws {
        let site = BackgroundSite()
        site.launch()
        site.get().start()
        let id = await site.system.order().id
        let session = site.launch()
        await withCheckedContinuation { continuation in
            Task { @MainActor in
                BackgroundTransfers.resume(site.identifier) {
                    #expect((try? Data(contentsOf: site.target)) == filmBytes)
                    continuation.resume()
                }
                try site.system.deliver(id, filmBytes)
                session.deliveredAll()
            }
        }
    }

    @Test @MainActor func handlerRunsAtOnceWithoutTheSystem() {
        var runs = 0
        BackgroundTransfers.resume("com.example.none") { runs += 1 }
        BackgroundTransfers.resume("com.example.none")
        #expect(runs == 1)
    }
}
