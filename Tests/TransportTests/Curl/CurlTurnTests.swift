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

        /// The thread of the loop delivers the failures of the first requests before it sends the others. So these find the
        /// server that is started meanwhile.
        @Test func othersWaitWhileSomeRequestsBegin() async throws {
            let path = "/tmp/turn-\(UInt32.random(in: 0...(.max))).socket"
            let transport = CurlTransport(CurlConfiguration(unixSocket: path))
            let gate = Gate()
            let first = try LoopbackServer(unixSocket: path)
            first.answer(with: .text("x").held(by: gate))
            let mayGoOn = DispatchSemaphore(value: 0)
            await withCheckedContinuation { (isBlocked: CheckedContinuation<Void, Never>) in
                _ = transport.start(HTTPRequest(.get, first), options: TransportOptions()) { _ in
                    isBlocked.resume()
                    mayGoOn.wait()
                }
                Task {
                    try await gate.reached()
                    gate.open()
                }
            }
            first.stop()
            let count = 2 * CurlTurn.mostStarts + 1
            let second = Mutex<LoopbackServer?>(nil)
            let found = Mutex<[Bool]>([])
            await withCheckedContinuation { (haveEnded: CheckedContinuation<Void, Never>) in
                for _ in 0..<count {
                    _ = transport.start(HTTPRequest(.get, first), options: TransportOptions()) { response in
                        second.withLock { server in
                            if server == nil { server = try? LoopbackServer(unixSocket: path) }
                            server?.answer(with: .text("y"))
                        }
                        let hasResponse = (try? response()) != nil
                        let haveAll = found.withLock { found in
                            found.append(hasResponse)
                            return found.count == count
                        }
                        if haveAll { haveEnded.resume() }
                    }
                }
                mayGoOn.signal()
            }
            let begun = CurlTurn.mostStarts
            #expect(found.withLock { $0 } == (0..<count).map { $0 >= begun })
            await transport.shutdown()
        }
    }
#endif
