import TangoPromise
import Testing

/// Chains on which earlier promise libraries hang, run a handler twice, or lose an error.
@Suite(.noHang) struct SeedScenarioTests {
    @Test(arguments: Setting.all)
    func aCatchAtTheEndSeesTheErrorOfTheHeadOnce(setting: Setting) async {
        let events = Events<String>()
        let (head, settle) = setting.promise(Outcome.error.result)
        let end = head.next { events.pass($0) }.next { events.pass($0) }.catch { events.add("catch \($0.name)") }
        settle()
        await events.expect(["catch error"], after: end)
    }

    @Test(arguments: Setting.all)
    func aCatchAtTheEndSeesTheErrorOfAReturnedPromiseOnce(setting: Setting) async {
        let events = Events<String>()
        let (head, settle) = setting.promise(Outcome.value.result)
        let end = head.next { events.pass($0) }
            .next { _ in Promise<String>.rejected(Oops("inner")) }
            .next { events.pass("skipped \($0)") }
            .catch { events.add("catch \($0.name)") }
        settle()
        await events.expect(["value", "catch inner"], after: end)
    }

    @Test(arguments: Outcome.allCases, Timing.allCases)
    func aChainWithoutAReferenceToItsHeadReportsItsErrors(head: Outcome, timing: Timing) async {
        let events = Events<String>()
        weak var released: Promise<String>?
        let inner = Promise<String>.pending()
        func chain() -> Promise<String> {
            let (promise, resolver) = Promise<String>.pending(on: .immediate)
            released = promise
            let end = promise.next { _ in inner.promise }.next { events.pass($0) }
                .catch { events.add("catch \($0.name)") }
            resolver.settle(head.result)
            return end
        }
        let end = chain()
        #expect(released == nil)
        inner.resolver.reject(Oops("inner"))
        await events.expect([head == .value ? "catch inner" : "catch error"], after: end)
        _ = await inner.promise.result
    }

    @Test(arguments: Setting.all)
    func aCatchAfterThenSeesTheErrorOnce(setting: Setting) async {
        let events = Events<String>()
        let (head, settle) = setting.promise(Outcome.error.result)
        let end = head.then { events.pass($0) }.catch { events.add("catch \($0.name)") }
        settle()
        await events.expect(["catch error"], after: end)
    }

    @Test(arguments: Setting.all)
    func aSecondHandlerRecoversAndALaterCatchDoesNotRun(setting: Setting) async {
        let events = Events<String>()
        let (head, settle) = setting.promise(Outcome.error.result)
        let end = head.then({ events.pass($0) }, { events.pass("recovered \($0.name)") })
            .catch { events.add("catch \($0.name)") }
            .next { events.pass("next \($0)") }
        settle()
        await events.expect(["recovered error", "next recovered error"], after: end)
    }

    @Test(arguments: Setting.all)
    func aCatchOnTheHeadItselfRunsOnce(setting: Setting) async {
        let events = Events<String>()
        let (head, settle) = setting.promise(Outcome.error.result)
        let end = head.catch { events.add("catch \($0.name)") }
        settle()
        await events.expect(["catch error"], after: end)
    }

    @Test(arguments: Setting.all)
    func aCatchOnACombinatorRunsOnce(setting: Setting) async {
        let events = Events<String>()
        let (head, settle) = setting.promise(Outcome.error.result)
        let end = Promise.all([head, head, .fulfilled("")]).catch { events.add("catch \($0.name)") }
        settle()
        await events.expect(["catch error"], after: end)
    }

    @Test(arguments: Setting.all)
    func linksAfterACatchDoNotRun(setting: Setting) async {
        let events = Events<String>()
        let (head, settle) = setting.promise(Outcome.error.result)
        let end = head.next { events.pass($0) }.catch { events.add("catch \($0.name)") }
            .next { events.pass("after \($0)") }
            .next { Promise(events.pass("after \($0)")) }
            .tap { events.add("after \($0)") }
        settle()
        #expect(await end.result.error() == Oops("error"))
        await events.expect(["catch error"], after: end)
    }

    @Test(arguments: Setting.all)
    func everyCatchInARowRunsOnce(setting: Setting) async {
        let events = Events<String>()
        let (head, settle) = setting.promise(Outcome.error.result)
        let end = head.catch { events.add("first \($0.name)") }
            .catch { events.add("second \($0.name)") }
            .recover { "recovered \($0.name)" }
            .catch { events.add("third \($0.name)") }
        settle()
        await events.expect(["first error", "second error"], after: end)
    }

    @Test(arguments: Place.allCases)
    func aCatchAttachedLateRunsOnce(place: Place) async {
        let events = Events<String>()
        let head = Promise<String>.rejected(Oops("error"), on: place.scheduler)
        let chain = head.next { events.pass($0) }.next { events.pass($0) }
        _ = await chain.result
        let end = chain.catch { events.add("late \($0.name)") }
        await events.expect(["late error"], after: end)
        await events.expect(["late error", "later error"], after: chain.catch { events.add("later \($0.name)") })
    }

