import Foundation
import LoopbackServer
import Tango
import TangoMeasuring
import Testing

@testable import TestSupport

/// The snippets of the article on measuring, and those in comments.
@Suite(.timeLimit(.minutes(20)))
struct MeasuringSnippets: SampleAPI {
    @Test func measuringACall() async throws {
        let call = GetUser(id: 1).start()
        let user = try await call.value
        print(call.metrics?.firstByte ?? "unknown")
        for phases in call.timeline.phases { print(phases.connect ?? .zero, phases.wait ?? .zero) }
        print(call.timeline.gaps.map(\.duration))
        #expect(user.name == "Ada")
    }

    @Test func statistics() async throws {
        let url = server.url
        let api = Client(baseURL: url) { $0.collectsStatistics = true }
        _ = try await api.get("/users/1", as: Data.self).value
        #expect(api.statistics.total.succeeded == 1)
        print(api.statistics)
        let host = api.statistics.hosts["api.example.com"]
        print(host?.cacheHits ?? 0, host?.callTimes.percentile(0.99) ?? .zero)
        api.resetStatistics()
    }

    @Test func waterfall() async throws {
        let files = ScratchFiles()
        let page = files.url.appendingPathComponent("run.html")
        let picture = files.url.appendingPathComponent("run.svg")
        let url = server.url
        let waterfall = Waterfall()
        let api = Client(baseURL: url) { $0.observers.append(waterfall) }
        _ = try await api.get("/users/1", as: Data.self).value
        print(waterfall.text(width: 100))
        try waterfall.html(title: "Launch").write(to: page, atomically: true, encoding: .utf8)
        try waterfall.svg().write(to: picture, atomically: true, encoding: .utf8)
        #expect(try String(contentsOf: picture, encoding: .utf8).hasPrefix("<svg"))
        #expect(try String(contentsOf: page, encoding: .utf8).hasPrefix("<!DOCTYPE html>"))
    }
}
