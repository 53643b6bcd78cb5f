import TangoPromise
import Testing

@Suite(.timeLimit(.minutes(20))) struct ValueTests {
    @Test(arguments: Handling.allCases)
    func aSettledPromiseGivesItsOutcome(handling: Handling) async throws {
        let scheduler = handling.makeScheduler()
        #expect(try await Promise.fulfilled(1, on: scheduler).value == 1)
        await #expect(throws: Mishap.first) { try await Promise<Int>.rejected(Mishap.first, on: scheduler).value }
        await #expect(throws: CancellationError.self) {
            try await Promise<Int>.rejected(CancellationError(), on: scheduler).value
        }
    }

    @Test(arguments: [Result<Int, any Error>.success(1), .failure(Mishap.first), .failure(CancellationError())])
    func aPendingPromiseIsWaitedFor(outcome: Result<Int, any Error>) async {
        let (promise, resolver) = Promise<Int>.pending()
        let value = Task { try await promise.value }
        async let result = promise.result
        resolver.settle(outcome)
        #expect("\(await result)" == "\(outcome)")
        #expect("\(await value.result)" == "\(outcome)")
    }

    @Test func theErrorKeepsItsIdentity() async {
        let error = Reference()
        await #expect { try await Promise<Int>.rejected(error).value } throws: { ($0 as? Reference) === error }
    }

    @Test func severalMayWait() async throws {
        let (promise, resolver) = Promise<Int>.pending()
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<20 { group.addTask { try await promise.value } }
            resolver.fulfill(1)
            for try await value in group { #expect(value == 1) }
        }
    }

    @Test @MainActor func waitingKeepsTheActor() async throws {
        let (promise, resolver) = Promise<Int>.pending()
        let waiting = Task { @MainActor in
            let value = try await promise.value
            MainActor.assertIsolated()
            return value
        }
        resolver.fulfill(1)
        #expect(try await waiting.value == 1)
    }

    @Test @MainActor func theTaskIsAConsumerBeforeItsActorDoesAnythingElse() async throws {
        for _ in 0..<500 {
            let (promise, resolver) = Promise<Int>.pending()
            let hasBegun = Tally()
            let waiting = Task { @MainActor in
                hasBegun.add()
                return try await promise.value
            }
            while hasBegun.count == 0 { await Task.yield() }
            // Another consumer comes and goes. If it were the only one, it would cancel the promise.
            promise.next { $0 }.cancel()
            resolver.fulfill(1)
            #expect(try await waiting.value == 1)
        }
    }

    // MARK: Cancellation, both ways

    @Test func aCancelledTaskLeavesThePromiseWhichIsCancelled() async {
        let (promise, resolver) = Promise<Int>.pending()
        let (stopped, stop) = Promise<Void>.pending()
        resolver.onCancel { stop.fulfill() }
        let waiting = Task { try await promise.value }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        #expect(await (try? stopped.value) != nil)
        #expect(await promise.isCancelled)
    }

    @Test func aTaskCancelledBeforehandDoesNotWait() async {
        let (promise, resolver) = Promise<Int>.pending()
        let waiting = Task {
            await untilCancelled()
            return await promise.result
        }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value.get() }
        #expect(await promise.isCancelled)
        withExtendedLifetime(resolver) {}
    }

    @Test func aCancelledTaskStillGetsTheValueOfASettledPromise() async throws {
        let waiting = Task {
            await untilCancelled()
            return try await Promise(1).value
        }
        waiting.cancel()
        #expect(try await waiting.value == 1)
    }

    @Test func aPromiseWithAnotherConsumerGoesOn() async throws {
        let recorder = Recorder<String>()
        let (promise, resolver): (Promise<Int>, _) = recorder.pending("promise")
        let other = promise.next { $0 + 1 }
        let waiting = Task { try await promise.value }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        resolver.fulfill(1)
        #expect(try await other.value == 2)
        #expect(recorder.events.isEmpty)
    }

    @Test func aCancelledPromiseEndsTheWaitButNotTheTask() async {
        let (promise, resolver) = Promise<Int>.pending()
        let waiting = Task {
            let isCancelled = await promise.isCancelled
            return isCancelled && !Task.isCancelled
        }
        promise.cancel()
        #expect(await waiting.value)
        withExtendedLifetime(resolver) {}
    }

    @Test func settlingAndCancellingMayRace() async {
        for _ in 0..<100 {
            let (promise, resolver) = Promise<Int>.pending()
            let waiting = Task { await promise.result }
            await onThreads(2) { index in
                if index == 0 { waiting.cancel() } else { resolver.fulfill(1) }
            }
            switch await waiting.value {
            case .success(let value): #expect(value == 1)
            case .failure(let error): #expect(error is CancellationError)
            }
        }
    }
}
