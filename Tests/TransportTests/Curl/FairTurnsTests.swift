#if os(Linux)
    import Foundation
    import LoopbackServer
    import Synchronization
    import TangoRequest
    import Testing
    import TangoAuth

    @testable import TestSupport

    /// Fast and long responses beside other work of the transport.
    @Suite(.timeLimit(.minutes(20))) struct FairTurnsTests {
        @Test func cancelledResponsesAreReadNoFurther() async throws {
            let crowd = try await Crowd()
            try await crowd.fillWhileHeld { crowd.cancel() }
            for arrival in crowd.arrivals {
                await #expect(throws: CancellationError.self) { try await within { try await arrival.response } }
            }
            #expect(crowd.received < crowd.filled / 8)
            await crowd.transport.shutdown()
        }

        @Test func responsesAreReadNoFurtherAfterTheirDeadline() async throws {
            // A machine under load may need longer than the first limit until all responses have begun.
            for limit in [Duration.seconds(1), .seconds(8), .seconds(64)] {
                let crowd = try await Crowd(attempt: limit)
                let deadline = ContinuousClock.now + limit
                try await crowd.fillWhileHeld { try await Task.sleep(until: deadline, clock: .continuous) }
                for arrival in crowd.arrivals {
                    let error = try await failure { try await within { try await arrival.response } }
                    #expect(error.code == .attemptTimedOut)
                }
                await crowd.transport.shutdown()
                guard crowd.isFilled else { continue }
                return #expect(crowd.received < crowd.filled / 8)
            }
            Issue.record("the responses did not begin in time")
        }

        @Test(arguments: [TransportOptions.Delivery.whole(limit: nil), .stream])
        func responsesThatTakeTurnsArriveWhole(_ delivery: TransportOptions.Delivery) async throws {
            let site = try Site()
            let (server, transport) = (site.server, CurlTransport(CurlConfiguration(proxy: .direct)))
            let size = 3_000_000
            let bodies: [Response] = [
                .generated(bytes: size), .generated(bytes: size).chunked(size: 1_000_000),
                .generated(bytes: size).chunked(size: 1000), .generated(bytes: size).closing(),
            ]
            for (number, body) in bodies.enumerated() { server.answer("/\(number)", with: body) }
            try await within {
                try await withThrowingTaskGroup { group in
                    for number in 0..<20 {
                        let method = number % 3 == 0 ? HTTPMethod.get : .put
                        let sent: Body = method == .get ? .none : .data(Data(count: number % 3 == 1 ? 10 : 100_000))
                        let request = HTTPRequest(method, server, "/\(number % bodies.count)", body: sent)
                        group.addTask {
                            var response = try await transport.send(
                                request, options: TransportOptions(delivery: delivery))
                            try await response.collect()
                            #expect(response.body == generated(size))
                        }
                    }
                    try await group.waitForAll()
                }
            }
            await transport.shutdown()
        }

        @Test func shutdownReleasesResponsesThatTakeTurns() async throws {
            let released = Gate()
            do {
                let token = Token(released)
                let crowd = try await Crowd { _ in withExtendedLifetime(token) {} }
                try await crowd.fillWhileHeld {}
                await crowd.transport.shutdown()
                for arrival in crowd.arrivals {
                    let error = try await failure { try await within { try await arrival.response } }
                    #expect(error.code == .shutDown)
                }
            }
            try await within { try await released.opened() }
        }

        private final class Token: Sendable {
            private let released: Gate

            init(_ released: Gate) { self.released = released }

            deinit { released.open() }
        }
    }
#endif
