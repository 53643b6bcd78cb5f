#if os(Linux)
    import Foundation
    import LoopbackServer
    import Synchronization
    import TangoRequest
    import Testing

    /// Fast and long responses beside other work of the transport.
    @Suite(.timeLimit(.minutes(20))) struct FairTurnsTests {
        @Test func cancelledResponsesAreReadNoFurther() async throws {
            let crowd = try await Crowd()
            try await crowd.fillWhileHeld { crowd.cancel() }
            for arrival in crowd.arrivals {
                await #expect(throws: CancellationError.self) { try await within { try await arrival.response } }
            }
            #expect(crowd.received < Crowd.filled / 8)
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
                return #expect(crowd.received < Crowd.filled / 8)
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

    /// Responses in flight whose bodies never end, and a transport whose thread can be held.
    private final class Crowd: Sendable {
        static let count = 12
        /// The number of bytes that have arrived for all responses before the thread continues.
        static let filled = count * (512 << 10)

        let transport = CurlTransport(CurlConfiguration(proxy: .direct))
        let arrivals = (0..<count).map { _ in Arrival() }
        private let progress = (0..<count).map { _ in TransportProgress() }
        private let mayFill = DispatchSemaphore(value: 0)
        private let full = Recorded<Bool>()
        private let tasks = Recorded<TransportTask>()
        private let server: RawListener
        private let other: Site

        /// Returns once all responses have begun.
        init(attempt: Duration? = nil, onEvent: (@Sendable (TransportEvent) -> Void)? = nil) async throws {
            let first = Array("HTTP/1.1 200 OK\r\nContent-Length: 100000000000\r\n\r\n1".utf8)
            other = try Site()
            server = try RawListener { [mayFill, full] connection in
                guard connection.read() != nil, connection.write(first) else { return }
                mayFill.wait()
                let block = [UInt8](repeating: 0, count: 64 << 10)
                let isFilled = (0..<8).allSatisfy { _ in connection.write(block) }
                full.add(isFilled)
                while isFilled, connection.write(block) {}
            }
            let url = try #require(URL(string: "http://127.0.0.1:\(server.port)/"))
            for (arrival, progress) in zip(arrivals, progress) {
                var options = TransportOptions(timeouts: Timeouts(attempt: attempt), delivery: .whole(limit: nil))
                options.progress = progress
                options.onEvent = onEvent
                tasks.add(transport.start(HTTPRequest(url: url), options: options, completion: arrival.completion))
            }
            try await within { [progress] in
                while progress.contains(where: { $0.snapshot.received == 0 }) { await Task.yield() }
            }
        }

        /// The number of bytes that the transport has read.
        var received: Int { progress.reduce(0) { $0 + $1.snapshot.received } }

        /// A Boolean value that indicates whether all responses were in flight when the thread continued.
        var isFilled: Bool { full.all.allSatisfy { $0 } }

        func cancel() {
            for task in tasks.all { task.cancel() }
        }

        /// Holds the transport's thread in a completion, fills the buffers of all sockets, does some work, and lets the
        /// thread continue.
        func fillWhileHeld(_ work: () async throws -> Void) async throws {
            let (gate, isHeld, mayContinue) = (Gate(), Gate(), DispatchSemaphore(value: 0))
            other.server.enqueue(Response.text("other").held(by: gate))
            _ = transport.start(HTTPRequest(.get, other.server), options: TransportOptions()) { _ in
                isHeld.open()
                mayContinue.wait()
            }
            try await gate.reached()
            gate.open()
            try await isHeld.opened()
            for _ in 0..<Self.count { mayFill.signal() }
            try await within { [full] in
                while full.all.count < Self.count { await Task.yield() }
            }
            try await work()
            mayContinue.signal()
        }
    }
#endif
