import Dispatch
import TangoPromise
import Testing

/// Promises/A+ 2.2.4: a handler never runs inside the call that attaches it or that settles the promise.
@Suite(.noHang) struct CleanStackTests {
    /// All but `.immediate`, which runs handlers inside those calls on purpose.
    static let settings = Setting.all.filter { $0.place != .immediate }
    static let places = Place.allCases.filter { $0 != .immediate }

    @Test(arguments: Outcome.allCases, settings)
    func attachingReturnsBeforeTheHandlerRuns(outcome: Outcome, setting: Setting) async {
        let events = Events<Bool>()
        let (promise, settle) = setting.promise(outcome.result)
        let end = Caller.call { promise.noteCaller(in: events) }
        Caller.call { settle() }
        await end.result.check()
        #expect(events.all == [false])
    }

    @Test(arguments: Outcome.allCases, places)
    func settlingReturnsBeforeTheHandlerRuns(outcome: Outcome, place: Place) async {
        let events = Events<Bool>()
        let (promise, resolver) = Promise<String>.pending(on: place.scheduler)
        let end = promise.noteCaller(in: events)
        Caller.call { resolver.settle(outcome.result) }
        await end.result.check()
        #expect(events.all == [false])
    }

    @Test(arguments: Outcome.allCases, Place.allCases)
    func aHandlerAttachedInsideAHandlerRunsAfterIt(outcome: Outcome, place: Place) async {
        let events = Events<String>()
        let scheduler = place.scheduler
        let promise = outcome.promise(on: scheduler)
        let inner = Promise<Promise<Void>>.pending()
        promise.finally {
            let late = promise.note("inner ", in: events)
            events.add("outer")
            inner.resolver.fulfill(late)
        }.catch { _ in }
        await inner.promise.next { $0 }.result.check()
        #expect(events.all == ["outer", "inner \(outcome)"])
    }

    @Test(arguments: Outcome.allCases, Outcome.allCases)
    func aHandlerOfAnotherPromiseAttachedInsideAHandlerRunsAfterIt(outer: Outcome, inner: Outcome) async {
        for place in [Place.immediate, .queue] {
            let events = Events<String>()
            let scheduler = place.scheduler
            let other = inner.promise(on: scheduler)
            let done = Promise<Promise<Void>>.pending()
            outer.promise(on: scheduler).finally {
                let late = other.note("inner ", in: events)
                events.add("outer")
                done.resolver.fulfill(late)
            }.catch { _ in }
            await done.promise.next { $0 }.result.check()
            #expect(events.all == ["outer", "inner \(inner)"])
        }
    }

    @Test(arguments: Outcome.allCases, Place.allCases.filter { $0 != .background && $0 != .custom })
    func settlingInsideAHandlerRunsTheOthersAfterIt(outcome: Outcome, place: Place) async {
        let events = Events<String>()
        let scheduler = place.scheduler
        let (inner, resolver) = Promise<String>.pending(on: scheduler)
        let end = inner.note("inner ", in: events)
        Promise<Void>.fulfilled((), on: scheduler).next {
            resolver.settle(outcome.result)
            events.add("outer")
        }
        await end.result.check()
        #expect(events.all == ["outer", "inner \(outcome)"])
    }

    @Test(arguments: Outcome.allCases, places)
    func settlingInsideAHandlerNeverRunsTheOthersInsideTheCall(outcome: Outcome, place: Place) async {
        let events = Events<Bool>()
        let scheduler = place.scheduler
        let (inner, resolver) = Promise<String>.pending(on: scheduler)
        let end = inner.noteCaller(in: events)
        Promise<Void>.fulfilled((), on: scheduler).next {
            Caller.call { resolver.settle(outcome.result) }
        }
        await end.result.check()
        #expect(events.all == [false])
    }

    @Test(arguments: Outcome.allCases)
    func theBodyOfAPromiseThatSettlesAtOnceRunsNoHandlers(outcome: Outcome) async {
        let events = Events<Bool>()
        let end = Caller.call {
            Promise<String> { $0.settle(outcome.result) }.noteCaller(in: events)
        }
        await end.result.check()
        #expect(events.all == [false])
    }
}

/// The documented exception: `.immediate` runs a handler inside the call, but never inside another handler.
@Suite struct ImmediateTests {
    @Test(arguments: Outcome.allCases)
    func attachingToASettledPromiseRunsTheHandlerInsideTheCall(outcome: Outcome) {
        let events = Events<Bool>()
        Caller.call { outcome.promise(on: .immediate).noteCaller(in: events) }
        #expect(events.all == [true])
    }

    @Test(arguments: Outcome.allCases)
    func settlingRunsTheHandlersInsideTheCall(outcome: Outcome) {
        let events = Events<Bool>()
        let (promise, resolver) = Promise<String>.pending(on: .immediate)
        promise.noteCaller(in: events)
        promise.noteCaller(in: events)
        #expect(events.all == [])
        Caller.call { resolver.settle(outcome.result) }
        #expect(events.all == [true, true])
    }

    @Test(arguments: Outcome.allCases)
    func insideAHandlerItWaitsForItsEnd(outcome: Outcome) {
        let events = Events<Bool>()
        let other = outcome.promise(on: .immediate)
        Promise<Void>.fulfilled((), on: .immediate).next {
            Caller.call { other.noteCaller(in: events) }
            #expect(events.all == [])
        }
        #expect(events.all == [false])
    }
}

extension Outcome {
    fileprivate func promise(on scheduler: Scheduler) -> Promise<String> {
        Timing.already.promise(result, on: scheduler).promise
    }
}

extension Promise<String> {
    /// Records whether the handler runs inside a marked call.
    @discardableResult
    fileprivate func noteCaller(in events: Events<Bool>) -> Promise<Void> {
        then({ _ in events.add(Caller.isInside) }, { _ in events.add(Caller.isInside) })
    }
}
