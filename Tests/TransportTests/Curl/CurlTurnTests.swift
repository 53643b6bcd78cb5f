#if os(Linux)
    import Testing

    @testable import TangoCurl
    @testable import TangoRequest

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
    }
#endif
