import TangoPromise
import Testing

@Suite(.timeLimit(.minutes(20))) struct ThenTests {
    @Test(arguments: Supply.all)
    func theHandlerTurnsTheValueIntoAnother(supply: Supply) async throws {
        #expect(try await supply.value(20) { $0.then { "\($0 + 1)" } }.value == "21")
    }

    @Test(arguments: Supply.all)
    func aPromiseThatTheHandlerReturnsIsFollowed(supply: Supply) async throws {
        let (inner, resolver) = Promise<String>.pending()
        let link = supply.value(1) { $0.then { _ in inner } }
        resolver.fulfill("inner")
        #expect(try await link.value == "inner")
    }

    @Test(arguments: Supply.all, [Mishap.first as any Error, CancellationError()])
    func everyRejectionSkipsTheHandler(supply: Supply, error: any Error) async {
        let recorder = Recorder<Int>()
        let link = supply.error(error) { $0.then { recorder.note($0) } }
        await #expect { try await link.value } throws: { "\($0)" == "\(error)" }
        #expect(recorder.events.isEmpty)
    }

    @Test(arguments: Supply.all)
    func anErrorThatTheHandlerThrowsRejectsTheLink(supply: Supply) async {
        let link = supply.value(1) { $0.then { _ -> Int in throw Mishap.first } }
        await #expect(throws: Mishap.first) { try await link.value }
    }

    @Test(arguments: Supply.all)
    func thenAndNextKeepTheirCommonOrder(supply: Supply) async throws {
        let recorder = Recorder<Int>()
        let last = supply.value(0) { source in
            source.then { _ in recorder.note(1) }
            source.next { _ in recorder.note(2) }
            return source.then { _ in recorder.note(3) }
        }
        try await last.value
        #expect(recorder.events == [1, 2, 3])
    }

    // MARK: Places

    @Test func theHandlerRunsOnTheGivenQueue() async throws {
        let probe = ProbeQueue()
        let link = Promise(1).then(on: probe.scheduler) { _ in probe.isCurrent }
        #expect(try await link.value)
        #expect(try await link.then { $0 && probe.isCurrent }.value, "later links inherit it")
        #expect(try await Promise(1).then(on: probe.scheduler) { _ in Promise(probe.isCurrent) }.value)
    }

    @Test func theHandlerRunsOnTheMainActor() async throws {
        let counter = await MainCounter()
        let link = Promise(20).then(on: .main) { counter.add($0) }.then(on: .main) { Promise(counter.add($0)) }
        #expect(try await link.value == 40)
    }

    @Test func theHandlerMayAwaitInATask() async throws {
        let (gate, resolver) = Promise<Int>.pending()
        let link = Promise(1).then(on: .task) { value in try await gate.value + value }
        let nested = Promise(1).then(on: .task) { value in
            let sum = try await gate.value + value
            return Promise("\(sum)")
        }
        resolver.fulfill(41)
        #expect(try await link.value == 42)
        #expect(try await nested.value == "42")
    }
}
