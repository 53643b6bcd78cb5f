#if os(Linux)
    import Foundation
    import LoopbackServer
    import Synchronization
    import Testing

    @testable import TangoCurl
    @testable import TangoRequest
    @testable import TestSupport

    /// The bounds of a turn of the loop.
    struct CurlTurnTests {
        @Test func transfersContinueForTwoMilliseconds() {
            let turn = CurlTurn(at: 1_000_000_000)
            #expect(
                [0, 1, 1_999_999, 2_000_000, 3_000_000].map { turn.mayContinue(at: 1_000_000_000 + $0) }
                    == [true, true, true, false, false])
        }

        @Test(arguments: [
            ([128 << 10], [false]), ([(128 << 10) - 1, 1, 1], [true, false, false]), ([0, 1 << 30], [true, false]),
        ])
        func transferGivesWayAfterItsAllowance(_ counts: [Int], _ mayGoOn: [Bool]) {
            var allowance = CurlTurn.Allowance()
            #expect(counts.map { allowance.spend($0) } == mayGoOn)
        }

        /// Blocks the thread of a transport's loop, within the delivery of a response, while `body` runs.
        private func blocking(
            _ transport: CurlTransport, _ server: LoopbackServer,
            _ body: (_ goOn: @escaping @Sendable () -> Void) async throws -> Void
        ) async throws {
            let (gate, mayGoOn) = (Gate(), DispatchSemaphore(value: 0))
            server.answer("/first", with: .text("x").held(by: gate))
            await withCheckedContinuation { (isBlocked: CheckedContinuation<Void, Never>) in
                _ = transport.start(HTTPRequest(.get, server, "/first"), options: TransportOptions()) { _ in
                    isBlocked.resume()
                    mayGoOn.wait()
                }
                Task {
                    try await gate.reached()
                    gate.open()
                }
            }
            try await body { mayGoOn.signal() }
        }

        private static let count = 2 * CurlTurn.mostStarts + 1

        /// The thread of the loop delivers the failures of the first requests before it sends the others. So these find the
        /// server that is started meanwhile.
        @Test func othersWaitWhileSomeRequestsBegin() async throws {
            let path = "/tmp/turn-\(UInt32.random(in: 0...(.max))).socket"
            let transport = CurlTransport(CurlConfiguration(unixSocket: path))
            let first = try LoopbackServer(unixSocket: path)
            let second = Mutex<LoopbackServer?>(nil)
            let found = Mutex<[Bool]>([])
            try await blocking(transport, first) { goOn in
                first.stop()
                await withCheckedContinuation { (haveEnded: CheckedContinuation<Void, Never>) in
                    for _ in 0..<Self.count {
                        _ = transport.start(HTTPRequest(.get, first), options: TransportOptions()) { response in
                            second.withLock { server in
                                if server == nil { server = try? LoopbackServer(unixSocket: path) }
                                server?.answer(with: .text("y"))
                            }
                            let hasResponse = (try? response()) != nil
                            let haveAll = found.withLock { found in
                                found.append(hasResponse)
                                return found.count == Self.count
                            }
                            if haveAll { haveEnded.resume() }
                        }
                    }
                    goOn()
                }
            }
            #expect(found.withLock { $0 } == (0..<Self.count).map { $0 >= CurlTurn.mostStarts })
            await transport.shutdown()
        }

        enum End: CaseIterable { case cancel, shutdown }

        /// Requests that wait for their turn are not sent any more, and each ends once.
        @Test(arguments: End.allCases)
        func requestThatWaitsForItsTurnMayEnd(_ end: End) async throws {
            let transport = CurlTransport()
            let server = try LoopbackServer()
            server.answer(with: .text("y"))
            let endings = Mutex<[Int: [String]]>([:])
            try await blocking(transport, server) { goOn in
                let tasks = (0..<Self.count).map { number in
                    transport.start(HTTPRequest(.get, server, "/\(number)"), options: TransportOptions()) { response in
                        let ending: String
                        do {
                            ending = "\(try response().status)"
                        } catch {
                            ending = (error as? RequestError)?.code.rawValue ?? "\(type(of: error))"
                        }
                        endings.withLock { $0[number, default: []].append(ending) }
                    }
                }
                if end == .cancel { tasks.last?.cancel() }
                async let isShutDown: Void = end == .shutdown ? transport.shutdown() : ()
                goOn()
                await isShutDown
                while endings.withLock({ $0.count }) < Self.count { await Task.yield() }
            }
            await transport.shutdown()
            let all = endings.withLock { $0 }
            switch end {
            case .cancel:
                let others = Array(repeating: ["200"], count: Self.count - 1)
                #expect((0..<Self.count).map { all[$0] } == others + [["CancellationError"]])
                #expect(server.requestCount == Self.count)
            case .shutdown:
                #expect(all.values.allSatisfy { $0 == ["200"] || $0 == ["shutDown"] })
            }
        }
    }
#endif
