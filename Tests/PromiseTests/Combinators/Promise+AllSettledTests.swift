import TangoPromise
import Testing

@Suite(.timeLimit(.minutes(20))) struct AllSettledTests {
    @Test(arguments: Handling.allCases)
    func resultsComeInTheOrderOfTheInput(handling: Handling) async throws {
        let inputs = (0..<3).map { _ in Promise<Int>.pending(on: handling.makeScheduler()) }
        let all = Promise.allSettled(inputs.map(\.promise))
        inputs[2].resolver.reject(CancellationError())
        inputs[1].resolver.reject(Mishap.first)
        inputs[0].resolver.fulfill(1)
        let results = try await all.value
        #expect(results.count == 3)
        #expect(try results[0].get() == 1)
        #expect(throws: Mishap.first) { try results[1].get() }
        #expect(throws: CancellationError.self) { try results[2].get() }
    }

    @Test func noPromisesMakeAnEmptyArrayAtOnce() {
        let recorder = Recorder<Int>()
        let none: [Promise<Int>] = []
        Promise.allSettled(none).next(on: .immediate) { recorder.note($0.count) }
        #expect(recorder.events == [0])
    }

    @Test func errorsDoNotStopTheWait() async throws {
        let recorder = Recorder<String>()
        let (pending, resolver): (Promise<Int>, _) = recorder.pending("pending")
        let all = Promise.allSettled([.rejected(Mishap.first), pending])
        all.next(on: .immediate) { _ in recorder.note("settled") }
        #expect(recorder.events.isEmpty)
        resolver.fulfill(1)
        #expect(recorder.events == ["settled"])
    }

    @Test func cancellingLeavesEveryInput() async {
        let recorder = Recorder<String>()
        let (first, firstResolver): (Promise<Int>, _) = recorder.pending("first")
        let (second, secondResolver): (Promise<Int>, _) = recorder.pending("second")
        let all = Promise.allSettled([first, second])
        all.cancel()
        #expect(await all.isCancelled)
        #expect(recorder.events == ["first stopped", "second stopped"])
        withExtendedLifetime((firstResolver, secondResolver)) {}
    }

    @Test func promisesOfDifferentTypesMakeATuple() async throws {
        let (number, resolver) = Promise<Int>.pending()
        let all = Promise.allSettled(number, Promise("text"), Promise<Double>.rejected(Mishap.first))
        resolver.fulfill(1)
        let (first, second, third) = try await all.value
        #expect(try first.get() == 1)
        #expect(try second.get() == "text")
        #expect(throws: Mishap.first) { try third.get() }
    }

    @Test func theOutputContinuesWhereTheFirstInputDoes() async throws {
        let probe = ProbeQueue()
        let all = Promise.allSettled([.fulfilled(1, on: probe.scheduler), Promise(2)])
        #expect(try await all.next { _ in probe.isCurrent }.value)
    }
}
