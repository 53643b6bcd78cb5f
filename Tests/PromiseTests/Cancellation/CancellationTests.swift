import Synchronization
import TangoPromise
import Testing

private struct Failure: Error {}

@Suite(.timeLimit(.minutes(20))) struct CancellationTests {
    // MARK: Upstream and downstream

    @Test func aSourceThatNeverHadAConsumerIsNotCancelled() async throws {
        let (promise, resolver) = Promise<Int>.pending()
        let tally = Tally()
        resolver.onCancel { tally.add() }
        resolver.fulfill(1)
        #expect(try await promise.value == 1)
        #expect(tally.count == 0)
    }

    @Test func droppedHandlesDoNotCancel() async throws {
        let (promise, resolver) = Promise<Int>.pending()
        let tally = Tally()
        let journal = Journal<Int>()
        resolver.onCancel { tally.add() }
        do {
            let link = promise.next { $0 + 1 }
            link.next { journal.write($0) }
            _ = Promise.all([promise])
        }
        resolver.fulfill(1)
        #expect(await journal.entries(1) == [2])
        #expect(tally.count == 0)
        #expect(try await promise.value == 1)
    }

    @Test func cancellingAMiddleLinkLeavesUpToTheFirstSharedPromise() async throws {
        let (source, resolver) = Promise<Int>.pending(on: .immediate)
        let tally = Tally()
        resolver.onCancel { tally.add() }
        let shared = source.next { $0 }
        let neighbour = shared.next { $0 }
        let upper = shared.next { $0 }
        let middle = upper.next { $0 }
        let journal = Journal<String>()
        middle.next { $0 }.catch(policy: .all) { journal.write("below: \($0 is CancellationError)") }
        upper.catch(policy: .all) { _ in journal.write("unexpected") }.cancel()

        middle.cancel()

        #expect(journal.entries == ["below: true"])
        #expect(await upper.result.isCancelled)
        #expect(tally.count == 0)
        resolver.fulfill(3)
        #expect(try await neighbour.value == 3)
    }

    @Test func cancellingTheLastLinkOfALongChainReachesTheProducer() async {
        let (source, resolver) = Promise<Int>.pending()
        let tally = Tally()
        resolver.onCancel { tally.add() }
        var chain = source
        for _ in 0..<20_000 { chain = chain.next { $0 } }
        chain.cancel()
        #expect(tally.count == 1)
        #expect(await source.result.isCancelled)
    }

    @Test func aTimeoutThatRunsOutLeavesItsSource() async {
        let clock = ManualClock()
        let (source, resolver) = Promise<Int>.pending()
        let cancelled = Journal<Bool>()
        resolver.onCancel { cancelled.write(true) }
        let limited = source.timeout(.seconds(1), clock: clock)
        clock.advance(by: .seconds(1))
        await #expect(throws: PromiseError.timedOut) { try await limited.value }
        #expect(await cancelled.entries(1) == [true])
    }

    @Test func nestedCombinatorsLeaveEverything() {
        let tally = Tally()
        let (first, firstResolver) = Promise<Int>.pending()
        let (second, secondResolver) = Promise<Int>.pending()
        for resolver in [firstResolver, secondResolver] { resolver.onCancel { tally.add() } }
        let inner = Promise.all([first.next { $0 }, second.next { $0 }])
        let outer = Promise.race([Promise.any([inner]), inner.next { $0 }])
        outer.next { $0 }.cancel()
        #expect(tally.count == 2)
    }

    // MARK: Losers

    @Test func raceAndAnyLeaveTheirLosers() async throws {
        for combine in [{ Promise.race($0) }, { Promise.any($0) }] as [@Sendable ([Promise<Int>]) -> Promise<Int>] {
            let (winner, winning) = Promise<Int>.pending()
            let (loser, losing) = Promise<Int>.pending()
            let (shared, sharing) = Promise<Int>.pending()
            let tally = Tally()
            losing.onCancel { tally.add() }
            sharing.onCancel { tally.add() }
            let other = shared.next { $0 }
            let output = combine([winner, loser, shared])
            winning.fulfill(1)
            #expect(try await output.value == 1)
            #expect(tally.count == 1)
            sharing.fulfill(2)
            #expect(try await other.value == 2)
        }
    }

    @Test func aLoserThatCancelsTheOutputComesTooLate() async throws {
        let (winner, winning) = Promise<Int>.pending()
        let (loser, losing) = Promise<Int>.pending()
        let output = Promise.race([winner, loser])
        losing.onCancel { output.cancel() }
        winning.fulfill(1)
        #expect(try await output.value == 1)
    }

    @Test(arguments: [Losers.keep, .cancel]) func allKeepsOrCancelsItsLosers(losers: Losers) async {
        let (loser, losing) = Promise<Int>.pending()
        let tally = Tally()
        losing.onCancel { tally.add() }
        let (failing, resolver) = Promise<Int>.pending()
        let output = Promise.all([loser, failing], losers: losers)
        resolver.reject(Failure())
        await #expect(throws: Failure.self) { try await output.value }
        #expect(tally.count == (losers == .cancel ? 1 : 0))
        losing.fulfill(1)
    }

    // MARK: Tasks

    @Test func cancellingThePromiseOfATaskCancelsTheTask() async {
        let seen = Journal<Bool>()
        let began = Journal<Bool>()
        let (never, resolver) = Promise<Int>.pending()
        let promise = Promise<Int> {
            began.write(true)
            let result = await never.result
            seen.write(Task.isCancelled)
            return try result.get()
        }
        _ = await began.entries(1)
        promise.cancel()
        #expect(await promise.result.isCancelled)
        #expect(await seen.entries(1) == [true])
        #expect(await never.result.isCancelled)
        withExtendedLifetime(resolver) {}
    }

    @Test func cancellingATaskLinkCancelsItsTask() async {
        let seen = Journal<Bool>()
        let began = Journal<Bool>()
        let (never, resolver) = Promise<Int>.pending()
        let link = Promise(1).next(on: .task) { _ -> Int in
            began.write(true)
            let result = await never.result
            seen.write(Task.isCancelled)
            return try result.get()
        }
        _ = await began.entries(1)
        link.cancel()
        #expect(await link.result.isCancelled)
        #expect(await seen.entries(1) == [true])
        withExtendedLifetime(resolver) {}
    }

    @Test @MainActor func aCancelledTaskThatAwaitsIsOneConsumerThatLeaves() async throws {
        let (promise, resolver) = Promise<Int>.pending()
        let tally = Tally()
        resolver.onCancel { tally.add() }
        let other = promise.next { $0 }
        let task = Task { try await promise.value }
        await Task.yield()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(tally.count == 0)
        resolver.fulfill(1)
        #expect(try await other.value == 1)
    }

    @Test func aTaskThatIsCancelledAlreadyStillReadsASettledPromise() async throws {
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await Promise(1).value
        }
        #expect(try await task.value == 1)
    }

    // MARK: Again, and from inside

    @Test func rejectingWithACancellationErrorIsACancellation() async {
        let (promise, resolver) = Promise<Int>.pending()
        let told = Tally()
        let skipped = Tally()
        resolver.onCancel { told.add() }
        let recovered = promise.recover { _ in
            skipped.add()
            return 1
        }
        resolver.reject(CancellationError())
        #expect(await recovered.result.isCancelled)
        #expect(skipped.count == 0)
        #expect(told.count == 0)
    }

    @Test func cancellingIsIdempotentFromManyThreads() async {
        let rounds = (0..<500).map { _ in
            let (promise, resolver) = Promise<Int>.pending()
            let tally = Tally()
            resolver.onCancel { tally.add() }
            return (promise: promise, link: promise.next { $0 }, resolver: resolver, tally: tally)
        }
        await race(rounds, threads: 3) { round, thread in
            if thread == 0 { round.promise.cancel() } else { round.link.cancel() }
        }
        #expect(rounds.map(\.tally.count) == Array(repeating: 1, count: 500))
    }

    @Test func aCancelledPromiseIgnoresItsResolver() async {
        let (promise, resolver) = Promise<Int>.pending()
        resolver.onCancel { resolver.fulfill(1) }
        promise.cancel()
        resolver.reject(Failure())
        resolver.follow(Promise(2))
        #expect(await promise.result.isCancelled)
    }

    @Test func aCancelHandlerThatComesLateIsCalledAtOnce() {
        let (promise, resolver) = Promise<Int>.pending()
        let journal = Journal<Int>()
        resolver.onCancel { journal.write(1) }
        resolver.onCancel { journal.write(2) }
        promise.cancel()
        resolver.onCancel { journal.write(3) }
        #expect(journal.entries == [1, 2, 3])
    }

    @Test func aHandlerMayCancelItsOwnLink() async {
        let held = HeldWork()
        let (promise, resolver) = Promise<Int>.pending(on: held.scheduler)
        let own = Mutex<Promise<Int>?>(nil)
        let link = promise.next { value in
            own.withLock { $0 }?.cancel()
            return value
        }
        own.withLock { $0 = link }
        resolver.fulfill(1)
        held.runAll()
        #expect(await link.result.isCancelled)
        own.withLock { $0 = nil }
    }

    @Test func aHandlerMayCancelALaterHandlerOfTheSamePromise() async throws {
        let held = HeldWork()
        let (promise, resolver) = Promise<Int>.pending(on: held.scheduler)
        let later = Mutex<Promise<Int>?>(nil)
        let first = promise.next { _ in later.withLock { $0 }?.cancel() }
        let tally = Tally()
        let second = promise.next { _ in tally.add() }
        later.withLock { $0 = second }
        resolver.fulfill(1)
        held.runAll()
        #expect(await second.result.isCancelled)
        #expect(tally.count == 0)
        try await first.value
        later.withLock { $0 = nil }
    }
}

extension Result where Failure == any Error {
    var isCancelled: Bool {
        if case .failure(is CancellationError) = self { true } else { false }
    }
}
