import TangoPromise
import Testing

@Suite(.timeLimit(.minutes(20))) struct NextTests {
    @Test(arguments: Supply.all)
    func theHandlerTurnsTheValueIntoAnother(supply: Supply) async throws {
        #expect(try await supply.value(20) { $0.next { "\($0 + 1)" } }.value == "21")
    }

    @Test(arguments: Supply.all)
    func aPromiseThatTheHandlerReturnsIsFollowed(supply: Supply) async throws {
        let (inner, resolver) = Promise<String>.pending()
        let link = supply.value(1) { $0.next { _ in inner } }
        resolver.fulfill("inner")
        #expect(try await link.value == "inner")
    }

    @Test(arguments: Supply.all)
    func theErrorOfAReturnedPromiseIsPassedOn(supply: Supply) async {
        let link = supply.value(1) { $0.next { _ in Promise<String>.rejected(Mishap.first) } }
        await #expect(throws: Mishap.first) { try await link.value }
    }

    @Test(arguments: Supply.all)
    func anErrorSkipsTheHandler(supply: Supply) async {
        let recorder = Recorder<String>()
        let link = supply.error(Mishap.first) {
            $0.next { _ in recorder.note("value") }.next { recorder.note("promise") }.next { Promise("never") }
        }
        await #expect(throws: Mishap.first) { try await link.value }
        #expect(recorder.events.isEmpty)
    }

    @Test(arguments: Supply.all)
    func aCancellationSkipsTheHandler(supply: Supply) async {
        let recorder = Recorder<Int>()
        let link = supply.error(CancellationError()) { $0.next { recorder.note($0) } }
        #expect(await link.isCancelled)
        #expect(recorder.events.isEmpty)
    }

    @Test(arguments: Supply.all)
    func anErrorThatTheHandlerThrowsRejectsTheLink(supply: Supply) async {
        let thrown = Reference()
        let link = supply.value(1) { $0.next { _ -> Int in throw thrown } }
        await #expect { try await link.value } throws: { ($0 as? Reference) === thrown }
    }

    @Test(arguments: Supply.all)
    func anErrorThrownBeforeAPromiseIsReturnedRejectsTheLink(supply: Supply) async {
        let link = supply.value(1) { source in
            source.next { value in
                if value > 0 { throw Mishap.second }
                return Promise("never")
            }
        }
        await #expect(throws: Mishap.second) { try await link.value }
    }

    @Test(arguments: Supply.all)
    func throwingACancellationCancelsTheLink(supply: Supply) async {
        let link = supply.value(1) { $0.next { _ -> Int in throw CancellationError() } }
        #expect(await link.isCancelled)
    }

    @Test(arguments: Supply.all)
    func handlersRunInTheOrderInWhichTheyWereAttached(supply: Supply) async throws {
        let recorder = Recorder<Int>()
        let last = supply.value(0) { source in
            for index in 0..<100 { source.next { _ in recorder.note(index) } }
            return source.next { _ in recorder.note(100) }
        }
        try await last.value
        #expect(recorder.events == Array(0...100))
    }

    @Test(arguments: Supply.all)
    func oneThrowingHandlerDoesNotStopTheOthers(supply: Supply) async throws {
        let recorder = Recorder<Int>()
        let last = supply.value(0) { source in
            source.next { _ in recorder.note(1) }
            source.next { _ in throw Mishap.first }.catch { _ in }
            return source.next { _ in recorder.note(2) }
        }
        try await last.value
        #expect(recorder.events == [1, 2])
    }

    @Test(arguments: Supply.all)
    func branchesKeepTheirOwnValues(supply: Supply) async throws {
        let both = supply.value(1) { source in
            let left = source.next { $0 + 10 }
            let right = source.next { $0 + 100 }
            return Promise.all(left, right)
        }
        #expect(try await both.value == (11, 101))
    }

    @Test(arguments: Handling.allCases)
    func aLinkWhoseHandleIsDroppedRunsNevertheless(handling: Handling) async throws {
        let (done, finish) = Promise<Int>.pending()
        Promise.fulfilled(1, on: handling.makeScheduler()).next { $0 + 1 }.next { finish.fulfill($0) }
        #expect(try await done.value == 2)
    }

    // MARK: Cancelling the link

    @Test func aLinkCancelledWhileItWaitsLeavesItsSource() async {
        let recorder = Recorder<String>()
        let (source, resolver): (Promise<Int>, _) = recorder.pending("source")
        let link = source.next { recorder.note("\($0)") }
        link.cancel()
        #expect(recorder.events == ["source stopped"])
        resolver.fulfill(1)
        #expect(await link.isCancelled)
        #expect(await source.isCancelled)
        #expect(recorder.events == ["source stopped"])
    }

    @Test func aLinkCancelledInItsHandlerStaysCancelled() async {
        let (source, resolver) = Promise<Int>.pending(on: .immediate)
        let box = Recorder<Promise<Int>>()
        let link = source.next { value in
            box.events[0].cancel()
            return value
        }
        box.note(link)
        resolver.fulfill(1)
        #expect(await link.isCancelled)
    }

    @Test func cancellingTheLinkCancelsThePromiseThatItFollows() async {
        let recorder = Recorder<String>()
        let (inner, resolver): (Promise<Int>, _) = recorder.pending("inner")
        let link = Promise.fulfilled(1, on: .immediate).next { _ in inner }
        link.cancel()
        #expect(recorder.events == ["inner stopped"])
        #expect(await link.isCancelled)
        withExtendedLifetime(resolver) {}
    }

    // MARK: Places

    @Test func theHandlerRunsOnTheGivenQueue() async throws {
        let probe = ProbeQueue()
        let link = Promise(1).next(on: probe.scheduler) { _ in probe.isCurrent }
        #expect(try await link.value)
        #expect(try await link.next { $0 && probe.isCurrent }.value, "later links inherit it")
        #expect(try await Promise(1).next(on: probe.scheduler) { _ in Promise(probe.isCurrent) }.value)
    }

    @Test func theHandlerRunsOnTheMainActor() async throws {
        let counter = await MainCounter()
        let link = Promise(20).next(on: .main) { counter.add($0) }.next(on: .main) { Promise(counter.add($0)) }
        #expect(try await link.value == 40)
    }

    @Test func theHandlerMayAwaitInATask() async throws {
        let (gate, resolver) = Promise<Int>.pending()
        let link = Promise(1).next(on: .task) { value in try await gate.value + value }
        let nested = Promise(1).next(on: .task) { value in
            let sum = try await gate.value + value
            return Promise("\(sum)")
        }
        resolver.fulfill(41)
        #expect(try await link.value == 42)
        #expect(try await nested.value == "42")
    }

    @Test func anErrorThatATaskThrowsRejectsTheLink() async {
        let link = Promise(1).next(on: .task) { _ -> Int in throw Mishap.first }
        await #expect(throws: Mishap.first) { try await link.value }
    }

    @Test func cancellingTheLinkCancelsItsTask() async throws {
        let (started, start) = Promise<Void>.pending()
        let (seen, see) = Promise<Bool>.pending()
        let link = Promise(1).next(on: .task) { _ in
            start.fulfill()
            await untilCancelled()
            see.fulfill(Task.isCancelled)
        }
        try await started.value
        link.cancel()
        #expect(try await seen.value)
        #expect(await link.isCancelled)
    }
}
