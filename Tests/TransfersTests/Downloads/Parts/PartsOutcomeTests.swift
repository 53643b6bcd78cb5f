import Testing

@testable import TangoRequest
@testable import TangoTransfers
@testable import TestSupport

/// The table of ``PartsOutcome``.
struct PartsOutcomeTests {
    private static let lost = PartEnd.failed(RequestError(.connectionLost, phase: .receive, detail: ""))
    private static let busy = PartEnd.refused(.success(HTTPResponse("busy", status: 503)))

    /// An end, the finished parts, whether others wait, and the next step.
    typealias Row = (PartEnd, Int, Bool, PartsOutcome.Step)

    private func check(_ running: Int, _ rows: [Row]) -> PartsOutcome {
        var outcome = PartsOutcome(running: running)
        for (end, finished, hasWaiting, step) in rows {
            #expect(outcome.add(end, finished: finished, hasWaiting: hasWaiting) == step)
        }
        return outcome
    }

    @Test func allPartsAreLoaded() {
        let outcome = check(2, [(.finished, 1, false, .goOn), (.finished, 2, false, .goOn)])
        #expect(outcome.running == 0 && outcome.failure == nil && outcome.refusal == nil && !outcome.isContradicted)
    }

    @Test func refusedPartWaitsForTheOthers() {
        let outcome = check(2, [(Self.busy, 0, true, .goOn), (.finished, 2, false, .goOn)])
        #expect(outcome.failure == nil && !outcome.isContradicted)
    }

    @Test func lateRefusalStartsOneConnectionAgain() {
        let outcome = check(
            2,
            [
                (.finished, 1, false, .goOn), (Self.busy, 1, true, .start),
                // Nothing more was loaded, so the refusal is the outcome.
                (Self.busy, 1, true, .goOn),
            ])
        #expect(outcome.refusal != nil)
        // After a further part, it is tried again.
        _ = check(
            1, [(Self.busy, 1, true, .start), (Self.busy, 2, true, .start), (Self.busy, 2, true, .goOn)])
    }

    @Test func brokenPartLetsTheOthersEnd() {
        let outcome = check(2, [(Self.lost, 0, true, .goOn), (.finished, 1, true, .goOn)])
        #expect((outcome.failure as? RequestError)?.code == .connectionLost)
    }

    @Test func failureOfTheDiskEndsTheOthers() {
        let full = FileFailure(28, .write, "")
        #expect(check(2, [(.failed(full), 0, true, .stop)]).failure is FileFailure)
        _ = check(2, [(.failed(CancellationError()), 0, true, .stop)])
    }

    @Test func contradictionEndsTheOthers() {
        let outcome = check(
            3,
            [
                (.contradicted(nil), 1, true, .stop), (.contradicted(HTTPResponse("all")), 1, true, .stop),
                (.failed(CancellationError()), 1, true, .stop),
            ])
        #expect(outcome.isContradicted)
        #expect(outcome.whole?.status == 200)
    }
}
