import TangoPromise
import Testing

@Suite struct PromiseErrorTests {
    @Test(arguments: [
        (PromiseError.abandoned, "resolver"), (.cycle, "itself"), (.timedOut, "in time"), (.invalid, "validate"),
        (.empty, "no promise"), (.deadlock, "block"),
    ])
    func theDescriptionSaysWhatHappened(error: PromiseError, words: String) {
        #expect("\(error)".contains(words))
    }

    @Test func anAggregateListsItsErrorsInOrder() {
        let error = AggregateError(errors: [Mishap.first, PromiseError.timedOut])
        #expect("\(error)" == "All promises failed:\n- first\n- \(PromiseError.timedOut)")
        #expect(error.errors.first as? Mishap == .first)
    }

    @Test func anAggregateOfNothingSaysSo() {
        #expect("\(AggregateError(errors: []))" == "any received no promises. Pass at least one.")
    }
}
