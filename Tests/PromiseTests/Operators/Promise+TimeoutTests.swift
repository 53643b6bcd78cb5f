import TangoPromise
import Testing

@Suite(.timeLimit(.minutes(20))) struct TimeoutTests {
    @Test(arguments: Supply.all)
    func aValueInTimePasses(supply: Supply) async throws {
        #expect(try await supply.value(1) { $0.timeout(.seconds(2), clock: ManualClock()) }.value == 1)
    }

    @Test(arguments: Supply.all, [Mishap.first as any Error, CancellationError()])
    func aRejectionInTimePasses(supply: Supply, error: any Error) async {
        let link = supply.error(error) { $0.timeout(.seconds(2), clock: ManualClock()) }
        await #expect { try await link.value } throws: { "\($0)" == "\(error)" }
    }

    @Test(arguments: Handling.allCases)
    func theLinkRejectsAtTheDeadline(handling: Handling) async {
        let clock = ManualClock()
        let (source, resolver) = Promise<Int>.pending(on: handling.makeScheduler())
        let link = source.timeout(.seconds(2), clock: clock)
        clock.advance(by: .seconds(2))
        await #expect(throws: PromiseError.timedOut) { try await link.value }
        withExtendedLifetime(resolver) {}
    }

    @Test func theErrorSaysTheTime() async throws {
        let clock = ManualClock()
        let (source, resolver) = Promise<Int>.pending()
        let link = source.timeout(.milliseconds(250), clock: clock)
        clock.advance(by: .milliseconds(250))
        let error = await link.result.error(as: PromiseError.self)
        #expect(
            error?.description
                == "The promise did not settle in 250 ms. Allow more time, or check why its work is slow.")
        withExtendedLifetime(resolver) {}
    }

    @Test func theErrorNamesTheAwaitedWork() async throws {
        let clock = ManualClock()
        let works = ["A", "B", "C", "D", "E"].map(NamedWork.init)
        let inputs = works.map { Promise<Int>.unowned(origin: $0.workName, work: $0) }
        #expect(inputs[0].settle(1))
        let link = Promise.fulfilled(1, on: .immediate).flatMap { _ in Promise.all(inputs) }.map(\.count)
            .timeout(.seconds(2), clock: clock)
        clock.advance(by: .seconds(2))
        let text = await link.result.error(as: PromiseError.self)?.description
        #expect(text?.contains("in 2 s, waiting for B; C; D; and 1 more.") == true, "\(text ?? "")")
        // Its consumers have left, so the work ends.
        try await works[4].ended.promise.value
    }

    @Test func theErrorOfOneWorkHasItsNameAlone() async throws {
        let clock = ManualClock()
        let work = NamedWork("A")
        let link = Promise<Int>.unowned(origin: "A", work: work).timeout(.seconds(2), clock: clock)
        clock.advance(by: .seconds(2))
        let text = await link.result.error(as: PromiseError.self)?.description
        #expect(text?.contains("did not settle in 2 s, waiting for A. Allow") == true, "\(text ?? "")")
        try await work.ended.promise.value
    }

    @Test func theErrorCanBeCaughtByItsName() async {
        do {
            _ = try await Promise<Int>.rejected(PromiseError.timedOut).value
            Issue.record("no error")
        } catch PromiseError.cycle {
            Issue.record("another error")
        } catch PromiseError.timedOut {
        } catch {
            Issue.record(error)
        }
    }

    @Test func theTimeCountsFromTheCall() async {
        let clock = ManualClock()
        let (source, resolver) = Promise<Int>.pending()
        clock.advance(by: .seconds(10))
        let link = source.timeout(.seconds(2), clock: clock)
        await clock.sleepers()
        clock.advance(to: ManualClock.Instant(offset: .seconds(11)))
        await clock.sleepers()
        clock.advance(to: ManualClock.Instant(offset: .seconds(12)))
        await #expect(throws: PromiseError.timedOut) { try await link.value }
        withExtendedLifetime(resolver) {}
    }

    @Test func aSourceWithoutAnotherConsumerIsCancelled() async throws {
        let clock = ManualClock()
        let recorder = Recorder<String>()
        let (source, resolver): (Promise<Int>, _) = recorder.pending("source")
        let (stopped, stop) = Promise<Void>.pending()
        resolver.onCancel { stop.fulfill() }
        let link = source.timeout(.seconds(2), clock: clock)
        clock.advance(by: .seconds(2))
        await #expect(throws: PromiseError.timedOut) { try await link.value }
        // The link leaves its source a moment after it has rejected, so nothing may wait for the source before.
        try await stopped.value
        #expect(await source.isCancelled)
        #expect(recorder.events == ["source stopped"])
        withExtendedLifetime(resolver) {}
    }

    @Test func aSourceWithAnotherConsumerGoesOn() async throws {
        let clock = ManualClock()
        let recorder = Recorder<String>()
        let (source, resolver): (Promise<Int>, _) = recorder.pending("source")
        let other = source.next { $0 + 1 }
        let link = source.timeout(.seconds(2), clock: clock)
        clock.advance(by: .seconds(2))
        await #expect(throws: PromiseError.timedOut) { try await link.value }
        resolver.fulfill(1)
        #expect(try await other.value == 2)
        #expect(recorder.events.isEmpty)
    }

    @Test func settlingInTimeEndsTheSleep() async throws {
        let (ended, end) = Promise<Bool>.pending()
        let clock = WatchedClock { error in end.fulfill(error is CancellationError) }
        let (source, resolver) = Promise<Int>.pending()
        let link = source.timeout(.seconds(2), clock: clock)
        await clock.base.sleepers()
        resolver.fulfill(1)
        #expect(try await link.value == 1)
        #expect(try await ended.value)
    }

    @Test func timeRunningOutLaterChangesNothing() async throws {
        let clock = ManualClock()
        let (source, resolver) = Promise<Int>.pending()
        let link = source.timeout(.seconds(2), clock: clock)
        await clock.sleepers()
        resolver.fulfill(1)
        #expect(try await link.value == 1)
        clock.advance(by: .seconds(2))
        #expect(try await link.value == 1)
    }

    @Test func aTimeoutIsAnErrorThatMayBeRecovered() async throws {
        let clock = ManualClock()
        let (source, resolver) = Promise<String>.pending()
        let link = source.timeout(.seconds(2), clock: clock).recover { "\($0 as? PromiseError == .timedOut)" }
        clock.advance(by: .seconds(2))
        #expect(try await link.value == "true")
        withExtendedLifetime(resolver) {}
    }

    @Test func theShorterOfTwoTimeoutsDecides() async throws {
        let clock = ManualClock()
        let recorder = Recorder<String>()
        let (source, resolver): (Promise<Int>, _) = recorder.pending("source")
        let (stopped, stop) = Promise<Void>.pending()
        resolver.onCancel { stop.fulfill() }
        let long = source.timeout(.seconds(3), clock: clock)
        let short = long.timeout(.seconds(2), clock: clock)
        clock.advance(by: .seconds(2))
        await #expect(throws: PromiseError.timedOut) { try await short.value }
        try await stopped.value
        #expect(await long.isCancelled)
        #expect(recorder.events == ["source stopped"])
        withExtendedLifetime(resolver) {}
    }

    @Test func aCancelledLinkLeavesItsSource() async {
        let clock = ManualClock()
        let recorder = Recorder<String>()
        let (source, resolver): (Promise<Int>, _) = recorder.pending("source")
        let link = source.timeout(.seconds(2), clock: clock)
        link.cancel()
        clock.advance(by: .seconds(2))
        #expect(await link.isCancelled)
        #expect(recorder.events == ["source stopped"])
        withExtendedLifetime(resolver) {}
    }

    @Test func settlingAndRunningOutMayRace() async {
        for _ in 0..<100 {
            let clock = ManualClock()
            let (source, resolver) = Promise<Int>.pending()
            let link = source.timeout(.seconds(2), clock: clock)
            await clock.sleepers()
            await onThreads(2) { index in
                if index == 0 { clock.advance(by: .seconds(2)) } else { resolver.fulfill(1) }
            }
            switch await link.result {
            case .success(let value): #expect(value == 1)
            case .failure(let error): #expect(error as? PromiseError == .timedOut)
            }
        }
    }

    @Test func laterLinksRunWhereTheSourceDoes() async throws {
        let probe = ProbeQueue()
        let clock = ManualClock()
        let (source, resolver) = Promise<Bool>.pending(on: probe.scheduler)
        let link = source.timeout(.seconds(2), clock: clock).recover { _ in probe.isCurrent }
        clock.advance(by: .seconds(2))
        #expect(try await link.value)
        withExtendedLifetime(resolver) {}
    }
}

/// Work that has a name and records its end.
private final class NamedWork: PromiseWork {
    let workName: String
    let ended = Promise<Void>.pending()

    init(_ name: String) {
        workName = name
    }

    func consumersLeft() {
        ended.resolver.fulfill()
    }
}
