#if os(Linux)
    import Testing

    @testable import TangoCurl
    @testable import TangoRequest
    @testable import TestSupport

    /// The pauses of a socket that stays writable although nothing is sent.
    struct WriteBackoffTests {
        private static let start: Int64 = 1_000_000_000

        /// The pause after each turn, in milliseconds, or nil for none. All turns happen at the same time.
        ///
        /// - Parameter totals: The count of sent bytes at each turn.
        private func rests(_ totals: [Int64?]) -> [Int64?] {
            var backoff = WriteBackoff()
            return totals.map { total in
                guard backoff.turn(total, at: Self.start) else { return nil }
                return ((backoff.end ?? 0) - Self.start) / 1_000_000
            }
        }

        @Test func noPauseWhileBytesAreWritten() {
            #expect(rests([0, 1, 2, 3, 4, 5]) == [nil, nil, nil, nil, nil, nil])
        }

        @Test func pausesGrowWithEachTurnThatWritesNothing() {
            #expect(
                rests([7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7]) == [nil, nil, nil, 1, 2, 4, 8, 16, 32, 64, 64])
        }

        @Test func writtenByteResetsTheCount() {
            #expect(rests([7, 7, 7, 7, 8, 8, 8, 8]) == [nil, nil, nil, 1, nil, nil, nil, 1])
        }

        @Test func unknownCountCausesNoPause() {
            #expect(rests([nil, nil, nil, nil, nil]) == [nil, nil, nil, nil, nil])
        }

        @Test func pauseEndsOnTimeAndTheNextIsLonger() {
            var backoff = WriteBackoff()
            for _ in 0..<4 { _ = backoff.turn(7, at: Self.start) }
            let wakes = [999_999, 1_000_000, 1_000_000].map { backoff.wake(at: Self.start + $0) }
            #expect(wakes == [false, true, false])
            let rests = backoff.turn(7, at: Self.start)
            #expect(rests)
            #expect(backoff.end == Self.start + 2_000_000)
        }

        @Test func resetClearsTheCount() {
            var backoff = WriteBackoff()
            for _ in 0..<6 { _ = backoff.turn(7, at: Self.start) }
            backoff.reset()
            #expect(backoff.end == nil)
            let rests = backoff.turn(7, at: Self.start)
            #expect(!rests)
        }
    }
#endif
