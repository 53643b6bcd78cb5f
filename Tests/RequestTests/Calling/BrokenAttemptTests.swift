import Foundation
import LoopbackServer
import TangoPromise
import TangoRequest
import TangoTesting
import Testing

@testable import TestSupport

/// The bytes and the times of attempts that break off.
@Suite(.timeLimit(.minutes(20)))
struct BrokenAttemptTests {
    private struct Passing: Interceptor {
        func intercept(_ request: HTTPRequest, context: CallContext, next: Next) async throws -> HTTPResponse {
            try await next(request)
        }
    }

    private let site: Site

    init() throws { site = try Site() }

    @Test(arguments: [true, false], [true, false])
    func attemptThatBreaksOffHasItsBytesAndTimes(isDirect: Bool, isStream: Bool) async throws {
        site.server.enqueue(Response.generated(bytes: 4_000_000).failing(.truncate, at: .responseBody))
        let client = site.client(interceptors: isDirect ? [] : [Passing()]).with {
            $0.retryPolicy = .never
            $0.collectsStatistics = true
        }
        let call: AnyCall
        let error: RequestError?
        if isStream {
            let response = try await client.send(HTTPRequest(url: site.server.url("/a")), delivery: .stream)
            call = try #require(client.calls.first)
            error = await refusal { for try await _ in response.stream {} }
        } else {
            let fetch = Fetch<Data>(.get("/a"), of: client).start()
            call = fetch
            error = await refusal(of: fetch.promise)
        }
        #expect(error?.code == .truncated)
        #expect(error?.metrics?.bodyBytesReceived == 2_000_000)
        await client.shutdown()
        let attempt = try #require(call.attempts.first)
        #expect(attempt.bytesReceived == 2_000_000)
        #expect(attempt.response?.status == 200)
        #expect(attempt.response?.body.isEmpty == true)
        let metrics = try #require(attempt.metrics)
        #expect(try #require(metrics.firstByte) <= #require(metrics.finished))
        #expect(metrics.remoteAddress == "127.0.0.1:\(site.server.port)")
        #expect(client.statistics.total.bytesReceived == 2_000_000)
        #expect(call.timeline.bytesReceived == 2_000_000)
    }

    @Test func attemptThatBreaksOffWhileItIsSentHasItsBytesAndNoTimeOfReceiving() async throws {
        site.server.enqueue(.text("ok").failing(.stall, at: .requestHead))
        let client = site.client().with {
            $0.retryPolicy = .never
            $0.collectsStatistics = true
        }
        let call = Fetch<String>(.put("/a", body: .data(Data(count: 40_000_000))), of: client).start()
        for await progress in call.progress where progress.sent >= 100_000 { break }
        site.server.stop()
        let error = await refusal(of: call.promise)
        #expect(error?.code == .connectionLost)
        let attempt = try #require(call.attempts.first)
        #expect(attempt.response == nil)
        #expect((100_000..<40_000_000).contains(attempt.bytesSent))
        #expect(attempt.metrics?.firstByte == nil)
        let phases = try #require(call.timeline.phases.first)
        #expect(phases.receive == nil)
        #expect(try #require(phases.wait) > .zero)
        #expect(client.statistics.total.bytesSent == attempt.bytesSent)
        await client.shutdown()
    }

    @Test func mockedAttemptThatBreaksOffHasItsBytes() async throws {
        let mock = MockTransport()
        mock.stub(.get, "/a", .portions(["abc", "de"], thenFailing: .connectionLost), .text("ok"))
        let client = Client(baseURL: URL(string: "https://api.example.com")) {
            $0.transport = mock
            $0.retryPolicy = .exponential(attempts: 2, base: .zero, cap: .zero)
        }
        let call = Fetch<String>(.get("/a"), of: client).start()
        #expect(try await call.value == "ok")
        #expect(call.attempts.map(\.bytesReceived) == [5, 2])
        #expect(call.attempts[0].metrics?.firstByte != nil)
    }
}
