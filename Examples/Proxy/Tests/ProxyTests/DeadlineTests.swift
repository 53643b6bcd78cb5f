import Foundation
import LoopbackServer
import Tango
import TangoMeasuring
import Testing

@testable import Proxy

/// The headers by which a request belongs to that of a client: its deadline, and its trace.
@Suite(.timeLimit(.minutes(2))) struct DeadlineTests {
    let upstream: Upstream

    init() throws {
        upstream = try Upstream()
    }

    @Test func deadlineIsHandedOnWithWhatIsLeft() async throws {
        upstream.server.enqueue(.status(503).header("Retry-After", "1"), .text("ok"))
        let gateway = try upstream.gateway()
        let response = try await Visitor(gateway).get("/report", headers: ["X-Timeout-Ms": "5000"])
        #expect(response.status == .ok)
        let left = upstream.server.requests.compactMap { $0.headers["X-Timeout-Ms"].flatMap { Int($0) } }
        try #require(left.count == 2)
        #expect((1...5000).contains(left[0]))
        // The server of the first attempt has asked for a second.
        #expect(left[1] <= left[0] - 1000)
        await gateway.shutdown()
    }

    @Test(arguments: [(nil, 60), ("90000", 60), ("30000", 30), ("soon", 60)])
    func longestDeadlineIsThatOfTheService(_ header: String?, _ seconds: Int) async throws {
        upstream.server.answer(with: .text("ok"))
        let gateway = try upstream.gateway { $0.timeout = .seconds(60) }
        let response = try await Visitor(gateway).get("/report", headers: ["X-Timeout-Ms": header])
        #expect(response.status == .ok)
        let left = upstream.server.requests.first?.headers["X-Timeout-Ms"].flatMap { Int($0) }
        #expect(left.map { ((seconds - 20) * 1000...seconds * 1000).contains($0) } == true)
        await gateway.shutdown()
    }

    @Test func deadlineInThePastHasPassed() async throws {
        upstream.server.answer("/slow", with: .text("late").held(by: Gate()))
        let gateway = try upstream.gateway()
        let response = try await Visitor(gateway).get("/slow", headers: ["X-Timeout-Ms": "-5"])
        #expect(response.status == .gatewayTimeout)
        await gateway.shutdown()
    }

    @Test func missedDeadlineEndsTheRequestToTheServer() async throws {
        let gate = Gate()
        let clock = ManualClock()
        upstream.server.answer("/slow", with: .text("late").held(by: gate))
        let gateway = try upstream.gateway { $0.clock = clock }
        let visitor = Visitor(gateway)
        let call = Promise { try await visitor.get("/slow", headers: ["X-Timeout-Ms": "5000"]) }
        try await gate.reached()
        await clock.sleepers()
        clock.advance(by: .seconds(5))
        let response = try await call.value
        #expect(response.status == .gatewayTimeout)
        #expect(response.text == #"{"error": "totalTimedOut"}"#)
        // The connection is closed, so that the server need not go on.
        _ = try await upstream.server.happened { event in
            if case .closed(_, by: .client) = event {
                true
            } else if case .reset(_, by: .client) = event {
                true
            } else {
                false
            }
        }
        #expect(gateway.upstream.activeCalls == 0)
        await gateway.shutdown()
    }

    @Test func eachAttemptIsASpanOfTheTraceOfTheClient() async throws {
        upstream.server.enqueue(.status(503), .text("ok"))
        let gateway = try upstream.gateway()
        let trace = TraceContext()
        _ = try await Visitor(gateway).get("/report", headers: ["traceparent": trace.traceparent])
        let spans = upstream.server.requests.compactMap {
            $0.headers["traceparent"].flatMap(TraceContext.init(traceparent:))
        }
        try #require(spans.count == 2)
        #expect(spans.allSatisfy { $0.traceID == trace.traceID })
        #expect(Set(spans.map(\.spanID) + [trace.spanID]).count == 3)
        await gateway.shutdown()
    }

    @Test func requestWithoutATraceBeginsOne() async throws {
        upstream.server.answer(with: .text("ok").header("Cache-Control", "no-store"))
        let gateway = try upstream.gateway()
        for _ in 1...2 { _ = try await Visitor(gateway).get("/report", headers: ["traceparent": "nonsense"]) }
        let traces = upstream.server.requests.compactMap {
            $0.headers["traceparent"].flatMap(TraceContext.init(traceparent:))
        }
        #expect(Set(traces.map(\.traceID)).count == 2)
        await gateway.shutdown()
    }
}
