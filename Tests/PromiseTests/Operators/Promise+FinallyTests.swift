import TangoPromise
import Testing

@Suite(.timeLimit(.minutes(20))) struct FinallyTests {
    static let outcomes: [Result<Int, any Error>] = [
        .success(1), .failure(Mishap.first), .failure(CancellationError()),
    ]

    @Test(arguments: Supply.all, outcomes)
    func theHandlerRunsOnceAndTheOutcomePasses(supply: Supply, outcome: Result<Int, any Error>) async {
        let recorder = Recorder<String>()
        let link = supply.give(outcome) { $0.finally { recorder.note("finally") } }
        let result = await link.result
        #expect("\(result)" == "\(outcome)")
        #expect(recorder.events == ["finally"])
    }

    @Test(arguments: Supply.all, outcomes)
    func anErrorThatTheHandlerThrowsTakesThePlaceOfTheOutcome(
        supply: Supply, outcome: Result<Int, any Error>
    ) async {
        let link = supply.give(outcome) { $0.finally { throw Mishap.second } }
        await #expect(throws: Mishap.second) { try await link.value }
    }

    @Test(arguments: Supply.all)
    func handlersRunInTheOrderOfTheChain(supply: Supply) async throws {
        let recorder = Recorder<Int>()
        let end = supply.value(1) { source in
            source.finally { recorder.note(1) }.next { recorder.note($0 + 1) }.finally { recorder.note(3) }
        }
        try await end.value
        #expect(recorder.events == [1, 2, 3])
    }

    @Test func theHandlerRunsOnceWhenTheLinkIsCancelled() async {
        let recorder = Recorder<String>()
        let (source, resolver): (Promise<Int>, _) = recorder.pending("source")
        let link = source.finally { recorder.note("finally") }
        link.cancel()
        link.cancel()
        resolver.fulfill(1)
        #expect(await link.isCancelled)
        #expect(recorder.events == ["finally", "source stopped"])
    }

    @Test func theHandlerRunsOnceWhenALaterLinkIsCancelled() {
        let recorder = Recorder<String>()
        let (source, resolver): (Promise<Int>, _) = recorder.pending("source")
        let end = source.finally { recorder.note("finally") }.next { recorder.note("\($0)") }
        end.cancel()
        resolver.fulfill(1)
        #expect(recorder.events.filter { $0 == "finally" }.count == 1)
        #expect(recorder.events.contains("source stopped"))
        #expect(recorder.events.count == 2)
    }

    @Test func theHandlerRunsBeforeThoseAfterTheCancelledLink() {
        let recorder = Recorder<Int>()
        let (source, resolver) = Promise<Int>.pending(on: .immediate)
        let link = source.finally { recorder.note(1) }
        link.catch(policy: .all) { _ in recorder.note(2) }
        link.finally { recorder.note(3) }
        link.cancel()
        #expect(recorder.events == [1, 2, 3])
        withExtendedLifetime(resolver) {}
    }

    @Test func theHandlerRunsOnceWhenTheLinkIsCancelledWhileItIsQueued() {
        let pump = Pump()
        let recorder = Recorder<String>()
        let link = Promise.fulfilled(1, on: pump.scheduler).finally { recorder.note("finally") }
        link.cancel()
        pump.run()
        #expect(recorder.events == ["finally"])
    }

    @Test func aCancelledLinkRunsItsHandlerOnItsScheduler() async throws {
        let probe = ProbeQueue()
        let (ran, run) = Promise<Bool>.pending()
        let (source, resolver) = Promise<Int>.pending()
        let link = source.finally(on: probe.scheduler) { run.fulfill(probe.isCurrent) }
        link.cancel()
        #expect(try await ran.value)
        #expect(await link.isCancelled)
        withExtendedLifetime(resolver) {}
    }

    @Test func cancellingInTheHandlerDoesNotRunItAgain() async {
        let recorder = Recorder<String>()
        let box = Recorder<Promise<Int>>()
        let (source, resolver) = Promise<Int>.pending(on: .immediate)
        box.note(
            source.finally {
                recorder.note("finally")
                box.events[0].cancel()
            })
        resolver.fulfill(1)
        #expect(await box.events[0].isCancelled)
        #expect(recorder.events == ["finally"])
    }

    @Test func theHandlerRunsOnceHoweverSettlingAndCancellingRace() async {
        for _ in 0..<200 {
            let recorder = Recorder<Int>()
            let (source, resolver) = Promise<Int>.pending(on: .immediate)
            let link = source.finally { recorder.note(1) }
            await onThreads(2) { index in
                if index == 0 { link.cancel() } else { resolver.fulfill(1) }
            }
            _ = await link.result
            #expect(recorder.events == [1])
        }
    }

    // MARK: Places

    @Test(arguments: outcomes)
    func theHandlerRunsOnEveryPlace(outcome: Result<Int, any Error>) async {
        let probe = ProbeQueue()
        let counter = await MainCounter()
        let recorder = Recorder<String>()
        let (gate, open) = Promise<Void>.pending()
        let (source, resolver) = Promise<Int>.pending()
        let end =
            source
            .finally(on: probe.scheduler) { recorder.note("queue \(probe.isCurrent)") }
            .finally { recorder.note("inherited \(probe.isCurrent)") }
            .finally(on: .main) { recorder.note("main \(counter.add(1))") }
            .finally(on: .task) {
                try await gate.value
                recorder.note("task")
            }
        resolver.settle(outcome)
        open.fulfill()
        #expect("\(await end.result)" == "\(outcome)")
        #expect(recorder.events == ["queue true", "inherited true", "main 1", "task"])
    }

    @Test func aTaskRunsEvenWhenItsLinkIsCancelled() async throws {
        let (ran, run) = Promise<String>.pending()
        let (source, resolver) = Promise<Int>.pending()
        let link = source.finally(on: .task) { run.fulfill("task") }
        link.cancel()
        #expect(try await ran.value == "task")
        #expect(await link.isCancelled)
        withExtendedLifetime(resolver) {}
    }
}
