import Foundation
import LoopbackServer
import TangoCache
import TangoPromise
import Testing

@testable import TangoMeasuring
@testable import TangoRequest
@testable import TangoTesting
@testable import TestSupport

/// The counts and times of clients and calls.
@Suite(.timeLimit(.minutes(20)))
struct StatisticsTests {
    private let site: Site

    init() throws { site = try Site() }

    private func client(cache: (any CacheStore)? = nil) -> Client {
        Client(baseURL: site.server.url, cache: cache) {
            $0.timeouts = .patient
            $0.collectsStatistics = true
            $0.retryPolicy = .exponential(attempts: 2, base: .zero, cap: .zero)
        }
    }

    private func host(of client: Client) throws -> ClientStatistics.Host {
        let url = site.server.url
        return try #require(client.statistics.hosts["\(url.host ?? ""):\(url.port ?? 0)"])
    }

    @Test func callsAndAttemptsAreCounted() async throws {
        let client = client()
        site.server.enqueue(.status(503), .text("12345"), .status(404))
        _ = try await Fetch<String>(.put("/a", body: .string("123")), of: client).promise.value
        _ = try? await Fetch<String>(.get("/b"), of: client).promise.value
        let host = try host(of: client)
        #expect(host.succeeded == 1)
        #expect(host.failed == 1)
        #expect(host.calls == 2)
        #expect(host.attempts == 3)
        #expect(host.retries == 1)
        #expect(host.failedAttempts == 0)
        #expect(host.bytesSent == 6)
        #expect(host.bytesReceived >= 5)
        #expect(host.callTimes.count == 1)
        #expect(host.attemptTimes.count == 3)
        let median = try #require(host.callTimes.percentile(0.5))
        #expect(median > .zero)
        #expect(median <= host.callTimes.max)
        #expect(client.statistics.total == host)
        client.resetStatistics()
        #expect(client.statistics == ClientStatistics())
    }

    @Test func lostConnectionIsAFailedAttempt() async throws {
        let client = client()
        site.server.enqueue(Response.text("lost").failing(.reset, at: .response), .text("ok"))
        _ = try await Fetch<String>(.get("/a"), of: client).promise.value
        let host = try host(of: client)
        #expect(host.failedAttempts == 1)
        #expect(host.attempts == 2)
        #expect(host.succeeded == 1)
    }

    @Test func responsesFromTheCacheAreCounted() async throws {
        let client = client(cache: MemoryStore())
        site.server.answer("/a", with: Response.text("a").header("Cache-Control", "max-age=600"))
        site.server.enqueue(
            Response.text("b").header("ETag", "\"1\"").header("Cache-Control", "no-cache"), .status(304))
        for _ in 1...2 { _ = try await Fetch<String>(.get("/b"), of: client).promise.value }
        for _ in 1...3 { _ = try await Fetch<String>(.get("/a"), of: client).promise.value }
        let host = try host(of: client)
        #expect(host.succeeded == 5)
        #expect(host.cacheHits == 2)
        #expect(host.cacheValidations == 1)
        #expect(host.attempts == 3)
    }

    @Test func sharedTransferIsOneAttempt() async throws {
        let client = Client(baseURL: site.server.url) {
            $0.collectsStatistics = true
            $0.uniqueness = .join
        }
        let gate = Gate()
        site.server.answer("/a", with: Response.text("ok").held(by: gate))
        let calls = (0..<3).map { _ in Fetch<String>(.get("/a"), of: client).start() }
        try await gate.reached()
        gate.open()
        for call in calls { _ = try await call.value }
        let host = try host(of: client)
        #expect(host.succeeded == 3)
        #expect(host.attempts == 1)
        #expect(host.joined == 2)
    }

    @Test func cancelledCallIsCounted() async throws {
        let client = client()
        let gate = Gate()
        site.server.answer("/a", with: Response.text("ok").held(by: gate))
        let call = Fetch<String>(.get("/a"), of: client).start()
        try await gate.reached()
        call.cancel()
        gate.open()
        await client.shutdown()
        let host = try host(of: client)
        #expect(host.cancelled == 1)
        #expect(host.callTimes.count == 0)
        #expect(host.failedAttempts == 0)
    }

    @Test func withoutTheSettingNothingIsCounted() async throws {
        let client = Client(baseURL: site.server.url)
        site.server.answer("/a", with: .text("ok"))
        _ = try await Fetch<String>(.get("/a"), of: client).promise.value
        #expect(client.statistics.hosts.isEmpty)
        #expect("\(client.statistics)" == "no calls")
        client.resetStatistics()
    }

