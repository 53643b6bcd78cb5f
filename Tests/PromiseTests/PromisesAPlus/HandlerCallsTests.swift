import Dispatch
import TangoPromise
import Testing

/// Promises/A+ 2.2.2 and 2.2.3: a handler runs after the promise has settled, with its outcome, and at most once.
@Suite(.noHang) struct HandlerCallsTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let outcome: Outcome
        let place: Place

        static let all = Outcome.allCases.flatMap { outcome in
            Place.allCases.map { Case(outcome: outcome, place: $0) }
        }

        var testDescription: String { "\(outcome), on \(place)" }
    }

    @Test(arguments: Outcome.allCases, Setting.all)
    func itGetsTheOutcome(outcome: Outcome, setting: Setting) async {
        let events = Events<String>()
        let (promise, settle) = setting.promise(outcome.result)
        let end = promise.note(in: events)
        settle()
        await end.result.check()
        #expect(events.all == [outcome.rawValue])
    }

    @Test(arguments: Case.all)
    func itDoesNotRunBeforeThePromiseSettles(row: Case) async {
        let events = Events<String>()
        let scheduler = row.place.scheduler
        let (promise, resolver) = Promise<String>.pending(on: scheduler)
        let end = promise.note(in: events)
        await Promise.fulfilled("other", on: scheduler).note(in: events).result.check()
        events.add("settling")
        resolver.settle(row.outcome.result)
        await end.result.check()
        #expect(events.all == ["other", "settling", row.outcome.rawValue])
    }

    @Test(arguments: Place.allCases)
    func itDoesNotRunWhileThePromiseIsPending(place: Place) async {
        let events = Events<String>()
        let scheduler = place.scheduler
        let (promise, resolver) = Promise<String>.pending(on: scheduler)
        promise.note(in: events)
        await Promise.fulfilled("other", on: scheduler).note(in: events).result.check()
        #expect(events.all == ["other"])
        withExtendedLifetime(resolver) { promise.cancel() }
    }

    @Test(arguments: Case.all)
    func settlingTwiceAtOnceRunsItOnce(row: Case) async {
        let events = Events<String>()
        let (promise, resolver) = Promise<String>.pending(on: row.place.scheduler)
        promise.note(in: events)
        let end = promise.note("last ", in: events)
        resolver.settle(row.outcome.result)
        resolver.settle(row.outcome.result)
        await end.result.check()
        #expect(events.all == [row.outcome.rawValue, "last \(row.outcome)"])
    }

    @Test(arguments: Case.all)
    func settlingTwiceLaterRunsItOnce(row: Case) async {
        let events = Events<String>()
        let (promise, resolver) = Promise<String>.pending(on: row.place.scheduler)
        promise.note(in: events)
        let end = promise.note("last ", in: events)
        await Promise<Void> { done in
            DispatchQueue.global().async {
                resolver.settle(row.outcome.result)
                resolver.settle(row.outcome.result)
                done.fulfill()
            }
        }.result.check()
        await end.result.check()
        #expect(events.all == [row.outcome.rawValue, "last \(row.outcome)"])
    }

    @Test(arguments: Case.all)
    func settlingNowAndAgainLaterRunsItOnce(row: Case) async {
        let events = Events<String>()
        let (promise, resolver) = Promise<String>.pending(on: row.place.scheduler)
        let end = promise.note(in: events)
        resolver.settle(row.outcome.result)
        await end.result.check()
        await Promise<Void> { done in
            DispatchQueue.global().async {
                resolver.settle(row.outcome.result)
                done.fulfill()
            }
        }.result.check()
        await promise.note("last ", in: events).result.check()
        #expect(events.all == [row.outcome.rawValue, "last \(row.outcome)"])
    }

    @Test(arguments: Case.all)
    func handlersAttachedOneAfterAnotherRunOnceEach(row: Case) async {
        let events = Events<String>()
        let scheduler = row.place.scheduler
        let (promise, resolver) = Promise<String>.pending(on: scheduler)
        promise.note("1 ", in: events)
        await Promise.fulfilled("other", on: scheduler).next { _ in }.result.check()
        promise.note("2 ", in: events)
        await Promise.fulfilled("other", on: scheduler).next { _ in }.result.check()
        let end = promise.note("3 ", in: events)
        resolver.settle(row.outcome.result)
        await end.result.check()
        #expect(events.all == ["1 \(row.outcome)", "2 \(row.outcome)", "3 \(row.outcome)"])
    }

    @Test(arguments: Case.all)
    func handlersAttachedBeforeAndAfterSettlingRunOnceEach(row: Case) async {
        let events = Events<String>()
        let (promise, resolver) = Promise<String>.pending(on: row.place.scheduler)
        promise.note("before ", in: events)
        resolver.settle(row.outcome.result)
        await promise.note("after ", in: events).result.check()
        await promise.note("late ", in: events).result.check()
        #expect(events.all == ["before \(row.outcome)", "after \(row.outcome)", "late \(row.outcome)"])
    }
}
