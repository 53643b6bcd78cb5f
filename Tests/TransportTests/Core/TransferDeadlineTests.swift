import Testing

@testable import TangoRequest

/// The earliest of the timeouts of a transfer.
struct TransferDeadlineTests {
    private static let second: Int64 = 1_000_000_000
    private static let timeouts = Timeouts(connect: .seconds(10), idle: .seconds(2))

    struct Row: Sendable {
        var whole = Int64.max
        let part: TransferDeadline.Part
        var timeouts = TransferDeadlineTests.timeouts
        let time: Int64
        let code: RequestError.Code
    }

    @Test(arguments: [
        // While a transfer is held, only the time as a whole counts.
        Row(part: .held, time: .max, code: .totalTimedOut),
        Row(whole: 7 * second, part: .held, time: 7 * second, code: .totalTimedOut),
        // Each part of a transfer has one timeout.
        Row(part: .connecting(since: second), time: 11 * second, code: .connectTimedOut),
        Row(part: .connectingOrWaiting(since: second), time: 13 * second, code: .idleTimedOut),
        Row(part: .exchanging(since: second), time: 3 * second, code: .idleTimedOut),
        // The earlier timeout counts. If both are equal, the limit of the whole counts.
        Row(whole: 10 * second, part: .connecting(since: second), time: 10 * second, code: .totalTimedOut),
        Row(whole: 4 * second, part: .exchanging(since: second), time: 3 * second, code: .idleTimedOut),
        Row(whole: 3 * second, part: .exchanging(since: second), time: 3 * second, code: .totalTimedOut),
        // The whole is an attempt, if its limit is below that of the call.
        Row(
            whole: second, part: .held, timeouts: Timeouts(attempt: .seconds(1)), time: second, code: .attemptTimedOut),
        Row(
            whole: second, part: .held, timeouts: Timeouts(attempt: .seconds(1), total: .seconds(2)), time: second,
            code: .attemptTimedOut),
        Row(
            whole: second, part: .held, timeouts: Timeouts(attempt: .seconds(1), total: .seconds(1)), time: second,
            code: .totalTimedOut),
        // A timeout of nil sets no limit.
        Row(part: .connecting(since: 0), timeouts: .none, time: .max, code: .totalTimedOut),
        Row(part: .exchanging(since: 0), timeouts: .none, time: .max, code: .totalTimedOut),
        Row(
            part: .connectingOrWaiting(since: 0), timeouts: Timeouts(connect: .seconds(1), idle: nil), time: .max,
            code: .totalTimedOut),
        Row(
            part: .connectingOrWaiting(since: 0), timeouts: Timeouts(connect: nil, idle: .seconds(1)), time: .max,
            code: .totalTimedOut),
        // Very long timeouts do not overflow.
        Row(
            part: .connectingOrWaiting(since: second),
            timeouts: Timeouts(connect: .seconds(Int64.max), idle: .seconds(Int64.max)), time: .max,
            code: .totalTimedOut),
        Row(part: .exchanging(since: .max - 1), time: .max, code: .totalTimedOut),
    ])
    func earliestTimeoutCounts(_ row: Row) {
        let deadline = TransferDeadline(whole: row.whole, row.part, row.timeouts)
        #expect(deadline.time == row.time)
        #expect(deadline.code == row.code)
    }
}
