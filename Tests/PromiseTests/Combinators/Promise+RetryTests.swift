import TangoPromise
import Testing

@Suite(.timeLimit(.minutes(20))) struct RetryTests {
    @Test(arguments: Handling.allCases)
    func attemptsAreNumberedFromOneUntilOneIsFulfilled(handling: Handling) async throws {
        let attempts = Recorder<Int>()
        let scheduler = handling.makeScheduler()
        let retry = Promise.retry(5) { attempt -> Promise<String> in
            attempts.note(attempt)
            return attempt < 3 ? .rejected(Mishap.first, on: scheduler) : .fulfilled("done", on: scheduler)
        }
        #expect(try await retry.value == "done")
        #expect(attempts.events == [1, 2, 3])
    }

    @Test func theFirstAttemptStartsAtOnce() async throws {
        let attempts = Recorder<Int>()
        let retry = Promise.retry(3, backoff: .constant(.seconds(1)), clock: ManualClock()) { attempt in
            attempts.note(attempt)
            return Promise(attempt)
        }
        #expect(attempts.events == [1])
        #expect(try await retry.value == 1)
    }

    @Test(arguments: Handling.allCases)
    func theLastErrorIsTheOutcome(handling: Handling) async {
        let attempts = Recorder<Int>()
        let scheduler = handling.makeScheduler()
        let retry = Promise.retry(3) { attempt -> Promise<Int> in
            attempts.note(attempt)
            return .rejected(Mishap.numbered(attempt), on: scheduler)
        }
        await #expect(throws: Mishap.numbered(3)) { try await retry.value }
        #expect(attempts.events == [1, 2, 3])
    }

    @Test(arguments: [0, -1])
    func countBelowOneIsRefused(count: Int) async {
        let attempts = Recorder<Int>()
        let retry = Promise.retry(count) { attempt -> Promise<Int> in
            attempts.note(attempt)
            return Promise(1)
        }
        await #expect(throws: PromiseError.invalidCount) { try await retry.value }
        #expect(attempts.events.isEmpty)
    }

    @Test func countOfOneIsASingleAttempt() async {
        let attempts = Recorder<Int>()
        let retry = Promise.retry(1) { attempt -> Promise<Int> in
            attempts.note(attempt)
            return .rejected(Mishap.first)
        }
        await #expect(throws: Mishap.first) { try await retry.value }
        #expect(attempts.events == [1])
    }

    @Test func anErrorThatMakeThrowsFailsTheAttempt() async throws {
        let attempts = Recorder<Int>()
        let retry = Promise.retry(3) { attempt -> Promise<Int> in
            attempts.note(attempt)
            if attempt < 3 { throw Mishap.numbered(attempt) }
            return Promise(attempt)
        }
        #expect(try await retry.value == 3)
        #expect(attempts.events == [1, 2, 3])
        let hopeless = Promise.retry(2) { attempt -> Promise<Int> in throw Mishap.numbered(attempt) }
        await #expect(throws: Mishap.numbered(2)) { try await hopeless.value }
    }

    @Test func aCancelledAttemptIsNotRetried() async {
        let attempts = Recorder<Int>()
        let retry = Promise.retry(3) { attempt -> Promise<Int> in
            attempts.note(attempt)
            return .rejected(CancellationError())
        }
        #expect(await retry.isCancelled)
        #expect(attempts.events == [1])
    }

    @Test(arguments: Handling.allCases)
    func anErrorThatIsNotToBeRetriedIsTheOutcomeAtOnce(handling: Handling) async {
        let attempts = Recorder<Int>()
        let asked = Recorder<Mishap>()
        let clock = LeapClock()
        let scheduler = handling.makeScheduler()
        let retry = Promise.retry(
            5, backoff: .constant(.seconds(1)), clock: clock,
            if: { error in
                if let error = error as? Mishap { asked.note(error) }
                return error as? Mishap == .first
            },
            { attempt -> Promise<Int> in
                attempts.note(attempt)
                return .rejected(attempt < 3 ? Mishap.first : .second, on: scheduler)
            })
        await #expect(throws: Mishap.second) { try await retry.value }
        #expect(attempts.events == [1, 2, 3])
        #expect(asked.events == [.first, .first, .second])
        #expect(clock.sleeps.events == [.seconds(1), .seconds(1)])
    }

    @Test func shouldRetryIsNotCalledForTheLastErrorAndCancellations() async {
        let asked = Recorder<String>()
        let shouldRetry: @Sendable (any Error) -> Bool = { error in
            asked.note("\(error)")
            return true
        }
        let last = Promise.retry(2, if: shouldRetry) { attempt -> Promise<Int> in .rejected(Mishap.numbered(attempt)) }
        await #expect(throws: Mishap.numbered(2)) { try await last.value }
        let cancelled = Promise.retry(2, if: shouldRetry) { _ -> Promise<Int> in .rejected(CancellationError()) }
        #expect(await cancelled.isCancelled)
        #expect(asked.events == ["numbered(1)"])
    }

    @Test func shouldRetryIsCalledForErrorsThatMakeThrows() async {
        let attempts = Recorder<Int>()
        let retry = Promise.retry(3, if: { _ in false }) { attempt -> Promise<Int> in
            attempts.note(attempt)
            throw Mishap.first
        }
        await #expect(throws: Mishap.first) { try await retry.value }
        #expect(attempts.events == [1])
    }

    @Test func theBackoffIsWaitedForBetweenAttempts() async throws {
        let clock = ManualClock()
        let attempts = Recorder<Int>()
        let retry = Promise.retry(3, backoff: Backoff { .seconds($0 * 10) }, clock: clock) { attempt -> Promise<Int> in
            attempts.note(attempt)
            return attempt < 3 ? .rejected(Mishap.first) : Promise(attempt)
        }
        await clock.sleepers()
        clock.advance(by: .seconds(9))
        await clock.sleepers()
        #expect(attempts.events == [1])
        clock.advance(by: .seconds(1))
        await clock.sleepers()
        #expect(attempts.events == [1, 2])
        clock.advance(by: .seconds(19))
        await clock.sleepers()
        #expect(attempts.events == [1, 2])
        clock.advance(by: .seconds(1))
        #expect(try await retry.value == 3)
        #expect(clock.now.offset == .seconds(30))
    }

    @Test func thereIsNoWaitAfterTheLastAttempt() async {
        let clock = LeapClock()
        let retry = Promise.retry(3, backoff: .constant(.seconds(1)), clock: clock) { _ -> Promise<Int> in
            .rejected(Mishap.first)
        }
        await #expect(throws: Mishap.first) { try await retry.value }
        #expect(clock.sleeps.events == [.seconds(1), .seconds(1)])
    }

    // MARK: Cancelling

    @Test(arguments: [1, 3])
    func cancellingDuringAnAttemptCancelsIt(count: Int) async {
        let recorder = Recorder<String>()
        let (attempt, resolver): (Promise<Int>, _) = recorder.pending("attempt")
        let retry = Promise.retry(count) { _ in attempt }
        retry.cancel()
        #expect(await retry.isCancelled)
        #expect(recorder.events == ["attempt stopped"])
        withExtendedLifetime(resolver) {}
    }

    @Test func cancellingDuringALaterAttemptCancelsIt() async {
        let recorder = Recorder<String>()
        let (second, resolver): (Promise<Int>, _) = recorder.pending("second")
        let retry = Promise.retry(2) { attempt -> Promise<Int> in
            attempt == 1 ? .rejected(Mishap.first, on: .immediate) : second
        }
        retry.cancel()
        #expect(await retry.isCancelled)
        #expect(recorder.events == ["second stopped"])
        withExtendedLifetime(resolver) {}
    }

    @Test(arguments: [1, 2])
    func anAttemptWithAnotherConsumerGoesOn(count: Int) async throws {
        let (shared, resolver) = Promise<Int>.pending(on: .immediate)
        let other = shared.next { $0 + 1 }
        let retry = Promise.retry(count) { _ in shared }
        retry.cancel()
        resolver.fulfill(1)
        #expect(await retry.isCancelled)
        #expect(try await other.value == 2)
    }

    @Test func cancellingDuringTheWaitEndsTheSleep() async throws {
        let (ended, end) = Promise<Bool>.pending()
        let clock = WatchedClock { error in end.fulfill(error is CancellationError) }
        let attempts = Recorder<Int>()
        let retry = Promise.retry(3, backoff: .constant(.seconds(1)), clock: clock) { attempt -> Promise<Int> in
            attempts.note(attempt)
            return .rejected(Mishap.first)
        }
        await clock.base.sleepers()
        retry.cancel()
        #expect(await retry.isCancelled)
        #expect(try await ended.value)
        #expect(attempts.events == [1])
    }

    @Test func laterLinksAndAttemptsRunWhereTheFirstAttemptDoes() async throws {
        let probe = ProbeQueue()
        let places = Recorder<Bool>()
        let retry = Promise.retry(2, backoff: .constant(.seconds(1)), clock: LeapClock()) { attempt -> Promise<Int> in
            places.note(probe.isCurrent)
            return attempt == 1 ? .rejected(Mishap.first, on: probe.scheduler) : .fulfilled(1, on: probe.scheduler)
        }
        #expect(try await retry.next { _ in probe.isCurrent }.value)
        #expect(places.events == [false, true])
    }
}
