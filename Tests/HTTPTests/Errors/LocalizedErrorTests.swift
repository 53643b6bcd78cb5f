import Foundation
import TangoPromise
import TangoRequest
import Testing

@testable import TestSupport

@Suite struct LocalizedErrorTests {
    @Test(arguments: [PromiseError.abandoned, .cycle, .timedOut, .invalid, .empty, .deadlock])
    func promiseErrorsHaveLocalizedDescriptions(error: PromiseError) {
        #expect((error as any Error).localizedDescription == error.description)
    }

    @Test func aggregateErrorListsItsErrors() {
        let refused = RequestError(.badStatus, phase: .decode, detail: "")
        let error = AggregateError(errors: [PromiseError.timedOut, refused])
        let lines = (error as any Error).localizedDescription.components(separatedBy: "\n")
        #expect(lines.count == 3)
        #expect(lines.dropFirst().first == "- \(PromiseError.timedOut.description)")
        #expect(lines.last == "- \(refused.localizedDescription)")
        #expect(AggregateError(errors: []).localizedDescription == "any received no promises. Pass at least one.")
    }

    @Test func errorsAreCastToRequestErrors() {
        let error: any Error = RequestError(.badURL, phase: .prepare, detail: "no host")
        #expect(error.asRequestError?.code == .badURL)
        #expect((CancellationError() as any Error).asRequestError == nil)
    }
}
