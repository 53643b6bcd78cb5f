import Foundation
import LoopbackServer
import Synchronization
import TangoPromise
import TangoRequest
import Testing

@testable import TestSupport

/// Responses that are followed by another attempt, and their connections.
@Suite(.timeLimit(.minutes(20)))
struct RetriedResponsesTests {
    private let site: Site

    init() throws { site = try Site() }

    private func client(_ change: (inout Client.Configuration) -> Void = { _ in }) -> Client {
        Client(baseURL: site.server.url) {
            $0.timeouts = .patient
            $0.retryPolicy = .exponential(attempts: 3, base: .zero)
            change(&$0)
        }
    }

    private func message(_ path: String) -> HTTPRequest { HTTPRequest(url: site.server.url(path)) }

    // MARK: Messages

    @Test("the last response to a message is returned", arguments: [TransportOptions.Delivery.whole(), .stream])
    func lastResponseIsReturned(_ delivery: TransportOptions.Delivery) async throws {
        site.server.enqueue(.status(503), .text("busy", status: 502), .text("still busy", status: 503))
        var response = try await client().send(message("/a"), delivery: delivery)
        try await response.collect()
        #expect(response.status == 503)
        #expect(response.body == Data("still busy".utf8))
        #expect(site.server.requests.count == 3)
        // A status that would come again is returned at once.
        site.server.answer("/b", with: .text("none", status: 404))
        #expect(try await client().send(message("/b"), delivery: delivery).status == 404)
        #expect(site.server.requests.count == 4)
    }

    @Test(
        "the connection of a retried stream is reused if its body is short, and closed otherwise",
        arguments: [1_000, 5_000_000])
    func connectionIsReusedOrClosed(_ size: Int) async throws {
        site.server.enqueue(Response.generated(bytes: size).status(503), .text("ok"))
        var response = try await client().send(message("/a"), delivery: .stream)
        try await response.collect()
        #expect(response.body == Data("ok".utf8))
        if size < 10_000 {
            #expect(site.server.connections.accepted == 1)
        } else {
            try await site.server.connectionEnded(0)
            #expect(site.server.connections.accepted == 2)
        }
    }

    @Test(arguments: [503, 302]) func lateBodyDoesNotDelayTheNextAttempt(_ status: Int) async throws {
        let gate = Gate()
        defer { gate.open() }
        let late = Response.text("never", status: status).header("Location", "/b")
        site.server.enqueue(late.failing(.stall(until: gate), at: .responseBody), .text("ok"))
        var response = try await client().send(message("/a"), delivery: .stream)
        try await response.collect()
        #expect(response.body == Data("ok".utf8))
        try await site.server.connectionEnded(0)
        #expect(site.server.requests.count == 2)
    }

    // MARK: Connections

    @Test func misdirectedRequestIsSentOnANewConnection() async throws {
        site.server.enqueue(.text("first"), .status(421), .text("ok"), .text("last"))
        let client = client { $0.retryPolicy = .standard }
        #expect(try await Fetch<String>(.get("/a"), of: client).promise.value == "first")
        #expect(try await Fetch<String>(.post("/a", body: .string("x")), of: client).promise.value == "ok")
        #expect(try await Fetch<String>(.get("/a"), of: client).promise.value == "last")
        let connections = site.server.requests.map(\.connection)
        #expect(connections[1] == connections[0])
        #expect(connections[2] != connections[1])
        #expect(site.server.connections.accepted == 2)
    }

    // MARK: Budgets

    @Test func closureRunsOnceForEachFailure() async throws {
        site.server.answer("/a", with: .status(503))
        let runs = Mutex(0)
        let client = client {
            $0.retryBudget = RetryBudget(burst: 1, perRequest: 0, perSecond: 0)
            $0.retryPolicy = .custom { _ in
                runs.withLock { $0 += 1 }
                return .zero
            }
        }
        let call = Fetch<String>(.get("/a"), of: client).start()
        _ = await refusal(of: call.promise)
        #expect(call.attempts.last?.retry?.reason == .noBudget)
        #expect(call.attempts.count == 2)
        #expect(runs.withLock(\.self) == 2)
    }

    @Test func budgetComesBackAlthoughTheTimeOfDayGoesBack() async throws {
        site.server.answer("/a", with: .status(503))
        let clock = ManualClock()
        let time = Mutex(2_000_000_000.0)
        let client = client {
            $0.clock = clock
            $0.now = {
                Date(
                    timeIntervalSince1970: time.withLock {
                        $0 -= 1
                        return $0
                    })
            }
            $0.retryBudget = RetryBudget(burst: 2, perRequest: 0, perSecond: 1)
        }
        for _ in 0..<2 {
            let call = Fetch<String>(.get("/a"), of: client).start()
            _ = await refusal(of: call.promise)
            #expect(call.attempts.count == 3)
            clock.advance(by: .seconds(2))
        }
    }
}
