import Foundation
import LoopbackServer
import Synchronization
import TangoPromise
import TangoRequest
import Testing

@testable import TestSupport

@Suite(.timeLimit(.minutes(20)))
struct CancellingTests {
    /// Checks the promise, state, callbacks and events of a cancelled call. No other reference may hold the call.
    func expectCancelled(
        _ call: inout Call<String>?, _ facts: Facts, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let held = try #require(call, sourceLocation: sourceLocation)
        #expect(await isCancelled(held.promise), sourceLocation: sourceLocation)
        #expect(held.state == .finished(.cancelled), sourceLocation: sourceLocation)
        #expect(!held.client.calls.contains { $0.id == held.id }, sourceLocation: sourceLocation)
        call = nil
        try await expectNoCallback(of: consume held, facts, sourceLocation: sourceLocation)
        let events = facts.all.filter { $0 == "willStart" || $0.hasPrefix("finished") }
        #expect(events == ["willStart", "finished cancelled"], sourceLocation: sourceLocation)
    }

    /// Releases a call, waits for the release of its callbacks, and checks that none has run.
    func expectNoCallback(
        of call: consuming Call<String>, _ facts: Facts, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        _ = consume call
        await facts.callbacksAreReleased()
        #expect(facts.callbacksRun == [], sourceLocation: sourceLocation)
    }

    func start(
        _ endpoint: Endpoint, of client: Client, _ facts: Facts, by form: Serializer<String> = .string,
        lifetime: CallLifetime = .managed
    ) -> Call<String> {
        let (success, failure) = facts.callbacks()
        return Fetch<String>(endpoint, of: client, by: form)
            .start(lifetime: lifetime, success: success, failure: failure)
    }

    @Test func callIsCancelledBeforeItHasBegun() async throws {
        let site = try Site()
        let facts = Facts()
        var call: Call? = start(.get("/a"), of: site.client(observers: [facts.observer()]), facts)
        call?.cancel()
        try await expectCancelled(&call, facts)
    }

    @Test func callIsCancelledInAnInterceptor() async throws {
        struct Waiting: Interceptor {
            let facts: Facts
            let gate: Gate
            func intercept(_ request: HTTPRequest, context: CallContext, next: Next) async throws -> HTTPResponse {
                facts.note("intercepted")
                try? await gate.opened()
                return try await next(request)
            }
        }
        let site = try Site()
        let facts = Facts()
        let gate = Gate()
        let client = site.client(
            interceptors: [Waiting(facts: facts, gate: gate)], observers: [facts.observer()])
        var call: Call? = start(.get("/a"), of: client, facts)
        await facts.reached("intercepted")
        call?.cancel()
        #expect(await isCancelled(try #require(call).promise))
        // The interceptor continues, and holds the call until it returns.
        gate.open()
        try await expectCancelled(&call, facts)
        #expect(site.server.requests.isEmpty)
    }

    /// The callbacks still wait for the call, and further consumers may be added.
    @Test(arguments: [CallLifetime.managed, .unmanaged])
    func cancelledTaskDoesNotCancelACallWithCallbacks(_ lifetime: CallLifetime) async throws {
        let site = try Site()
        let gate = Gate()
        site.server.answer("/a", with: .text("a").held(by: gate))
        let facts = Facts()
        let call = Fetch<String>(.get("/a"), of: site.client()).start(lifetime: lifetime)
        call.then { text, _ in facts.note(text) }
        try await gate.reached()
        let first = Task { try await call.value }
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        #expect(!call.isFinished)
        let second = call.promise
        gate.open()
        #expect(try await second.value == "a")
        #expect(try await call.value == "a")
        await facts.reached("a")
    }

    @Test(arguments: [Fault.Moment.response, .responseHead, .responseBody])
    func callIsCancelledWhileTheServerResponds(moment: Fault.Moment) async throws {
        let site = try Site()
        let gate = Gate()
        site.server.answer("/a", with: .text("hello world").held(by: gate, at: moment))
        let facts = Facts()
        var call: Call? = start(.get("/a"), of: site.client(observers: [facts.observer()]), facts)
        try await gate.reached()
        call?.cancel()
        try await expectCancelled(&call, facts)
        let connection = try #require(site.server.requests.first).connection
        _ = try await site.server.connectionEnded(connection)
    }

    @Test func callIsCancelledInItsSerializer() async throws {
        let site = try Site()
        let gate = Gate()
        site.server.answer("/a", with: .text("a").held(by: gate))
        let facts = Facts()
        let call = Mutex<Call<String>?>(nil)
        let form = Serializer<String> { _ in
            call.withLock { $0 }?.cancel()
            facts.note("made")
            return "late"
        }
        var started: Call? = start(.get("/a"), of: site.client(observers: [facts.observer()]), facts, by: form)
        call.withLock { $0 = started }
        gate.open()
        #expect(await isCancelled(try #require(started).promise))
        await facts.reached("made")
        call.withLock { $0 = nil }
        try await expectCancelled(&started, facts)
    }

