import TangoPromise
import Testing

@Suite(.timeLimit(.minutes(20))) struct TapTests {
    @Test(arguments: Supply.all)
    func theHandlerSeesTheValueWhichPasses(supply: Supply) async throws {
        let recorder = Recorder<Int>()
        let link = supply.value(1) { $0.tap { recorder.note($0) } }
        #expect(try await link.value == 1)
        #expect(recorder.events == [1])
    }

    @Test(arguments: Supply.all)
    func aReferencePassesAsItIs(supply: Supply) async throws {
        let reference = Reference()
        #expect(try await supply.value(reference) { $0.tap { _ in } }.value === reference)
    }

    @Test(arguments: Supply.all, [Mishap.first as any Error, CancellationError()])
    func everyRejectionSkipsTheHandler(supply: Supply, error: any Error) async {
        let recorder = Recorder<Int>()
        let link = supply.error(error) { $0.tap { recorder.note($0) } }
        await #expect { try await link.value } throws: { "\($0)" == "\(error)" }
        #expect(recorder.events.isEmpty)
    }

    @Test(arguments: Supply.all)
    func anErrorThatTheHandlerThrowsRejectsTheLink(supply: Supply) async {
        let link = supply.value(1) { $0.tap { _ in throw Mishap.first } }
        await #expect(throws: Mishap.first) { try await link.value }
    }

    @Test(arguments: Supply.all)
    func handlersRunInTheOrderOfTheChain(supply: Supply) async throws {
        let recorder = Recorder<Int>()
        let link = supply.value(0) { source in
            source.tap { recorder.note($0 + 1) }.tap { recorder.note($0 + 2) }.tap { recorder.note($0 + 3) }
        }
        #expect(try await link.value == 0)
        #expect(recorder.events == [1, 2, 3])
    }

    // MARK: Places

    @Test func theHandlerRunsOnTheGivenQueue() async throws {
        let probe = ProbeQueue()
        let recorder = Recorder<Bool>()
        let link = Promise(1).tap(on: probe.scheduler) { _ in recorder.note(probe.isCurrent) }
            .tap { _ in recorder.note(probe.isCurrent) }
        #expect(try await link.value == 1)
        #expect(recorder.events == [true, true])
    }

    @Test func theHandlerRunsOnTheMainActor() async throws {
        let counter = await MainCounter()
        #expect(try await Promise(20).tap(on: .main) { counter.add($0) }.value == 20)
        #expect(await counter.add(1) == 21)
    }

    @Test func theLinkSettlesAfterItsTask() async throws {
        let (gate, open) = Promise<Void>.pending()
        let recorder = Recorder<Int>()
        let link = Promise(1).tap(on: .task) { value in
            try await gate.value
            recorder.note(value)
        }
        open.fulfill()
        #expect(try await link.value == 1)
        #expect(recorder.events == [1])
    }

    @Test func anErrorThatATaskThrowsRejectsTheLink() async {
        let link = Promise(1).tap(on: .task) { _ in throw Mishap.first }
        await #expect(throws: Mishap.first) { try await link.value }
    }
}
