import TangoPromise
import Testing

@Suite(.timeLimit(.minutes(20))) struct AnyTests {
    @Test(arguments: Handling.allCases)
    func theFirstValueInTimeDecides(handling: Handling) async throws {
        let inputs = (0..<3).map { _ in Promise<Int>.pending(on: handling.makeScheduler()) }
        let any = Promise.any(inputs.map(\.promise))
        inputs[0].resolver.reject(Mishap.first)
        inputs[2].resolver.fulfill(2)
        #expect(try await any.value == 2)
        inputs[1].resolver.fulfill(1)
        #expect(try await any.value == 2)
    }

    @Test(arguments: Handling.allCases)
    func withoutAValueAllErrorsAreGivenInTheOrderOfTheInput(handling: Handling) async {
        let inputs = (0..<3).map { _ in Promise<Int>.pending(on: handling.makeScheduler()) }
        let any = Promise.any(inputs.map(\.promise))
        for index in [2, 0, 1] { inputs[index].resolver.reject(Mishap.numbered(index)) }
        await #expect {
            try await any.value
        } throws: { error in
            (error as? AggregateError)?.errors.map { $0 as? Mishap } == (0..<3).map { Mishap.numbered($0) }
        }
    }

    @Test func aCancelledInputCountsAsAnError() async throws {
        let any = Promise.any([.rejected(CancellationError()), .rejected(Mishap.first)] as [Promise<Int>])
        await #expect {
            try await any.value
        } throws: { error in
            (error as? AggregateError)?.errors.first is CancellationError
        }
        #expect(try await Promise.any(.rejected(CancellationError()), Promise(1)).value == 1)
    }

    @Test func noPromisesRejectWithNoErrors() async {
        let none: [Promise<Int>] = []
        await #expect {
            try await Promise.any(none).value
        } throws: {
            ($0 as? AggregateError)?.errors.isEmpty == true
        }
    }

    @Test func losersAreCancelledUnlessTheyHaveAnotherConsumer() async throws {
        let recorder = Recorder<String>()
        let (lonely, lonelyResolver): (Promise<Int>, _) = recorder.pending("lonely")
        let (shared, sharedResolver): (Promise<Int>, _) = recorder.pending("shared")
        let other = shared.next { $0 }
        #expect(try await Promise.any(lonely, Promise(1), shared).value == 1)
        #expect(recorder.events == ["lonely stopped"])
        sharedResolver.fulfill(2)
        #expect(try await other.value == 2)
        withExtendedLifetime(lonelyResolver) {}
    }

    @Test func cancellingLeavesEveryInput() async {
        let recorder = Recorder<String>()
        let (first, firstResolver): (Promise<Int>, _) = recorder.pending("first")
        let (second, secondResolver): (Promise<Int>, _) = recorder.pending("second")
        let any = Promise.any(first, second)
        any.cancel()
        #expect(await any.isCancelled)
        #expect(recorder.events == ["first stopped", "second stopped"])
        withExtendedLifetime((firstResolver, secondResolver)) {}
    }

    @Test func oneValueWinsHoweverManyThreadsGiveOne() async throws {
        for _ in 0..<50 {
            let inputs = (0..<4).map { _ in Promise<Int>.pending() }
            let any = Promise.any(inputs.map(\.promise))
            await onThreads(4) { inputs[$0].resolver.fulfill($0) }
            let value = try await any.value
            #expect(try await inputs[value].promise.value == value)
        }
    }

    @Test func theOutputContinuesWhereTheFirstInputDoes() async throws {
        let probe = ProbeQueue()
        let any = Promise.any(.rejected(Mishap.first, on: probe.scheduler), Promise(2))
        #expect(try await any.next { _ in probe.isCurrent }.value)
    }
}
