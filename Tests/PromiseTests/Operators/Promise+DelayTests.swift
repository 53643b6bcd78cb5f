import TangoPromise
import Testing

@Suite(.timeLimit(.minutes(20))) struct DelayTests {
    @Test(arguments: Supply.all)
    func theValuePassesWhenTheTimeHasCome(supply: Supply) async throws {
        let clock = ManualClock()
        let recorder = Recorder<Int>()
        let link = supply.value(1) { $0.delay(.seconds(2), clock: clock).tap { recorder.note($0) } }
        await clock.sleepers()
        clock.advance(by: .seconds(1))
        #expect(recorder.events.isEmpty)
        await clock.sleepers()
        clock.advance(by: .seconds(1))
        #expect(try await link.value == 1)
        #expect(recorder.events == [1])
    }

    @Test(arguments: Supply.all, [Mishap.first as any Error, CancellationError()])
    func everyRejectionPassesAtOnce(supply: Supply, error: any Error) async {
        let link = supply.error(error) { $0.delay(.seconds(2), clock: ManualClock()) }
        await #expect { try await link.value } throws: { "\($0)" == "\(error)" }
    }

    @Test func theTimeCountsFromTheValue() async throws {
        let clock = ManualClock()
        let recorder = Recorder<Int>()
        let (source, resolver) = Promise<Int>.pending(on: .immediate)
        let link = source.delay(.seconds(2), clock: clock).tap { recorder.note($0) }
        clock.advance(by: .seconds(10))
        resolver.fulfill(1)
        await clock.sleepers()
        clock.advance(by: .seconds(1))
        await clock.sleepers()
        #expect(recorder.events.isEmpty)
        clock.advance(by: .seconds(1))
        #expect(try await link.value == 1)
    }

    @Test(arguments: [Duration.zero, .seconds(-1), .seconds(Int64.min), .nanoseconds(-1)])
    func aDurationOfZeroOrLessIsNoWait(duration: Duration) async throws {
        #expect(try await Promise(1).delay(duration).value == 1)
        #expect(try await Promise(1).delay(duration, clock: ManualClock()).value == 1)
    }

    @Test(arguments: [Duration.seconds(Int64.max), .seconds(1_000_000_000_000)])
    func aVeryLongDurationIsNoTrap(duration: Duration) async {
        let link = Promise(1).delay(duration)
        link.cancel()
        #expect(await link.isCancelled)
    }

    @Test func theDeadlineOfASettledPromiseIsFixedAtOnce() async throws {
        let clock = ManualClock()
        let link = Promise(1).delay(.seconds(2), clock: clock)
        clock.advance(by: .seconds(2))
        #expect(try await link.value == 1)
    }

    @Test func delaysInARowAddUp() async throws {
        let clock = ManualClock()
        let link = Promise(1).delay(.seconds(1), clock: clock).delay(.seconds(1), clock: clock)
        clock.advance(by: .seconds(1))
        await clock.sleepers()
        clock.advance(by: .seconds(1))
        #expect(try await link.value == 1)
        #expect(clock.now.offset == .seconds(2))
    }

    @Test(arguments: [Duration.zero, .seconds(-1)])
    func noTimeIsNoWait(duration: Duration) async throws {
        #expect(try await Promise(1).delay(duration, clock: ManualClock()).value == 1)
    }

    @Test func theDefaultClockTicks() async throws {
        #expect(try await Promise(1).delay(.nanoseconds(1)).value == 1)
    }

    @Test func aLinkCancelledInTheWaitEndsItsSleep() async throws {
        let (ended, end) = Promise<Bool>.pending()
        let clock = WatchedClock { error in end.fulfill(error is CancellationError) }
        let recorder = Recorder<Int>()
        let link = Promise(1).delay(.seconds(2), clock: clock)
        let after = link.tap { recorder.note($0) }
        await clock.base.sleepers()
        link.cancel()
        #expect(await after.isCancelled)
        #expect(try await ended.value)
        #expect(recorder.events.isEmpty)
    }

    @Test func aLinkCancelledBeforeTheValueLeavesItsSource() async {
        let recorder = Recorder<String>()
        let (source, resolver): (Promise<Int>, _) = recorder.pending("source")
        let link = source.delay(.seconds(2), clock: ManualClock())
        link.cancel()
        resolver.fulfill(1)
        #expect(await link.isCancelled)
        #expect(recorder.events == ["source stopped"])
    }

    @Test func laterLinksRunWhereTheSourceDoes() async throws {
        let probe = ProbeQueue()
        let clock = ManualClock()
        let link = Promise.fulfilled(1, on: probe.scheduler).delay(.seconds(1), clock: clock)
        let isThere = link.next { _ in probe.isCurrent }
        clock.advance(by: .seconds(1))
        #expect(try await isThere.value)
    }
}
