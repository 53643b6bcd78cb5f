import LoopbackServer
import TangoCache
import TangoPromise
import TangoRequest
import Testing

@testable import TestSupport

/// The attempts of calls whose transfer goes on after they have ended.
@Suite(.timeLimit(.minutes(20))) struct JoinedAttemptsTests {
    private final class Get: Request<String> {
        let owner: Client
        init(_ owner: Client) { self.owner = owner }
        override var client: Client { owner }
        override var endpoint: Endpoint { .get("/a") }
        override var uniqueness: Uniqueness { .join }
    }

    /// Keeps a transfer in flight until all calls have joined it.
    private struct Wait: Interceptor {
        let gate: Gate

        func intercept(_ request: HTTPRequest, context: CallContext, next: Next) async throws -> HTTPResponse {
            try await gate.opened()
            return try await next(request)
        }
    }

    /// A stale response is served, and refreshed in the background.
    @Test(arguments: [false, true])
    func refreshIsAnAttemptOfAllJoinedCalls(endsFirst: Bool) async throws {
        let site = try Site()
        let gate = Gate()
        let stale = Response.text("old").header("Cache-Control", "max-age=0, stale-while-revalidate=1000")
        site.server.enqueue(stale, Response.text("new").header("Cache-Control", "max-age=1000").held(by: gate))
        let client = Client(baseURL: site.server.url, cache: MemoryStore()) { $0.timeouts = .patient }
        #expect(try await Get(client).promise.value == "old")
        if endsFirst { gate.open() }
        let haveStarted = Gate()
        let waiting = client.with { $0.interceptors = [Wait(gate: haveStarted)] }
        let calls = (0..<3).map { _ in Get(waiting).start() }
        haveStarted.open()
        for call in calls { #expect(try await call.value == "old") }
        try await gate.reached()
        #expect(calls.allSatisfy { $0.attempts.map(\.cause) == [.refresh] })
        gate.open()
        while try await Get(waiting).promise.value == "old" {}
        for call in calls {
            let attempt = try #require(call.attempts.first)
            #expect(call.attempts.count == 1)
            #expect(attempt.number == 1)
            #expect(attempt.ended != nil)
            #expect(attempt.response?.status == 200)
            #expect(attempt.error == nil)
        }
    }
}
