import Foundation
import LoopbackServer
import TangoRequest
import Testing

@testable import TestSupport

/// The decisions of a call, in order.
@Suite(.timeLimit(.minutes(20)))
struct CallExplanationTests {
    private let site: Site

    init() throws { site = try Site() }

    private func client(_ change: (inout Client.Configuration) -> Void = { _ in }) -> Client {
        Client(baseURL: site.server.url) {
            $0.timeouts = .patient
            change(&$0)
        }
    }

    @Test func redirectsWaitsAndRetriesAreInOrder() async throws {
        let gate = Gate()
        site.server.answer("/held", with: Response.text("ok").held(by: gate))
        site.server.enqueue(.status(503), .redirect(to: "/b?token=secret"), .status(503))
        let client = client {
            $0.limiter = Limiter(perHost: 1)
            $0.retryPolicy = .exponential(attempts: 2, base: .zero, cap: .zero)
        }
        let call = Fetch<String>(.get("/a"), of: client).start()
        #expect(await refusal(of: call.promise)?.code == .badStatus)
        let explanation = try #require(call.explanation)
        let target = "GET \(site.server.url("/b"))?token=…"
        #expect(explanation.decisions.contains(.redirect(attempt: 3, target: target)))
        #expect(
            explanation.description.split(separator: "\n").map { $0.prefix { $0 != ":" } }.first
                == "attempt 1 was followed by another one at once")
        let lines = explanation.description.split(separator: "\n")
        let place = try #require(lines.firstIndex { $0.contains("redirect") })
        #expect(lines[..<place].allSatisfy { $0.hasPrefix("attempt 1") })
        #expect(lines[(place + 1)...].allSatisfy { !$0.hasPrefix("attempt 1") })
        gate.open()
    }

    @Test func waitForTheLimiterIsExplained() async throws {
        let gate = Gate()
        site.server.answer("/a", with: Response.text("ok").held(by: gate))
        let limiter = Limiter(perHost: 1)
        let client = client { $0.limiter = limiter }
        let first = Fetch<String>(.get("/a"), of: client).start()
        try await gate.reached()
        let second = Fetch<String>(.get("/a"), of: client).start()
        while limiter.waiting == 0 { await Task.yield() }
        gate.open()
        _ = try await (first.value, second.value)
        #expect(first.explanation == nil)
        let wait = try #require(second.attempts.first?.queued)
        #expect(second.explanation?.decisions == [.queue(attempt: 1, wait)])
        #expect(second.explanation?.description == "attempt 1 waited \(wait.text) for a slot of the limiter")
    }

    @Test func sharedTransferIsExplained() async throws {
        let gate = Gate()
        site.server.answer("/a", with: Response.text("ok").held(by: gate))
        let client = client { $0.uniqueness = .join }
        let first = Fetch<String>(.get("/a"), of: client).start()
        try await gate.reached()
        let second = Fetch<String>(.get("/a"), of: client).start()
        gate.open()
        _ = try await (first.value, second.value)
        #expect(first.explanation == nil)
        #expect(second.explanation?.joinedCall == first.id)
        #expect(second.explanation?.description == "shared the transfer of call \(first.id), which was in flight")
    }

    @Test func callWithoutADecisionHasNoExplanation() async throws {
        site.server.answer("/a", with: .text("ok"))
        let call = Fetch<String>(.get("/a"), of: client()).start()
        _ = try await call.value
        #expect(call.explanation == nil)
    }

    @Test func callsOfAllClientsAreListed() async throws {
        let gate = Gate()
        site.server.answer("/a", with: Response.text("ok").held(by: gate))
        let (one, other) = (client(), client())
        let calls = [one, other, one].map { Fetch<String>(.get("/a"), of: $0).start() }
        let ids = Client.allActive.map(\.id)
        #expect(calls.map(\.id).allSatisfy(ids.contains))
        #expect(ids == ids.sorted())
        gate.open()
        for call in calls { _ = try await call.value }
        #expect(!Client.allActive.contains { call in calls.contains { $0.id == call.id } })
    }

    @Test func releasedClientIsNotListed() async throws {
        site.server.answer("/a", with: .text("ok"))
        weak var released: Client?
        func run() async throws {
            let client = client()
            released = client
            _ = try await Fetch<String>(.get("/a"), of: client).promise.value
        }
        try await run()
        // The thread that has settled the promise holds the client a moment longer.
        while released != nil { _ = Client.allActive }
    }
}
