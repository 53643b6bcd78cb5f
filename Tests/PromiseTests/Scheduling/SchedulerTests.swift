import Dispatch
import Synchronization
import TangoPromise
import Testing

@Suite(.timeLimit(.minutes(20))) struct SchedulerTests {
    // MARK: Where handlers run

    @Test func immediateHandlersRunInsideTheCall() {
        let recorder = Recorder<String>()
        let (promise, resolver) = Promise<Int>.pending(on: .immediate)
        promise.next { _ in recorder.note("attached before") }
        resolver.fulfill(1)
        recorder.note("settled")
        promise.next { _ in recorder.note("attached after") }
        recorder.note("attached")
        #expect(recorder.events == ["attached before", "settled", "attached after", "attached"])
    }

    @Test func insideAnotherHandlerImmediateOnesRunAfterIt() {
        let recorder = Recorder<String>()
        let (promise, resolver) = Promise<Int>.pending(on: .immediate)
        promise.next { _ in
            recorder.note("begin")
            Promise.fulfilled(2, on: .immediate).next { _ in recorder.note("inner") }
            recorder.note("end")
        }
        resolver.fulfill(1)
        #expect(recorder.events == ["begin", "end", "inner"])
    }

    @Test func handlersThatABackgroundJobMakesReadyRun() async {
        let recorder = Recorder<String>()
        let (promise, resolver) = Promise<Int>.pending(on: .immediate)
        promise.next { _ in recorder.note("immediate") }
        let done = promise.next(on: .background) { _ in recorder.note("background") }
        Scheduler.inBackground {
            recorder.note("job")
            resolver.fulfill(1)
            Scheduler.runImmediate()
            recorder.note("job goes on")
        }
        _ = await done.result
        #expect(recorder.events == ["job", "immediate", "job goes on", "background"])
        await withCheckedContinuation { continuation in
            let (last, resolver) = Promise<Int>.pending(on: .immediate)
            last.next { _ in continuation.resume() }
            Scheduler.inBackground { resolver.fulfill(2) }
        }
    }

    @Test func queuedHandlersRunOnTheirQueue() async throws {
        let probe = ProbeQueue()
        #expect(try await Promise.fulfilled(1, on: probe.scheduler).next { _ in probe.isCurrent }.value)
    }

    @Test func mainHandlersRunOnTheMainQueueWhateverItIsCalled() async throws {
        for scheduler in [Scheduler.queue(.main), .queue(DispatchQueue.main)] {
            try await Promise(1).next(on: scheduler) { _ in
                dispatchPrecondition(condition: .onQueue(.main))
                MainActor.assertIsolated()
            }.value
        }
        try await Promise(1).next(on: .main) { _ in MainActor.assertIsolated() }.value
    }

    @Test func backgroundHandlersDoNotRunInsideTheCall() async throws {
        let key = DispatchSpecificKey<Bool>()
        let queue = DispatchQueue(label: "caller")
        queue.setSpecific(key: key, value: true)
        let (promise, resolver) = Promise<Int>.pending()
        let isOnCaller = promise.next { _ in DispatchQueue.getSpecific(key: key) ?? false }
        queue.async { resolver.fulfill(1) }
        #expect(try await isOnCaller.value == false)
    }

    @Test func eachHandlerRunsInATaskOfItsOwn() async throws {
        let link = Promise(1).next(on: .task) { _ in withUnsafeCurrentTask { $0 != nil } }
        #expect(try await link.value)
    }

    // MARK: Inheritance

    @Test func laterLinksInheritTheSchedulerUntilAnotherIsGiven() async throws {
        let (first, second) = (ProbeQueue(), ProbeQueue())
        let places = Recorder<[Bool]>()
        @Sendable func note(_: Int) { places.note([first.isCurrent, second.isCurrent]) }
        let link = Promise.fulfilled(1, on: first.scheduler).tap(note).tap(note)
            .tap(on: second.scheduler, note).tap(note)
            .tap(on: .task) { _ in }.tap(note)
            .tap(on: first.scheduler, note)
        _ = try await link.value
        #expect(
            places.events == [
                [true, false], [true, false], [false, true], [false, true], [false, true], [true, false],
            ])
    }

    @Test func aPromiseThatIsFollowedKeepsItsSchedulerToItself() async throws {
        let (outer, inner) = (ProbeQueue(), ProbeQueue())
        let link = Promise.fulfilled(1, on: outer.scheduler).next { Promise.fulfilled($0, on: inner.scheduler) }
        #expect(try await link.next { _ in outer.isCurrent && !inner.isCurrent }.value)
    }

    // MARK: Order, and one at a time

    @Test(arguments: Handling.allCases)
    func handlersOfOnePromiseKeepTheirOrderAndDoNotOverlap(handling: Handling) async throws {
        let overlaps = OverlapCounter()
        let order = Recorder<Int>()
        let (promise, resolver) = Promise<Int>.pending(on: handling.makeScheduler())
        let links = (0..<200).map { index in
            promise.next { _ in
                overlaps.enter()
                order.note(index)
                overlaps.leave()
            }
        }
        resolver.fulfill(1)
        try await Promise.all(links).next { _ in }.value
        #expect(order.events == Array(0..<200))
        #expect(overlaps.count == 0)
    }

    @Test func aConcurrentQueueRunsItsHandlersOneAtATime() async throws {
        let queue = DispatchQueue(label: "concurrent", attributes: .concurrent)
        let overlaps = OverlapCounter()
        let links = (0..<200).map { index in
            Promise(index).next(on: .queue(queue)) { _ in
                overlaps.enter()
                overlaps.leave()
            }
        }
        try await Promise.all(links).next { _ in }.value
        #expect(overlaps.count == 0)
    }

    @Test func aQueueNamedTwiceKeepsTheOrder() async throws {
        let queue = DispatchQueue(label: "named often")
        let order = Recorder<Int>()
        let (promise, resolver) = Promise<Int>.pending()
        let links = (0..<50).map { index in
            promise.next(on: .queue(queue)) { _ in order.note(index) }
        }
        resolver.fulfill(1)
        try await Promise.all(links).next { _ in }.value
        #expect(order.events == Array(0..<50))
    }

    @Test func globalQueuesAreSchedulers() async throws {
        let link = Promise(1).next(on: .queue(.global())) { $0 + 1 }.next(on: .queue(.global(qos: .utility))) { $0 + 1 }
        #expect(try await link.value == 3)
    }

    @Test func whileOneHandlerBlocksOtherPromisesGoOnInTheBackground() async throws {
        let gate = DispatchSemaphore(value: 0)
        let blocked = Promise(1).next { value in
            gate.wait()
            return value
        }
        let free = Promise(2).next { value in
            gate.signal()
            return value
        }
        #expect(try await Promise.all(blocked, free).value == (1, 2))
    }

    // MARK: Schedulers of one's own

    @Test func aCustomSchedulerDecidesWhenHandlersRun() {
        let pump = Pump()
        let recorder = Recorder<Int>()
        let (promise, resolver) = Promise<Int>.pending(on: pump.scheduler)
        promise.next { recorder.note($0) }
        resolver.fulfill(1)
        promise.next { recorder.note($0 + 1) }
        #expect(recorder.events.isEmpty)
        #expect(pump.run() == 1)
        #expect(recorder.events == [1, 2])
    }

    @Test func aChainCostsOnePassHoweverLongItIs() {
        let pump = Pump()
        let recorder = Recorder<Int>()
        var link = Promise.fulfilled(0, on: pump.scheduler)
        for _ in 0..<500 { link = link.next { $0 + 1 } }
        link.next { recorder.note($0) }
        #expect(pump.run() == 1)
        #expect(recorder.events == [500])
    }

    @Test func aPassGivesWayToOthersAfterAThousandHandlers() {
        let pump = Pump()
        let recorder = Recorder<Int>()
        var link = Promise.fulfilled(0, on: pump.scheduler)
        for _ in 0..<2_500 { link = link.next { $0 + 1 } }
        link.next { recorder.note($0) }
        #expect(pump.run() == 3)
        #expect(recorder.events == [2_500])
    }

    @Test(arguments: Handling.allCases, 998...1_002)
    func immediateLinksRunEvenWhereAPassEnds(handling: Handling, length: Int) async throws {
        var link = Promise.fulfilled(0, on: handling.makeScheduler())
        for _ in 0..<length { link = link.next { $0 + 1 } }
        #expect(try await link.next(on: .immediate) { $0 + 1 }.next { $0 }.value == length + 1)
    }

    @Test func linksSettledInAHandlerOfTheSameSchedulerRunInTheSamePass() {
        let pump = Pump()
        let recorder = Recorder<String>()
        let (other, resolver) = Promise<Int>.pending(on: pump.scheduler)
        other.next { _ in recorder.note("other") }
        Promise.fulfilled(1, on: pump.scheduler).next { _ in
            resolver.fulfill(2)
            recorder.note("end")
        }
        #expect(pump.run() == 1)
        #expect(recorder.events == ["end", "other"])
    }

    // MARK: Current

    @Test func currentIsTheMainQueueOnIt() async throws {
        let scheduler = await MainActor.run { Scheduler.current }
        try await Promise(1).next(on: scheduler) { _ in MainActor.assertIsolated() }.value
        let called = await MainActor.run { Scheduler.current() }
        try await Promise(1).next(on: called) { _ in MainActor.assertIsolated() }.value
    }

    @Test func currentIsTheCallersActor() async throws {
        let counter = SelfCounter()
        #expect(try await counter.countOnItself(20).value == 20)
        #expect(await counter.count == 20)
    }

    @Test func currentDoesNotRetainTheActor() async throws {
        let lifetimes = Lifetimes()
        var owner: Owner? = Owner(lifetimes.token())
        let made = try #require(await owner?.pending())
        owner = nil
        await lifetimes.allEnded()
        let link = made.promise.next { Scheduler.isOnMainQueue }
        made.resolver.fulfill()
        #expect(try await link.value == false)
    }

    @Test func elsewhereCurrentIsTheBackground() async throws {
        let probe = ProbeQueue()
        let schedulers = try await Promise(1).next(on: probe.scheduler) { _ in [Scheduler.current, .current()] }.value
        for scheduler in schedulers {
            #expect(try await Promise(1).next(on: scheduler) { _ in !probe.isCurrent }.value)
        }
    }
}

/// An actor that counts in handlers that run on it.
private actor SelfCounter {
    var count = 0

    func countOnItself(_ times: Int) -> Promise<Int> {
        let scheduler = Scheduler.current()
        let (promise, resolver) = Promise<Void>.pending(on: scheduler)
        let links = (0..<times).map { _ in
            promise.next { self.assumeIsolated { $0.count += 1 } }
        }
        resolver.fulfill()
        return Promise.all(links).next { $0.count }
    }
}

/// An actor that makes promises whose handlers run on it.
private actor Owner {
    let token: Lifetimes.Token

    init(_ token: Lifetimes.Token) {
        self.token = token
    }

    func pending() -> (promise: Promise<Void>, resolver: Resolver<Void>) { Promise.pending(on: .current()) }
}

/// Counts the handlers that began before another had ended.
private final class OverlapCounter: Sendable {
    private let inside = Atomic(0)
    private let overlaps = Atomic(0)

    var count: Int { overlaps.load(ordering: .relaxed) }

    func enter() {
        if inside.add(1, ordering: .acquiringAndReleasing).newValue > 1 { overlaps.add(1, ordering: .relaxed) }
    }

    func leave() {
        inside.subtract(1, ordering: .acquiringAndReleasing)
    }
}
