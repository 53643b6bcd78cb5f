#if os(Linux)
    import Testing

    @testable import TangoRequest

    /// When a socket that is writable is left alone for a while.
    struct WriteBackoffTests {
        private static let start: Int64 = 1_000_000_000

        /// How long each of some turns at the same moment makes the socket rest, in milliseconds; nil is not at all.
        private func rests(_ totals: [Int64?]) -> [Int64?] {
            var backoff = WriteBackoff()
            return totals.map { total in
                guard backoff.turn(total, at: Self.start) else { return nil }
                return ((backoff.end ?? 0) - Self.start) / 1_000_000
            }
        }

        @Test func bytesThatAreWrittenKeepTheSocketAwake() {
            #expect(rests([0, 1, 2, 3, 4, 5]) == [nil, nil, nil, nil, nil, nil])
        }

        @Test func turnsWithoutABytePutItToRestForLongerEachTime() {
            #expect(
                rests([7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7]) == [nil, nil, nil, 1, 2, 4, 8, 16, 32, 64, 64])
        }

        @Test func aByteBeginsTheCountAnew() {
            #expect(rests([7, 7, 7, 7, 8, 8, 8, 8]) == [nil, nil, nil, 1, nil, nil, nil, 1])
        }

        @Test func anUnknownCountNeverRests() {
            #expect(rests([nil, nil, nil, nil, nil]) == [nil, nil, nil, nil, nil])
        }

        @Test func theRestEndsAtItsTimeAndTheNextIsLonger() {
            var backoff = WriteBackoff()
            for _ in 0..<4 { _ = backoff.turn(7, at: Self.start) }
            let wakes = [999_999, 1_000_000, 1_000_000].map { backoff.wake(at: Self.start + $0) }
            #expect(wakes == [false, true, false])
            let rests = backoff.turn(7, at: Self.start)
            #expect(rests)
            #expect(backoff.end == Self.start + 2_000_000)
        }

        @Test func somethingReadBeginsTheCountAnew() {
            var backoff = WriteBackoff()
            for _ in 0..<6 { _ = backoff.turn(7, at: Self.start) }
            backoff.reset()
            #expect(backoff.end == nil)
            let rests = backoff.turn(7, at: Self.start)
            #expect(!rests)
        }
    }
#endif
