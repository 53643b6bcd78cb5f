import TangoPromise
import Testing

@Suite(.timeLimit(.minutes(20))) struct ManualClockTests {
    @Test func theClockStandsStillUntilItIsAdvanced() {
        let clock = ManualClock()
        #expect(clock.now.offset == .zero)
        clock.advance(by: .seconds(1))
        clock.advance(by: .milliseconds(500))
        #expect(clock.now.offset == .milliseconds(1500))
        clock.advance(to: ManualClock.Instant(offset: .seconds(2)))
        #expect(clock.now.offset == .seconds(2))
        #expect(clock.minimumResolution == .zero)
    }

    @Test func timeDoesNotGoBack() {
        let clock = ManualClock()
        clock.advance(by: .seconds(2))
        clock.advance(by: .seconds(-1))
        clock.advance(to: ManualClock.Instant(offset: .seconds(1)))
        #expect(clock.now.offset == .seconds(2))
    }

    @Test func instantsMeasureTime() {
        let (early, late) = (ManualClock.Instant(offset: .seconds(1)), ManualClock.Instant(offset: .seconds(3)))
        #expect(early < late)
        #expect(early.duration(to: late) == .seconds(2))
        #expect(late.duration(to: early) == .seconds(-2))
        #expect(early.advanced(by: .seconds(2)) == late)
    }

    @Test func aSleepEndsWhenItsTimeHasCome() async throws {
        let clock = ManualClock()
        let woken = Recorder<Int>()
        let sleeper = Task {
            try await clock.sleep(for: .seconds(2))
            woken.note(1)
        }
        await clock.sleepers()
        clock.advance(by: .seconds(1))
        await clock.sleepers()
        #expect(woken.events.isEmpty)
        clock.advance(by: .seconds(1))
        try await sleeper.value
        #expect(woken.events == [1])
    }

    @Test(arguments: [Duration.zero, .seconds(-1)])
    func aTimeThatHasPassedIsNotWaitedFor(duration: Duration) async throws {
        let clock = ManualClock()
        try await clock.sleep(for: duration)
        clock.advance(by: .seconds(1))
        try await clock.sleep(until: ManualClock.Instant(offset: .seconds(1)))
    }

    @Test func onlyThoseWhoseTimeHasComeAreWoken() async throws {
        let clock = ManualClock()
        let sleepers = (1...3).map { seconds in Task { try await clock.sleep(for: .seconds(seconds)) } }
        await clock.sleepers(3)
        clock.advance(by: .seconds(2))
        try await sleepers[0].value
        try await sleepers[1].value
        await clock.sleepers(1)
        clock.advance(by: .seconds(1))
        try await sleepers[2].value
    }

    @Test func theSleepersAreWokenInTheOrderOfTheirDeadlines() async throws {
        let clock = ManualClock()
        let woken = Recorder<Int>()
        let line = SerialTasks()
        let sleepers = [3, 1, 2].map { seconds in
            Task(executorPreference: line) {
                try await clock.sleep(for: .seconds(seconds))
                woken.note(seconds)
            }
        }
        await clock.sleepers(3)
        // The last one is on the list before it is suspended, and would go on at once. The line is free after that.
        await Task(executorPreference: line) {}.value
        clock.advance(by: .seconds(3))
        for sleeper in sleepers { try await sleeper.value }
        #expect(woken.events == [1, 2, 3])
    }

    @Test func aCancelledSleepThrowsAndIsForgotten() async throws {
        let clock = ManualClock()
        let sleeper = Task { try await clock.sleep(for: .seconds(1)) }
        await clock.sleepers()
        sleeper.cancel()
        await #expect(throws: CancellationError.self) { try await sleeper.value }
        clock.advance(by: .seconds(1))
    }

    @Test func aSleepCancelledBeforeItBeginsThrows() async throws {
        let clock = ManualClock()
        let sleeper = Task {
            await untilCancelled()
            try await clock.sleep(for: .seconds(1))
        }
        sleeper.cancel()
        await #expect(throws: CancellationError.self) { try await sleeper.value }
    }

    @Test func severalMayWatchForSleepers() async throws {
        let clock = ManualClock()
        let watchers = (1...3).map { count in Task { await clock.sleepers(count) } }
        let sleepers = (0..<3).map { _ in Task { try await clock.sleep(for: .seconds(1)) } }
        for watcher in watchers { await watcher.value }
        clock.advance(by: .seconds(1))
        for sleeper in sleepers { try await sleeper.value }
        await clock.sleepers(0)
    }

    @Test func advancesOnManyThreadsAddUp() async {
        let clock = ManualClock()
        await onThreads(8) { _ in
            for _ in 0..<1_000 { clock.advance(by: .milliseconds(1)) }
        }
        #expect(clock.now.offset == .seconds(8))
    }
}

/// Runs tasks one at a time, in the order in which they become ready.
private final class SerialTasks: TaskExecutor {
    private let queue = ProbeQueue().queue

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
