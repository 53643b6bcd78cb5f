#if os(Linux)
    import Foundation
    import LoopbackServer
    import Testing

    @testable import TangoTransport
    @testable import TangoCurl
    @testable import TangoRequest
    @testable import TestSupport

    /// The callbacks of a transfer for libcurl, without a server.
    @Suite(.timeLimit(.minutes(20))) struct CurlTransferTests {
        private func with(
            _ method: HTTPMethod, _ body: Body, _ work: (CurlTransfer, CurlLoop) async throws -> Void
        ) async throws {
            try CurlLibrary.require()
            let loop = try CurlLoop(CurlConfiguration())
            let url = try #require(URL(string: "https://a.test/"))
            let options = TransportOptions().timing(idle: .seconds(60))
            let request = HTTPRequest(method: method, url: url, body: body)
            // The thread of the loop has ended, so the loop only runs inside `submit`.
            loop.submit(.shutDown)
            await loop.ended()
            let transfer = try CurlTransfer(request, options: options, on: loop) { _ in }
            try await work(transfer, loop)
        }

        @Test("sent bytes extend the idle timeout, an unchanged count does not")
        func sentBytesExtendTheIdleTimeout() async throws {
            try await with(.put, .data(Data(count: 1_000_000))) { transfer, loop in
                transfer.isAdded = true
                #expect(transfer.countsWhatPasses)
                #expect(transfer.announce(from: 0))
                let start = loop.now
                loop.now += 50_000_000_000
                transfer.pass(100)
                #expect(transfer.deadline.time == start + 110_000_000_000)
                loop.now += 50_000_000_000
                transfer.pass(100)
                #expect(transfer.deadline.time == start + 110_000_000_000)
                transfer.isAdded = false
            }
        }

        @Test(arguments: [
            (HTTPMethod.get, false, false), (.post, false, true), (.post, true, false), (.put, false, false),
        ])
        func unannouncedPostsUseNewConnections(_ method: HTTPMethod, _ isAnnounced: Bool, _ isAlone: Bool) throws {
            let request = HTTPRequest(method: method, url: try #require(URL(string: "http://a.test/")))
            #expect(CurlTransfer.staysAlone(request, isAnnounced: isAnnounced) == isAlone)
        }

        @Test(
            arguments: [
                (nil, Int(Int32.max)), (.seconds(Int64.max), Int(Int32.max)), (.seconds(1 << 20), Int(Int32.max)),
                (.seconds((1 << 20) - 1), ((1 << 20) - 1) * 1000), (.seconds(2), 2000), (.milliseconds(1), 1),
                (.microseconds(1), 1), (.zero, 1), (.nanoseconds(-1), 1), (.milliseconds(-1500), 1),
                (.seconds(Int64.min), 1),
            ] as [(Duration?, Int)])
        func timeoutsAreClampedToTheRangeOfLibcurl(_ duration: Duration?, _ milliseconds: Int) {
            #expect(duration.milliseconds == milliseconds)
        }

        /// libcurl begins to count when it begins to connect, which is later.
        @Test func exchangeEndsAfterItsRequestWasSent() {
            var metrics = CurlMetrics()
            metrics.finished = 5_000
            metrics.take(CurlMetrics.OwnTimes(start: 7, sending: 20_000_007, head: nil, end: 26_000_007))
            #expect(metrics.public.requestStarted == .milliseconds(20))
            #expect(metrics.public.finished == .milliseconds(26))
            #expect(metrics.public.phases.wait == .milliseconds(6))
            #expect(metrics.public.phases.receive == nil)
        }
    }
#endif