    @Test func cancellingAfterSuccessStopsPendingCallbacks() async throws {
        let site = try Site()
        site.server.answer("/a", with: .text("a"))
        let facts = Facts()
        let queue = OperationQueue()
        queue.isSuspended = true
        let client = site.client(callbackScheduler: .operations(queue))
        let call = start(.get("/a"), of: client, facts)
        #expect(try await call.value == "a")
        call.cancel()
        queue.isSuspended = false
        #expect(call.state == .finished(.success))
        try await expectNoCallback(of: consume call, facts)
    }

    @Test func callIsCancelledFromManyThreads() async throws {
        let site = try Site()
        let gate = Gate()
        site.server.answer("/a", with: .text("a").held(by: gate))
        let facts = Facts()
        var call: Call? = start(.get("/a"), of: site.client(observers: [facts.observer()]), facts)
        try await gate.reached()
        await withTaskGroup { [call] group in
            for _ in 0..<16 { group.addTask { call?.cancel() } }
        }
        try await expectCancelled(&call, facts)
        gate.open()
    }

    @Test func cancellingOnTheMainActorStopsCallbacksThere() async throws {
        let site = try Site()
        site.server.answer("/a", with: .text("a"))
        for _ in 0..<100 {
            let facts = Facts()
            let client = site.client()
            let call = await MainActor.run {
                let marker = ReleaseMarker(facts)
                return Fetch<String>(.get("/a"), of: client)
                    .start(on: .main) { _, _ in
                        marker.keep()
                        facts.note("callback success")
                    } failure: { _, _ in
                        marker.keep()
                        facts.note("callback failure")
                    }
            }
            let before = await MainActor.run {
                call.cancel()
                return facts.callbacksRun
            }
            _ = consume call
            await facts.callbacksAreReleased()
            #expect(facts.callbacksRun == before)
        }
    }

    // MARK: Consumers

    @Test func lastConsumerThatLeavesCancelsTheCall() async throws {
        let site = try Site()
        let gate = Gate()
        site.server.answer("/a", with: .text("a").held(by: gate))
        let call = Fetch<String>(.get("/a"), of: site.client()).start()
        let one = call.promise.next { $0 }
        let other = call.promise.next { $0 }
        try await gate.reached()
        one.cancel()
        #expect(call.state == .running)
        other.cancel()
        #expect(await isCancelled(call.promise))
        #expect(call.state == .finished(.cancelled))
        let connection = try #require(site.server.requests.first).connection
        _ = try await site.server.connectionEnded(connection)
    }

    @Test func callbacksAreConsumers() async throws {
        let site = try Site()
        let gate = Gate()
        site.server.answer("/a", with: .text("a").held(by: gate))
        let facts = Facts()
        let call = start(.get("/a"), of: site.client(), facts)
        try await gate.reached()
        call.promise.next { $0 }.cancel()
        #expect(call.state == .running)
        gate.open()
        await facts.reached("callback success")
    }

    @Test func cancelledTasksCancelTheCallThatTheyAwait() async throws {
        let site = try Site()
        let gate = Gate()
        site.server.answer("/a", with: .text("a").held(by: gate))
        let call = Fetch<String>(.get("/a"), of: site.client()).start()
        let tasks = (0..<2).map { _ in Task { try await call.value } }
        try await gate.reached()
        tasks[0].cancel()
        await #expect(throws: CancellationError.self) { try await tasks[0].value }
        // If the other task does not wait yet, the call has no consumer for a moment.
        tasks[1].cancel()
        await #expect(throws: CancellationError.self) { try await tasks[1].value }
        #expect(await isCancelled(call.promise))
        let connection = try #require(site.server.requests.first).connection
        _ = try await site.server.connectionEnded(connection)
    }

    @Test func cancellingAChainCancelsItsCall() async throws {
        let site = try Site()
        let gate = Gate()
        site.server.answer("/a", with: .text("a").held(by: gate))
        let client = site.client()
        let chain = Fetch<String>(.get("/a"), of: client).promise.next { $0.count }.next { $0 + 1 }
        try await gate.reached()
        let call = try #require(client.calls.first)
        chain.cancel()
        var last: CallState?
        for await state in call.states { last = state }
        #expect(last == .finished(.cancelled))
    }

    @Test func detachedCallFinishesWithoutCallbacks() async throws {
        let site = try Site()
        let gate = Gate()
        site.server.answer("/a", with: .text("a").held(by: gate))
        let facts = Facts()
        let client = site.client(observers: [facts.observer()])
        var call: Call? = start(.get("/a"), of: client, facts, lifetime: .unmanaged)
        try await gate.reached()
        call?.detach()
        call = nil
        gate.open()
        await facts.reached("finished success")
        await facts.callbacksAreReleased()
        #expect(facts.callbacksRun == [])
    }
}
