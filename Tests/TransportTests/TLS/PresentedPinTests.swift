#if os(Linux)
    import Foundation
    import LoopbackServer
    import Testing

    @testable import TangoRequest
    @testable import TestSupport

    /// Servers whose key is not pinned.
    @Suite(.enabled(if: Nginx.isThere, Comment(rawValue: Nginx.comment)), .timeLimit(.minutes(20)))
    struct PresentedPinTests {
        private func transport() -> CurlTransport {
            CurlTransport(
                CurlConfiguration(proxy: .direct, addresses: ["right.test": ["127.0.0.1"]]))
        }

        @Test func errorShowsThePinOfTheServer() async throws {
            let server = try await Nginx.server
            let trust = server.trust + .pins([try server.certificates.pin("other")])
            let transport = transport()
            let error = try #require(
                await refusal {
                    try await transport.send(
                        HTTPRequest(url: server.url(.right)), options: TransportOptions(trust: trust))
                })
            #expect(error.trustFailure == .wrongPin)
            let pin = try #require(PublicKeyPin(try server.certificates.pin("right")))
            #expect(error.detail.contains("the key of right.test is \(pin), which is not pinned"), "\(error.detail)")
            // The text is a rule that the server passes.
            let pasted = server.trust + .pins([pin.description])
            let response = try await transport.send(
                HTTPRequest(url: server.url(.right)), options: TransportOptions(trust: pasted))
            #expect(response.status == 200)
            await transport.shutdown()
        }

        @Test(arguments: [TransportOptions.Delivery.whole(limit: nil), .stream])
        func reportLetsTheRequestGoOn(_ delivery: TransportOptions.Delivery) async throws {
            let server = try await Nginx.server
            let other = try server.certificates.pin("other")
            let reports = Recorded<PinReport>()
            let trust = server.trust + .pins([other], reportOnly: { reports.add($0) })
            let transport = transport()
            for _ in 0..<3 {
                var response = try await transport.send(
                    HTTPRequest(url: server.url(.right)), options: TransportOptions(trust: trust, delivery: delivery))
                try await response.collect(upTo: nil)
                #expect(response.status == 200)
            }
            let report = try #require(reports.all.first)
            #expect(report.host == "right.test")
            #expect(report.presented == PublicKeyPin(try server.certificates.pin("right")))
            #expect(report.expected == [try #require(PublicKeyPin(other))])
            // Connections are used again, and each is reported once.
            #expect(reports.all.count == 1)
            await transport.shutdown()
        }

        @Test func rightKeyIsNotReported() async throws {
            let server = try await Nginx.server
            let reports = Recorded<PinReport>()
            let right = try server.certificates.pin("right")
            let trust = server.trust + .pins([right], reportOnly: { reports.add($0) })
            let transport = transport()
            _ = try await transport.send(
                HTTPRequest(url: server.url(.right)), options: TransportOptions(trust: trust))
            #expect(reports.all.isEmpty)
            await transport.shutdown()
        }
    }
#endif
