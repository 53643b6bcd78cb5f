import Testing

@testable import TangoRequest
@testable import TestSupport

/// The point that a call has reached when its time is over.
@Suite struct TimeoutReportTests {
    struct Lost: Error {}

    struct Row: Sendable {
        var state = CallState.running
        var wait: CallWait?
        var attempts = 1
        var isSending = true
        var hasHead = false
        var failed = false
        var reached: RequestError.Phase?
        var progress = CallProgress()
        let phase: RequestError.Phase
        let place: String
    }

    static let rows = [
        Row(state: .queued, attempts: 0, isSending: false, phase: .prepare, place: "nothing was sent"),
        Row(attempts: 0, isSending: false, phase: .prepare, place: "nothing was sent"),
        Row(
            state: .queued, wait: .queue, attempts: 0, isSending: false, phase: .prepare,
            place: "it waited for a slot of its limiter"),
        Row(
            state: .waitingForConnectivity, wait: .connectivity, attempts: 0, isSending: false, phase: .prepare,
            place: "it waited for a network"),
        Row(
            wait: CallWait("token"), attempts: 1, isSending: false, phase: .prepare, place: "it waited: token"),
        Row(
            state: .retrying(attempt: 3, after: .seconds(1)), attempts: 2, isSending: false, failed: true,
            phase: .prepare, place: "it waited for attempt 3"),
        Row(
            state: .retrying(attempt: 2, after: .seconds(1)), isSending: false, phase: .prepare,
            place: "it waited for attempt 2"),
        Row(isSending: false, failed: true, phase: .prepare, place: "attempt 1 had failed"),
        Row(isSending: false, phase: .decode, place: "the response had arrived, and was not decoded"),
        Row(reached: .prepare, phase: .prepare, place: "it waited for the transport, and nothing was sent"),
        Row(reached: .connect, phase: .connect, place: "no connection was established"),
        Row(
            reached: .send, progress: CallProgress(sent: 3, sentTotal: 10), phase: .send,
            place: "3 of 10 bytes of the request's body were sent"),
        Row(
            reached: .send, progress: CallProgress(sent: 3), phase: .send,
            place: "3 bytes of the request's body were sent"),
        Row(reached: .wait, phase: .wait, place: "no response had begun"),
        Row(attempts: 2, reached: .wait, phase: .wait, place: "attempt 2: no response had begun"),
        Row(
            attempts: 4, reached: .receive, progress: CallProgress(received: 7, receivedTotal: 9), phase: .receive,
            place: "attempt 4: 7 of 9 bytes of the response's body had arrived"),
        Row(phase: .wait, place: "no complete response had arrived"),
        Row(hasHead: true, phase: .receive, place: "no complete response had arrived"),
    ]

    @Test(arguments: rows) func phaseAndTextAreThose(_ row: Row) {
        let failure = row.failed ? Lost() : nil
        let report = TimeoutReport(
            state: row.state, wait: row.wait, attempts: row.attempts, isSending: row.isSending, hasHead: row.hasHead,
            failure: failure, transfer: TransferMoment(row.reached, row.progress))
        #expect(report.phase == row.phase)
        #expect(
            report.detail(limit: .seconds(2))
                == "the call did not finish within 2 s (\(row.place)): try again, or raise Timeouts.total")
        #expect((report.underlying == nil) == (failure == nil))
    }
}