    @Test func statisticsKeepTheDirectPath() async throws {
        site.server.answer("/a", with: .text("ok"))
        let client = client()
        let call = Fetch<String>(.get("/a"), of: client).start()
        _ = try await call.value
        #expect(
            client.pipeline.hasStages
                == Client(baseURL: site.server.url) {
                    $0.retryPolicy = .exponential(attempts: 2, base: .zero, cap: .zero)
                }.pipeline.hasStages)
        #expect(call.core.events == nil)
    }

    @Test func hostsAreLimited() {
        var statistics = ClientStatistics()
        for number in 0..<1_000 { statistics.update("host\(number)") { $0.succeeded += 1 } }
        #expect(statistics.hosts.count == 257)
        #expect(statistics.hosts["host0"]?.succeeded == 1)
        #expect(statistics.hosts["other"]?.succeeded == 744)
        #expect(statistics.total.succeeded == 1_000)
    }

    // MARK: Prometheus

    @Test func prometheusTextHasTheGrammar() throws {
        var statistics = ClientStatistics()
        for name in ["api.example.com", #"a"b\c"#] {
            statistics.update(name) { host in
                host.succeeded = 2
                host.callTimes.add(.milliseconds(250))
                host.callTimes.add(.milliseconds(250))
            }
        }
        let text = statistics.prometheus
        var families: Set<Substring> = []
        for line in text.split(separator: "\n") {
            if line.hasPrefix("# TYPE ") {
                #expect(families.insert(line.split(separator: " ")[2]).inserted)
                #expect(line.hasSuffix(" counter") || line.hasSuffix(" summary"))
            } else if !line.hasPrefix("# HELP ") {
                let sample = /^([a-z_]+)\{host="((?:[^"\\\n]|\\\\|\\"|\\n)*)"(,[a-z]+="[^"]*")*\} (NaN|[0-9.e+-]+)$/
                let match = try #require(line.wholeMatch(of: sample), "\(line)")
                let family = match.1.replacing(/_(sum|count)$/, with: "")
                #expect(families.contains(family[...]), "\(line)")
            }
        }
        #expect(text.hasSuffix("\n"))
        #expect(text.contains(#"tango_calls_total{host="api.example.com",result="success"} 2"# + "\n"))
        #expect(text.contains(#"tango_call_seconds_sum{host="a\"b\\c"} 0.5"# + "\n"))
        #expect(text.contains(#"tango_call_seconds_count{host="a\"b\\c"} 2"# + "\n"))
        #expect(text.contains(#"tango_attempt_seconds{host="api.example.com",quantile="0.5"} NaN"# + "\n"))
    }

    // MARK: Timelines

    @Test func timelineHasAllAttempts() async throws {
        let mock = MockTransport()
        let clock = ManualClock()
        mock.stub(.get, "/a", .status(503), .text("12345"))
        let client = Client(baseURL: URL(string: "https://api.example.com")) {
            $0.transport = mock
            $0.clock = clock
            $0.collectsStatistics = true
            $0.retryPolicy = .exponential(attempts: 2, base: .seconds(1), cap: .seconds(1))
        }
        let call = Fetch<String>(.get("/a"), of: client).start()
        await clock.sleepers(1)
        clock.advance(by: .seconds(5))
        _ = try await call.value
        let timeline = call.timeline
        let duration = try #require(timeline.duration)
        let decoding = try #require(timeline.decoding)
        #expect(timeline.attempts.count == 2)
        #expect(timeline.phases.count == 2)
        #expect(timeline.gaps.map(\.afterAttempt).contains(1))
        #expect(timeline.gaps.map(\.duration).reduce(decoding, +) <= duration)
        #expect(timeline.bytesReceived == 5)
        #expect(timeline.bytesDecoded == 5)
        #expect(timeline.source == .network)
        #expect(timeline.version == .http1_1)
    }

    @Test func timelineOfACallThatNothingMeasuresIsThatOfItsAttempts() async throws {
        site.server.answer("/a", with: .text("ok"))
        let call = Fetch<String>(.get("/a"), of: Client(baseURL: site.server.url)).start()
        _ = try await call.value
        #expect(call.timeline.started == call.attempts[0].started)
        #expect(call.timeline.ended == call.attempts[0].ended)
        #expect(call.timeline.decoding == nil)
        #expect(call.timeline.phases[0].wait != nil)
        #expect(call.timeline.gaps.isEmpty)
    }
}