    @Test(arguments: Setting.all)
    func aSecondHandlerFurtherDownSeesErrorsFromAbove(setting: Setting) async {
        let events = Events<String>()
        let (head, settle) = setting.promise(Outcome.error.result)
        let end = head.next { events.pass($0) }.then({ events.pass($0) }, { events.pass("recovered \($0.name)") })
        settle()
        await events.expect(["recovered error"], after: end)
    }

    @Test(arguments: Setting.all)
    func aChainInsideACombinatorThatFailsFailsIt(setting: Setting) async {
        let (head, settle) = setting.promise(Outcome.error.result)
        let all = Promise.all([.fulfilled("other"), head.next { $0 }.next { Promise($0) }.next { $0 }])
        settle()
        #expect(await all.result.error() == Oops("error"))
    }

    @Test(arguments: Setting.all)
    func aChainReturnedFromAHandlerThatFailsFailsTheOuter(setting: Setting) async {
        let (head, settle) = setting.promise(Outcome.error.result)
        let outer = Promise<Int>.fulfilled(1, on: setting.place.scheduler)
            .next { _ in head.next { $0 }.next { Promise($0) } }
            .next { $0.count }
        settle()
        #expect(await outer.result.error() == Oops("error"))
    }

    @Test(arguments: Outcome.allCases, Setting.all)
    func aPromiseResolvedWithAPromiseSettles(outcome: Outcome, setting: Setting) async {
        let events = Events<String>()
        let (inner, settle) = setting.promise(outcome.result)
        let end = Promise(on: setting.place.scheduler) { $0.follow(inner) }.note(in: events)
        settle()
        await events.expect([outcome.rawValue], after: end)
    }

    @Test(arguments: Place.allCases)
    func unreferencedLinksStillRun(place: Place) async {
        let (done, resolver) = Promise<String>.pending()
        let (head, headResolver) = Promise<String>.pending(on: place.scheduler)
        head.next { "\($0) 1" }.next { Promise("\($0) 2") }.catch { _ in }.next { resolver.fulfill($0) }
        headResolver.fulfill("value")
        #expect((try? await done.value) == "value 1 2")
    }

    @Test func theWorkRunsOnceHoweverManyLinksThereAre() async throws {
        let events = Events<String>()
        let promise = Promise { (resolver: Resolver<String>) in resolver.fulfill(events.pass("work")) }
        let links = (0..<10).map { _ in promise.then { $0 } }
        for link in links { #expect(try await link.value == "work") }
        #expect(events.all == ["work"])
    }

    @Test func theWorkRunsWithNothingButACatch() async throws {
        let (done, resolver) = Promise<Void>.pending()
        Promise { resolver.fulfill() }.catch { _ in }
        try await done.value
    }

    @Test(arguments: [Place.background, .queue, .immediate])
    func manyInputsKeepTheirOrder(place: Place) async throws {
        let scheduler = place.scheduler
        for count in [2, 12, 101] {
            let inputs = (0..<count).map { _ in Promise<Int>.pending(on: scheduler) }
            let all = Promise.all(inputs.map(\.promise))
            let settled = Promise.allSettled(inputs.map(\.promise))
            for (index, input) in inputs.enumerated().reversed() { input.resolver.fulfill(index) }
            #expect(try await all.value == Array(0..<count))
            #expect(try await settled.value.map { try $0.get() } == Array(0..<count))
        }
    }

    @Test func noInputsSettleAtOnce() async throws {
        let none: [Promise<Int>] = []
        #expect(try await Promise.all(none).value == [])
        #expect(try await Promise.allSettled(none).value.isEmpty)
        #expect(try await Promise.all([Int](), limit: 3) { Promise($0) }.value == [])
        #expect(await Promise.any(none).result.error(as: AggregateError.self)?.errors.isEmpty == true)
        #expect(await Promise.race(none).result.error() == PromiseError.empty)
    }

    @Test func inputsWithoutAValueAreValues() async throws {
        #expect(try await Promise.all([Promise<Int?>.fulfilled(nil), .fulfilled(1)]).value == [nil, 1])
        #expect(try await Promise.all([Promise(()), Promise(())]).value.count == 2)
    }

    @Test func anErrorThatAHandlerReturnsIsAValue() async throws {
        let events = Events<String>()
        let value = try await Promise(1).next { _ in Oops("returned") }.catch { events.add("\($0)") }.value
        #expect(value == Oops("returned"))
        #expect(events.all == [])
    }
}

extension Error {
    fileprivate var name: String { (self as? Oops)?.name ?? "\(self)" }
}

extension Events<String> {
    fileprivate func pass(_ event: String) -> String {
        add(event)
        return event
    }

    /// Compares after the end of the chain has settled and a handler attached after that has run.
    fileprivate func expect(
        _ expected: [String], after end: Promise<some Sendable>, _ location: SourceLocation = #_sourceLocation
    ) async {
        _ = await end.result
        _ = await end.finally {}.result
        #expect(all == expected, sourceLocation: location)
    }
}
