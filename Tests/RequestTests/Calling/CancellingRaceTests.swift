import Dispatch
import LoopbackServer
import TangoPromise
import TangoRequest
import Testing

@testable import TestSupport

/// Cancellations that meet the end of a call. Exactly one of the two happens: the call is cancelled and no callback runs, or
/// it succeeds and its callbacks run.
///
/// A handler on `.immediate` runs inside `cancel()`, after the promise was cancelled and before the call is. So it stops the
/// cancelling thread while the call ends.
@Suite(.timeLimit(.minutes(20))) struct CancellingRaceTests {
    let site: Site
    let gate = Gate()
    let facts = Facts()
    /// The queue of the callbacks. It runs none until the test resumes it.
    let queue = DispatchQueue(label: "callbacks")
    let client: Client

    init() throws {
        site = try Site()
        site.server.answer("/a", with: .text("a").held(by: gate))
        client = site.client(callbackScheduler: .queue(queue))
    }

    /// Adds callbacks that wait in the suspended queue, and one that runs inside the end of the call.
    func addCallbacks(to call: Call<String>) {
        call.then { [facts] value, _ in
            facts.note("callback \(value)")
        } failure: { [facts] error, _ in
            facts.note("callback \(error)")
        }
        call.then(on: .immediate) { [facts] _, _ in facts.note("ended") }
    }

    /// Cancels a promise on another thread, which stops inside `cancel()`. Returns a function that lets it go on.
    func beginCancelling(_ promise: Promise<String>) async -> () async -> Void {
        let stop = DispatchSemaphore(value: 0)
        promise.finally(on: .immediate) { [facts] in
            facts.note("stopped")
            stop.wait()
        }
        DispatchQueue(label: "cancels").async { [facts] in
            promise.cancel()
            facts.note("cancelled")
        }
        await facts.reached("stopped")
        return { [facts] in
            stop.signal()
            await facts.reached("cancelled")
        }
    }

    @Test func promiseIsCancelledWhileTheCallEnds() async throws {
        let call = Fetch<String>(.get("/a"), of: client).start()
        try await gate.reached()
        addCallbacks(to: call)
        queue.suspend()
        let goOn = await beginCancelling(call.promise)
        gate.open()
        await facts.reached("ended")
        await goOn()
        queue.resume()
        queue.sync {}
        #expect(facts.all.contains("callback a"))
        #expect(call.state == .finished(.success))
        #expect(try await call.value == "a")
    }

    /// The call has no callback until after it has ended.
    @Test func promiseIsCancelledBeforeTheFirstCallback() async throws {
        let call = Fetch<String>(.get("/a"), of: client).start()
        try await gate.reached()
        let goOn = await beginCancelling(call.promise)
        gate.open()
        for await state in call.states where state.isFinished { break }
        // Returns once the promise of the call has settled.
        await client.shutdown()
        await goOn()
        addCallbacks(to: call)
        queue.sync {}
        #expect(facts.all.contains("callback a"))
        #expect(call.state == .finished(.success))
        #expect(try await call.value == "a")
    }

    /// The client cancels one call after the other. The second one ends while the first one is being cancelled.
    @Test func callEndsWhileAllAreCancelled() async throws {
        let never = Gate()
        site.server.answer("/never", with: .text("never").held(by: never))
        let first = Fetch<String>(.get("/never"), of: client).start()
        let second = Fetch<String>(.get("/a"), of: client).start()
        try await never.reached()
        try await gate.reached()
        addCallbacks(to: second)
        queue.suspend()
        let stop = DispatchSemaphore(value: 0)
        first.promise.finally(on: .immediate) { [facts] in
            facts.note("stopped")
            stop.wait()
        }
        DispatchQueue(label: "cancels").async { [client, facts] in
            client.cancelAll()
            facts.note("cancelled")
        }
        await facts.reached("stopped")
        gate.open()
        await facts.reached("ended")
        stop.signal()
        await facts.reached("cancelled")
        queue.resume()
        queue.sync {}
        #expect(facts.all.contains("callback a"))
        #expect(first.state == .finished(.cancelled))
        #expect(second.state == .finished(.success))
        never.open()
    }

    @Test func cancelledCallHasNoCallbackAndNoOtherState() async throws {
        let call = Fetch<String>(.get("/a"), of: client).start()
        try await gate.reached()
        addCallbacks(to: call)
        client.cancelAll()
        gate.open()
        await #expect(throws: CancellationError.self) { try await call.value }
        #expect(call.state == .finished(.cancelled))
        await client.shutdown()
        queue.sync {}
        #expect(facts.all == [])
    }
}
