import TangoPromise
import Testing

@Suite(.timeLimit(.minutes(20))) struct RaceTests {
    @Test(arguments: Handling.allCases)
    func theFirstValueInTimeWins(handling: Handling) async throws {
        let inputs = (0..<3).map { _ in Promise<Int>.pending(on: handling.makeScheduler()) }
        let race = Promise.race(inputs.map(\.promise))
        inputs[1].resolver.fulfill(1)
        #expect(try await race.value == 1)
        inputs[0].resolver.fulfill(0)
        #expect(try await race.value == 1)
    }

    @Test(arguments: Handling.allCases, [Mishap.first as any Error, CancellationError()])
    func anErrorMayWinToo(handling: Handling, error: any Error) async {
        let inputs = (0..<3).map { _ in Promise<Int>.pending(on: handling.makeScheduler()) }
        let race = Promise.race(inputs.map(\.promise))
        inputs[1].resolver.reject(error)
        inputs[0].resolver.fulfill(0)
        await #expect { try await race.value } throws: { "\($0)" == "\(error)" }
    }

    @Test func ofSeveralSettledPromisesTheFirstWins() async throws {
        #expect(try await Promise.race(Promise(1), .rejected(Mishap.first), Promise(3)).value == 1)
    }

    @Test func noPromisesReject() async {
        let none: [Promise<Int>] = []
        await #expect(throws: PromiseError.empty) { try await Promise.race(none).value }
    }

    @Test(arguments: [Result<Int, any Error>.success(1), .failure(Mishap.first)])
    func losersAreCancelledUnlessTheyHaveAnotherConsumer(outcome: Result<Int, any Error>) async throws {
        let recorder = Recorder<String>()
        let (lonely, lonelyResolver): (Promise<Int>, _) = recorder.pending("lonely")
        let (shared, sharedResolver): (Promise<Int>, _) = recorder.pending("shared")
        let (winner, winnerResolver): (Promise<Int>, _) = recorder.pending("winner")
        let other = shared.next { $0 }
        let race = Promise.race(lonely, winner, shared)
        winnerResolver.settle(outcome)
        #expect("\(await race.result)" == "\(outcome)")
        #expect(recorder.events == ["lonely stopped"])
        sharedResolver.fulfill(2)
        #expect(try await other.value == 2)
        withExtendedLifetime(lonelyResolver) {}
    }

    @Test func cancellingLeavesEveryInput() async {
        let recorder = Recorder<String>()
        let (first, firstResolver): (Promise<Int>, _) = recorder.pending("first")
        let (second, secondResolver): (Promise<Int>, _) = recorder.pending("second")
        let race = Promise.race(first, second)
        race.cancel()
        #expect(await race.isCancelled)
        #expect(recorder.events == ["first stopped", "second stopped"])
        withExtendedLifetime((firstResolver, secondResolver)) {}
    }

    @Test func theOutputContinuesWhereTheFirstInputDoes() async throws {
        let probe = ProbeQueue()
        let (first, resolver) = Promise<Int>.pending(on: probe.scheduler)
        #expect(try await Promise.race(first, Promise(2)).next { _ in probe.isCurrent }.value)
        withExtendedLifetime(resolver) {}
    }
}
