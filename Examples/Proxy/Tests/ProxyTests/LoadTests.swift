import Foundation
import LoopbackServer
import Synchronization
import Tango
import TangoMeasuring
import Testing

@testable import Proxy

/// Many clients at once, before a server that is slow or fails.
@Suite(.timeLimit(.minutes(2))) struct LoadTests {
    let upstream: Upstream

    init() throws {
        upstream = try Upstream()
    }

    /// Sends a thousand requests, 50 at once, and returns their statuses with counts.
    private func thousandRequests(
        to gateway: Gateway, _ path: @escaping @Sendable (Int) -> String
    ) async throws -> [Int: Int] {
        let visitor = Visitor(gateway)
        let statuses = try await Promise.all(1...1000, limit: 50) { number in
            Promise { try await visitor.get(path(number)).status.rawValue }
        }.value
        return Dictionary(grouping: statuses) { $0 }.mapValues(\.count)
    }

    @Test func limitCacheAndMetricsHoldBeforeASlowServer() async throws {
        upstream.respond(to: "/items/*", after: .milliseconds(3)) { request in
            .text("item \(request.path)").header("Cache-Control", "max-age=600")
        }
        upstream.respond(to: "/live/*", after: .milliseconds(3)) { request in
            .text("live \(request.path)").header("Cache-Control", "no-store")
        }
        let gateway = try upstream.gateway { $0.limit = 8 }
        // Three of four requests are for 20 resources that may be cached.
        let statuses = try await thousandRequests(to: gateway) { number in
            number.isMultiple(of: 4) ? "/live/\(number)" : "/items/\(number % 20)"
        }
        #expect(statuses == [200: 1000])
        #expect(upstream.mostAtOnce == 8)

        let paths = Dictionary(grouping: upstream.server.requests.map(\.path)) { $0 }.mapValues(\.count)
        #expect(paths.filter { $0.key.hasPrefix("/items/") }.allSatisfy { $0.value == 1 })
        #expect(paths.filter { $0.key.hasPrefix("/items/") }.count == 15)
        #expect(paths.filter { $0.key.hasPrefix("/live/") }.count == 250)

        let total = gateway.upstream.statistics.total
        #expect(total.calls == 1000)
        #expect(total.succeeded == 1000)
        #expect(total.attempts == upstream.server.requestCount)
        #expect(total.attempts == 265)
        // A call that joined one which was served from the cache counts as both.
        #expect(total.cacheHits + total.joined >= 735)
        #expect((500...735).contains(total.cacheHits))
        #expect(total.retries == 0)
        let host = "127.0.0.1:\(upstream.server.port)"
        let metrics = try await Visitor(gateway).get("/metrics").text
        #expect(metrics.contains("proxy_responses_total{status=\"200\"} 1000\n"))
        #expect(metrics.contains("tango_calls_total{host=\"\(host)\",result=\"success\"} 1000\n"))
        await gateway.shutdown()
    }

    @Test func retriesHideAServerThatFailsNowAndThen() async throws {
        let failed = Mutex<Set<String>>([])
        // The first request for every tenth resource fails.
        upstream.respond(to: "/live/*", after: .milliseconds(1)) { request in
            let isFirst = failed.withLock { $0.insert(request.path).inserted }
            return request.path.hasSuffix("0") && isFirst
                ? .status(503) : .text("ok").header("Cache-Control", "no-store")
        }
        let gateway = try upstream.gateway { $0.budget = RetryBudget(burst: 100, perRequest: 0.1, perSecond: 0) }
        #expect(try await thousandRequests(to: gateway) { number in "/live/\(number)" } == [200: 1000])
        let total = gateway.upstream.statistics.total
        #expect(total.retries == 100)
        #expect(total.attempts == 1100)
        #expect(total.attempts == upstream.server.requestCount)
        await gateway.shutdown()
    }

    @Test func budgetBoundsTheRequestsToAServerThatFails() async throws {
        upstream.respond(to: "/live/*", after: .milliseconds(1)) { _ in .text("broken", status: 503) }
        let gateway = try upstream.gateway { $0.budget = RetryBudget(burst: 20, perRequest: 0.1, perSecond: 0) }
        #expect(try await thousandRequests(to: gateway) { number in "/live/\(number)" } == [503: 1000])
        let total = gateway.upstream.statistics.total
        #expect(total.failed == 1000)
        #expect((100...120).contains(total.retries))
        #expect(upstream.server.requestCount == 1000 + total.retries)
        #expect(gateway.metrics.contains("proxy_responses_total{status=\"503\"} 1000\n"))
        await gateway.shutdown()
    }

    @Test func fullQueueIsRefusedAtOnce() async throws {
        let gate = Gate()
        upstream.server.answer("/slow/*", with: .text("late").header("Cache-Control", "no-store").held(by: gate))
        let gateway = try upstream.gateway { ($0.limit, $0.queue) = (1, 1) }
        let visitor = Visitor(gateway)
        let calls = (1...3).map { number in Promise { try await visitor.get("/slow/\(number)") } }
        // The others go on, because they have a second consumer.
        let all = Promise.all(calls)
        let refused = try await Promise.race(calls).value
        #expect(refused.status == .serviceUnavailable)
        #expect(refused.headers["Retry-After"] == "1")
        #expect(refused.text == #"{"error": "queueFull"}"#)
        gate.open()
        #expect(try await all.value.map(\.status.rawValue).sorted() == [200, 200, 503])
        await gateway.shutdown()
    }
}
