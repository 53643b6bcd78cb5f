import Foundation
import LoopbackServer
import Tango
import TangoMeasuring
import TangoTesting
import Testing

@testable import TestSupport

/// The recipes of the page "Seeing and testing".
@Suite(.timeLimit(.minutes(20)))
struct CookbookSeeingSnippets: CookbookPage {
    let server: LoopbackServer
    private let files = ScratchFiles()
    private let shown = Facts()
    private var file: URL { files.url.appendingPathComponent("run.har") }

    private func show(_ text: String) { shown.note(text) }

    init() throws {
        server = try LoopbackServer()
        server.answer("/users/*", with: Cookbook.ada())
    }

    @Test func logging() async throws {
        let shown = shown
        @Sendable func print(_ line: String) { shown.note(line) }
        let api = Client(baseURL: url) { $0.log = CallLog(.headers) { entry in print(entry.text) } }
        _ = try await api.get("/users/1", as: User.self).value
        #expect(shown.all.contains { $0.contains("GET") && $0.contains("/users/1") })
    }

    @Test func curlCommands() async throws {
        try await with(api) {
            let call = GetUser(id: 1).start()
            _ = try await call.value
            show(call.curlCommand ?? "not sent")
        }
        #expect(shown.all.first?.hasPrefix("curl") == true)
        #expect(shown.all.first?.contains("/users/1") == true)
    }

    @Test func recording() async throws {
        let recorder = try HARRecorder(file: file)
        let api = Client(baseURL: url) { $0.observers.append(recorder) }
        _ = try await api.get("/users/1", as: User.self).value
        recorder.close()  // `run.har` opens in the developer tools of a browser
        #expect(try Recording(file: file).exchanges.count == 1)
    }

    enum Tracing {
        @TaskLocal static var current: TraceContext?
    }

    @Test func traces() async throws {
        let trace = TraceContext()
        let api = Client(baseURL: url) { $0.attemptInterceptors = [TraceInterceptor { Tracing.current }] }
        _ = try await Tracing.$current.withValue(trace) { try await api.get("/users/1", as: User.self).value }
        let sent = try #require(server.requests.first?.headers["traceparent"])
        #expect(TraceContext(traceparent: sent)?.traceID == trace.traceID)
    }

    @Test func statistics() async throws {
        let waterfall = Waterfall()
        let api = Client(baseURL: url) {
            $0.collectsStatistics = true
            $0.observers.append(waterfall)
        }
        _ = try await api.get("/users/1", as: User.self).value
        show(waterfall.text(width: 100))
        show("\(api.statistics.total.callTimes.percentile(0.99) ?? .zero)")
        #expect(api.statistics.total.succeeded == 1)
        #expect(shown.all[0].contains("GET /users/1"))
    }

    @Test func explaining() async throws {
        server.answer("/users/1", with: Cookbook.ada().header("Cache-Control", "max-age=600"))
        let api = Client(baseURL: url, cache: MemoryStore())
        _ = try await api.get("/users/1", as: User.self).value
        try await with(api) {
            let call = GetUser(id: 1).start()
            _ = try await call.value
            if let explanation = call.explanation { show("\(explanation)") }
        }
        #expect(shown.all.first?.hasPrefix("served from the cache") == true)
    }

    @Test func stubs() async throws {
        let mock = MockTransport()
        mock.stub(.get, "/users/{id}", .json(["id": 1, "name": "Ada"]))
        mock.stub(.post, "/users", .status(503), .json(["id": 2, "name": "Grace"]).status(201))
        let api = Client(baseURL: URL(string: "https://api.example.com")) { $0.transport = mock }
        #expect(try await api.get("/users/1", as: User.self).value.name == "Ada")
        #expect(throws: MockVerificationError.self) { try mock.verify() }  // no request for POST /users
    }

    @Test func loopback() async throws {
        let server = try LoopbackServer()
        server.answer("/flaky", with: .text("fine"))
        server.enqueue(Response.text("cut off").failing(.reset, at: .responseBody), .status(503))
        let api = Client(baseURL: server.url) { $0.retryPolicy = .exponential(attempts: 3, base: .zero) }
        #expect(try await api.get("/flaky", as: String.self).value == "fine")
        #expect(server.requestCount == 3)
    }

    @Test func fixtures() async throws {
        for _ in 1...2 {
            let fixture = try HARFixture(file: file)  // the first run records, later ones need no server
            let api = Client(baseURL: url) { fixture.apply(to: &$0) }
            #expect(try await api.get("/users/1", as: User.self).value.name == "Ada")
            try fixture.finish()
        }
        #expect(server.requestCount == 1)
    }

    @Test(arguments: [true, false])
    func flag(_ isDemo: Bool) async throws {
        struct Flags { let isDemo: Bool }
        let flags = Flags(isDemo: isDemo)
        let demo = MockTransport()
        demo.stub(.get, "/users/1", .json(["id": 1, "name": "Demo"]))
        let api = Client(baseURL: url) {
            if flags.isDemo { $0.transport = demo }
        }
        let user = try await api.get("/users/1", as: User.self).value
        #expect(user.name == (isDemo ? "Demo" : "Ada"))
    }
}
