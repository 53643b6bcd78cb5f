import LoopbackServer
import TangoRequest
import Testing

@testable import TestSupport

@Suite(.timeLimit(.minutes(20)))
struct StatesTests {
    @Test func followerReceivesTheCurrentStateAndEachChange() async throws {
        let site = try Site()
        let gate = Gate()
        site.server.answer("/a", with: .text("a").held(by: gate))
        let call = Fetch<String>(.get("/a"), of: site.client()).start()
        var states = call.states.makeAsyncIterator()
        let first = await states.next()
        #expect(first == .queued || first == .running)
        if first == .queued { #expect(await states.next() == .running) }
        try await gate.reached()
        #expect(call.state == .running)
        gate.open()
        #expect(await states.next() == .finished(.success))
        #expect(await states.next() == nil)
        #expect(call.isFinished)
    }

    /// The call runs before its request is refused, and while the rest of the pipeline takes it over.
    @Test func followerReceivesNoStateTwiceInARow() async throws {
        let site = try Site()
        let (gate, clock) = (Gate(), ManualClock())
        site.server.enqueue(Response.status(503).held(by: gate), .text("a"))
        let client = Client(baseURL: site.server.url) {
            $0.timeouts = .patient
            $0.clock = clock
            $0.retryPolicy = .exponential(base: .seconds(1))
        }
        let call = Fetch<String>(.get("/a"), of: client).start()
        try await gate.reached()
        let follower = call.states
        gate.open()
        await clock.sleepers()
        clock.advance(by: .seconds(1))
        var states: [String] = []
        for await state in follower {
            if case .retrying = state { states.append("retrying") } else { states.append(state.description) }
        }
        #expect(states == ["running", "retrying", "running", "finished, success"])
    }

    @Test func statesHaveDescriptions() {
        let states: [CallState] = [.queued, .running, .finished(.cancelled)]
        let words = ["queued", "running", "finished, cancelled"]
        #expect(states.map(\.description) == words)
    }

    @Test func lateFollowerReceivesTheLastState() async throws {
        let site = try Site()
        site.server.answer("/a", with: .status(500))
        let call = Fetch<String>(.get("/a"), of: site.client()).start()
        _ = await refusal(of: call.promise)
        var states: [CallState] = []
        for await state in call.states { states.append(state) }
        #expect(states == [.finished(.failure)])
    }

    @Test func allFollowersReceiveTheSameStates() async throws {
        let site = try Site()
        let gate = Gate()
        site.server.answer("/a", with: .text("a").held(by: gate))
        let call = Fetch<String>(.get("/a"), of: site.client()).start()
        try await gate.reached()
        let followers = (0..<5).map { _ in call.states }
        gate.open()
        for follower in followers {
            var states: [CallState] = []
            for await state in follower { states.append(state) }
            #expect(states == [.running, .finished(.success)])
        }
    }

    @Test func followerThatLeavesDoesNotAffectAnother() async throws {
        let site = try Site()
        let gate = Gate()
        site.server.answer("/a", with: .text("a").held(by: gate))
        let call = Fetch<String>(.get("/a"), of: site.client()).start()
        try await gate.reached()
        for await _ in call.states { break }
        let follower = call.states
        gate.open()
        var states: [CallState] = []
        for await state in follower { states.append(state) }
        #expect(states.last == .finished(.success))
    }

    @Test(arguments: [200, 404])
    func finalStateIsSetBeforeThePromiseSettles(status: Int) async throws {
        let site = try Site()
        site.server.answer("/a", with: .text("a", status: status))
        let call = Fetch<String>(.get("/a"), of: site.client()).start()
        _ = try? await call.value
        #expect(call.state == .finished(status == 200 ? .success : .failure))
    }
}
