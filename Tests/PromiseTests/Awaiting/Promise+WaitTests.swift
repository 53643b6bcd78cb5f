import Dispatch
import TangoPromise
import Testing

/// Waits on a separate thread. The time limits only end a test that fails.
@Suite(.timeLimit(.minutes(20))) struct WaitTests {
    @Test(arguments: Handling.allCases)
    func theThreadIsBlockedUntilThePromiseSettles(handling: Handling) async throws {
        let (source, resolver) = Promise<Int>.pending(on: handling.makeScheduler())
        let (isWaiting, begin) = Promise<Void>.pending()
        let waiting = Promise {
            try await onOwnThread {
                begin.fulfill()
                return try source.next { $0 + 1 }.wait()
            }
        }
        try await isWaiting.value
        resolver.fulfill(1)
        #expect(try await waiting.value == 2)
    }

    @Test func aSettledPromiseNeedsNoWait() async throws {
        #expect(try await onOwnThread { try Promise(1).wait(timeout: .zero) } == 1)
        await #expect(throws: Mishap.first) {
            try await onOwnThread { try Promise<Int>.rejected(Mishap.first).wait() }
        }
        await #expect(throws: CancellationError.self) {
            try await onOwnThread { try Promise<Int>.rejected(CancellationError()).wait() }
        }
    }

    @Test func errorsAndCancellationsEndTheWait() async {
        let (failing, resolver) = Promise<Int>.pending()
        let (leaving, other) = Promise<Int>.pending()
        let results = Promise.allSettled(
            Promise { try await onOwnThread { try failing.wait() } },
            Promise { try await onOwnThread { try leaving.wait() } })
        resolver.reject(Mishap.first)
        leaving.cancel()
        #expect(await (try? results.value)?.0.failure as? Mishap == .first)
        #expect(await (try? results.value)?.1.failure is CancellationError)
        withExtendedLifetime(other) {}
    }

    @Test(arguments: [Duration.zero, .nanoseconds(1), .milliseconds(1), .seconds(-1)])
    func runningOutOfTimeLeavesThePromiseAlone(timeout: Duration) async throws {
        let recorder = Recorder<String>()
        let (promise, resolver): (Promise<Int>, _) = recorder.pending("promise")
        await #expect(throws: PromiseError.timedOut) {
            try await onOwnThread { try promise.wait(timeout: timeout) }
        }
        #expect(recorder.events.isEmpty)
        resolver.fulfill(1)
        #expect(try await promise.value == 1)
    }

    @Test func theErrorSaysTheTime() async {
        let (promise, resolver) = Promise<Int>.pending()
        let error = await #expect(throws: PromiseError.self) {
            try await onOwnThread { try promise.wait(timeout: .milliseconds(1)) }
        }
        #expect(error?.description.contains("did not settle in 1 ms. Allow") == true)
        withExtendedLifetime(resolver) {}
    }

    @Test(arguments: [Duration.seconds(60), .seconds(Int64.max), .seconds(1_000_000_000_000)])
    func aLongTimeMayBeGiven(timeout: Duration) async throws {
        let (source, resolver) = Promise<Int>.pending()
        let waiting = Promise { try await onOwnThread { try source.wait(timeout: timeout) } }
        resolver.fulfill(1)
        #expect(try await waiting.value == 1)
    }

    @Test func severalThreadsMayWait() async throws {
        let (source, resolver) = Promise<Int>.pending()
        let values = Recorder<Int>()
        await onThreads(4) { index in
            if index == 0 {
                resolver.fulfill(1)
            } else if let value = try? source.wait() {
                values.note(value)
            }
        }
        #expect(values.events == [1, 1, 1])
    }

    // MARK: Refusing to deadlock

    @Test @MainActor func theMainThreadIsNotBlockedForWhatMustRunThere() {
        let (source, resolver) = Promise<Int>.pending()
        let here = source.next(on: .main) { $0 }
        #expect(throws: PromiseError.deadlock) { try here.wait(timeout: .seconds(60)) }
        #expect(throws: PromiseError.deadlock) { try here.next(on: .background) { $0 }.wait(timeout: .seconds(60)) }
        #expect(throws: PromiseError.deadlock) {
            try Promise(1).next(on: .queue(.main)) { $0 }.wait(timeout: .seconds(60))
        }
        let all = Promise.all([Promise(1), here])
        #expect(throws: PromiseError.deadlock) { try all.wait(timeout: .seconds(60)) }
        resolver.fulfill(1)
    }

    @Test @MainActor func theMainThreadMayBeBlockedForWhatRunsElsewhere() throws {
        let elsewhere = Promise(1).next { $0 + 1 }.next(on: ProbeQueue().scheduler) { $0 + 1 }
        #expect(try elsewhere.wait() == 3)
    }

    @Test func aHandlerOfTheMainActorDoesNotBlockIt() async {
        let link = Promise(1).next(on: .main) { _ in
            try Promise(2).next(on: .main) { $0 }.wait(timeout: .seconds(60))
        }
        await #expect(throws: PromiseError.deadlock) { try await link.value }
    }

    @Test(arguments: [Handling.background, .queue])
    func aHandlerDoesNotBlockItsOwnScheduler(handling: Handling) async {
        let scheduler = handling.makeScheduler()
        let link = Promise.fulfilled(1, on: scheduler).next { _ in
            try Promise.fulfilled(2, on: scheduler).next { $0 }.wait(timeout: .seconds(60))
        }
        await #expect(throws: PromiseError.deadlock) { try await link.value }
    }

    @Test func aHandlerDoesNotBlockTheQueueThatItRunsOn() async {
        let queue = DispatchQueue(label: "one queue")
        let link = Promise(1).next(on: .queue(queue)) { _ in
            try Promise(2).next(on: .queue(queue)) { $0 }.wait(timeout: .seconds(60))
        }
        await #expect(throws: PromiseError.deadlock) { try await link.value }
    }

    @Test func aHandlerDoesNotWaitForItsOwnPromise() async {
        let box = Recorder<Promise<Int>>()
        let probe = ProbeQueue()
        let (source, resolver) = Promise<Int>.pending(on: probe.scheduler)
        box.note(source.next { _ in try box.events[0].wait(timeout: .seconds(60)) })
        resolver.fulfill(1)
        await #expect(throws: PromiseError.deadlock) { try await box.events[0].value }
    }

    @Test func aHandlerDoesNotWaitForOneThatIsToRunAfterItOnItsThread() async {
        let link = Promise(1).next { _ in
            try Promise.fulfilled(2, on: .immediate).next { $0 }.wait(timeout: .seconds(60))
        }
        await #expect(throws: PromiseError.deadlock) { try await link.value }
    }

    @Test func aHandlerMayWaitForAnotherScheduler() async throws {
        let (left, right) = (ProbeQueue(), ProbeQueue())
        let link = Promise(1).next(on: left.scheduler) { value in
            try Promise.fulfilled(value, on: right.scheduler).next { $0 + 1 }.wait()
        }
        #expect(try await link.value == 2)
        let back = Promise(1).next(on: left.scheduler) { value in try Promise(value).next { $0 + 2 }.wait() }
        #expect(try await back.value == 3)
    }

    @Test func aHandlerMayWaitForAProducerOfItsOwn() async throws {
        let link = Promise(1).next { value in
            try Promise {
                await Task.yield()
                return value + 1
            }.wait()
        }
        #expect(try await link.value == 2)
    }
}

extension Result {
    fileprivate var failure: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}
