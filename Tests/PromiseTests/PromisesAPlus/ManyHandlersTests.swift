import Dispatch
import Synchronization
import TangoPromise
import Testing

/// Promises/A+ 2.2.6: a promise may have many handlers, which run in the order in which they were attached.
@Suite(.noHang) struct ManyHandlersTests {
    @Test(arguments: Outcome.allCases, Setting.all)
    func theyRunInTheOrderInWhichTheyWereAttached(outcome: Outcome, setting: Setting) async {
        let events = Events<String>()
        let (promise, settle) = setting.promise(outcome.result)
        var ends: [Promise<Void>] = []
        for index in 1...20 { ends.append(promise.note("\(index) ", in: events)) }
        settle()
        for end in ends { await end.result.check() }
        #expect(events.all == (1...20).map { "\($0) \(outcome)" })
    }

    @Test(arguments: Outcome.allCases, Setting.all)
    func oneThatThrowsDoesNotStopTheOthers(outcome: Outcome, setting: Setting) async {
        let events = Events<String>()
        let (promise, settle) = setting.promise(outcome.result)
        let first = promise.note("1 ", in: events)
        let second: Promise<Void> = promise.then(
            { _ in throw Oops("thrown for a value") }, { _ in throw Oops("thrown for an error") })
        let third = promise.note("3 ", in: events)
        settle()
        await first.result.check()
        #expect(await second.result.error() == Oops(outcome == .value ? "thrown for a value" : "thrown for an error"))
        await third.result.check()
        #expect(events.all == ["1 \(outcome)", "3 \(outcome)"])
    }

    @Test(arguments: Outcome.allCases, Setting.all)
    func everyBranchHasAnOutcomeOfItsOwn(outcome: Outcome, setting: Setting) async throws {
        let (promise, settle) = setting.promise(outcome.result)
        let value = promise.then({ _ in 1 }, { _ in 1 })
        let error: Promise<Int> = promise.then({ _ in throw Oops("2") }, { _ in throw Oops("2") })
        let adopted = promise.then({ _ in Promise(3) }, { _ in Promise(3) })
        let same = promise.tap { _ in }
        settle()
        #expect(try await value.value == 1)
        #expect(await error.result.error() == Oops("2"))
        #expect(try await adopted.value == 3)
        #expect((try? await same.value) == (try? outcome.result.get()))
    }

    @Test(arguments: Outcome.allCases, Place.allCases)
    func oneAttachedByAnotherRunsAfterThoseBefore(outcome: Outcome, place: Place) async {
        let events = Events<String>()
        let (promise, resolver) = Promise<String>.pending(on: place.scheduler)
        let inner = Promise<Promise<Void>>.pending()
        promise.finally {
            events.add("1")
            inner.resolver.fulfill(promise.note("late ", in: events))
        }.catch { _ in }
        promise.note("2 ", in: events)
        let end = promise.note("3 ", in: events)
        resolver.settle(outcome.result)
        await end.result.check()
        await inner.promise.next { $0 }.result.check()
        #expect(events.all == ["1", "2 \(outcome)", "3 \(outcome)", "late \(outcome)"])
    }

    @Test(arguments: Outcome.allCases, Place.allCases)
    func handlersOfDifferentKindsKeepTheirOrder(outcome: Outcome, place: Place) async {
        let events = Events<String>()
        let (promise, resolver) = Promise<String>.pending(on: place.scheduler)
        promise.next { _ in events.add("next") }.catch { _ in }
        promise.catch { _ in events.add("catch") }
        promise.finally { events.add("finally") }.catch { _ in }
        promise.tap { _ in events.add("tap") }.catch { _ in }
        promise.recover { _ in
            events.add("recover")
            return ""
        }
        let end = promise.note(in: events)
        resolver.settle(outcome.result)
        await end.result.check()
        switch outcome {
        case .value: #expect(events.all == ["next", "finally", "tap", "value"])
        case .error: #expect(events.all == ["catch", "finally", "recover", "error"])
        }
    }

    @Test(arguments: Place.allCases)
    func theyNeverOverlap(place: Place) async {
        let (promise, resolver) = Promise<Void>.pending(on: place.scheduler)
        let inside = Events<Int>()
        let depth = Mutex(0)
        let ends = (0..<200).map { _ in
            promise.next {
                inside.add(
                    depth.withLock {
                        $0 += 1
                        return $0
                    })
                depth.withLock { $0 -= 1 }
            }
        }
        resolver.fulfill()
        for end in ends { await end.result.check() }
        #expect(inside.all == Array(repeating: 1, count: 200))
    }

    @Test(arguments: Place.allCases)
    func oneThreadThatAttachesWhileAnotherSettlesKeepsItsOrder(place: Place) async {
        let events = Events<Int>()
        let (promise, resolver) = Promise<Void>.pending(on: place == .immediate ? .background : place.scheduler)
        DispatchQueue.global().async { resolver.fulfill() }
        let ends = (0..<1_000).map { index in promise.next { events.add(index) } }
        for end in ends { await end.result.check() }
        #expect(events.all == Array(0..<1_000))
    }
}
