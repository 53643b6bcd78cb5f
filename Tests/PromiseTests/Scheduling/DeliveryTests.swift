import Dispatch
import Foundation
import Synchronization
import TangoPromise
import Testing

/// The schedulers on which a handler never runs inside the call that makes it ready.
enum Venue: CaseIterable, Sendable {
    case background, serialQueue, concurrentQueue, custom

    func makeScheduler() -> Scheduler {
        switch self {
        case .background: .background
        case .serialQueue: .queue(DispatchQueue(label: "serial"))
        case .concurrentQueue: .queue(DispatchQueue(label: "concurrent", attributes: .concurrent))
        case .custom:
            Scheduler { work in DispatchQueue.global().async(execute: work) }
        }
    }
}

/// Detects calls that run inside others on the same thread.
private final class Nesting: Sendable {
    private let threads = Mutex<[ObjectIdentifier]>([])

    var isInside: Bool {
        threads.withLock { $0.contains(ObjectIdentifier(Thread.current)) }
    }

    func during(_ body: () -> Void) {
        threads.withLock { $0.append(ObjectIdentifier(Thread.current)) }
        body()
        threads.withLock { threads in threads.removeAll { $0 == ObjectIdentifier(Thread.current) } }
    }
}

@Suite(.timeLimit(.minutes(20))) struct DeliveryTests {
    // MARK: When

    @Test(arguments: Venue.allCases)
    func noHandlerRunsInsideTheCallThatAttachesOrSettles(venue: Venue) async {
        let nesting = Nesting()
        let journal = Journal<Bool>()
        let scheduler = venue.makeScheduler()
        await onThreads(1) { _ in
            let (promise, resolver) = Promise<Int>.pending(on: scheduler)
            promise.next { _ in journal.write(nesting.isInside) }
            nesting.during {
                resolver.fulfill(1)
                promise.next { _ in journal.write(nesting.isInside) }
            }
        }
        #expect(await journal.entries(2) == [false, false])
    }

    @Test(arguments: Venue.allCases)
    func noHandlerRunsInsideAnotherOne(venue: Venue) async {
        let nesting = Nesting()
        let journal = Journal<Bool>()
        let scheduler = venue.makeScheduler()
        let (promise, resolver) = Promise<Int>.pending(on: scheduler)
        promise.next { value in
            let (inner, settling) = Promise<Int>.pending(on: scheduler)
            nesting.during {
                inner.next { _ in journal.write(nesting.isInside) }
                settling.fulfill(value)
                inner.next { _ in journal.write(nesting.isInside) }
                promise.next { _ in journal.write(nesting.isInside) }
            }
        }
        resolver.fulfill(1)
        #expect(await journal.entries(3) == [false, false, false])
    }

    @Test func immediateHandlersRunInsideTheCall() {
        let (promise, resolver) = Promise<Int>.pending(on: .immediate)
        let journal = Journal<Int>()
        promise.next { _ in journal.write(1) }.next { journal.write(2) }
        resolver.fulfill(0)
        #expect(journal.entries == [1, 2])
        promise.next { _ in journal.write(3) }
        #expect(journal.entries == [1, 2, 3])
    }

    @Test func immediateHandlersMadeReadyByAHandlerRunAsSoonAsItReturns() {
        let (promise, resolver) = Promise<Int>.pending(on: .immediate)
        let (inner, settling) = Promise<Int>.pending(on: .immediate)
        let journal = Journal<Int>()
        inner.next { _ in journal.write(2) }
        promise.next { value in
            settling.fulfill(value)
            journal.write(1)
        }
        resolver.fulfill(0)
        #expect(journal.entries == [1, 2])
    }

    @Test func aLongImmediateChainAfterABackgroundHandlerRunsToItsEnd() async throws {
        let (promise, resolver) = Promise<Int>.pending()
        var chain = promise.next { $0 }
        for _ in 0..<3_000 { chain = chain.next(on: .immediate) { $0 + 1 } }
        resolver.fulfill(0)
        #expect(try await chain.value == 3_000)
    }

    @Test func theImmediateLinksOfManyBackgroundHandlersAllRun() async throws {
        let (promise, resolver) = Promise<Int>.pending()
        let links = (0..<3_000).map { number in promise.next { $0 }.next(on: .immediate) { $0 + number } }
        resolver.fulfill(0)
        #expect(try await Promise.all(links).value == Array(0..<3_000))
    }

    // MARK: In which order

    @Test(arguments: Venue.allCases)
    func handlersRunInTheOrderOfRegistrationWhileAnotherThreadSettles(venue: Venue) async throws {
        struct Round: Sendable {
            let promise: Promise<Int>
            let resolver: Resolver<Int>
            let order = Journal<Int>()
        }
        let scheduler = venue.makeScheduler()
        let rounds = (0..<1_000).map { _ in
            let (promise, resolver) = Promise<Int>.pending(on: scheduler)
            return Round(promise: promise, resolver: resolver)
        }
        await race(rounds, threads: 2) { round, thread in
            if thread == 0 {
                for number in 0..<6 { round.promise.next { _ in round.order.write(number) } }
            } else {
                round.resolver.fulfill(1)
            }
        }
        for round in rounds { #expect(await round.order.entries(6) == Array(0..<6)) }
    }

    @Test func aQueueThatIsNamedTwiceKeepsTheOrder() async {
        let queue = DispatchQueue(label: "named twice")
        let order = Journal<Int>()
        let (promise, resolver) = Promise<Int>.pending()
        for number in 0..<5 { promise.next(on: .queue(queue)) { _ in order.write(number) } }
        resolver.fulfill(1)
        #expect(await order.entries(5) == Array(0..<5))
    }

    @Test func aQueueThatIsNamedTwiceIsOneSchedulerToWait() async throws {
        let queue = DispatchQueue(label: "named twice")
        let (promise, resolver) = Promise<Int>.pending()
        let link = promise.next(on: .queue(queue)) { $0 }
        let outcome = Promise(()).next(on: .queue(queue)) { try link.wait() }
        await #expect(throws: PromiseError.deadlock) { try await outcome.value }
        resolver.fulfill(1)
    }

    // MARK: Without overlap

    @Test(arguments: Venue.allCases)
    func handlersOfOnePromiseNeverOverlap(venue: Venue) async {
        let promise = Promise.fulfilled(1, on: venue.makeScheduler())
        let running = Atomic(0)
        let entries = Journal<(thread: Int, number: Int, isAlone: Bool)>()
        let write = { @Sendable (thread: Int, number: Int) in
            let isAlone = running.add(1, ordering: .sequentiallyConsistent).newValue == 1
            sched_yield()
            entries.write((thread, number, isAlone))
            running.subtract(1, ordering: .sequentiallyConsistent)
        }
        await onThreads(4) { thread in
            for number in 0..<500 { promise.next { _ in write(thread, number) } }
        }
        let heard = await entries.entries(2_000)
        let overlaps = heard.count { !$0.isAlone }
        #expect(overlaps == 0)
        for thread in 0..<4 {
            #expect(heard.filter { $0.thread == thread }.map(\.number) == Array(0..<500))
        }
    }

    @Test func handlersOnAConcurrentQueueNeverOverlapHoweverOftenItIsNamed() async {
        let queue = DispatchQueue(label: "concurrent", attributes: .concurrent)
        let running = Atomic(0)
        let entries = Journal<Bool>()
        await onThreads(4) { _ in
            for _ in 0..<250 {
                Promise(1).next(on: .queue(queue)) { _ in
                    let isAlone = running.add(1, ordering: .sequentiallyConsistent).newValue == 1
                    sched_yield()
                    running.subtract(1, ordering: .sequentiallyConsistent)
                    entries.write(isAlone)
                }
            }
        }
        let overlaps = await entries.entries(1_000).count { !$0 }
        #expect(overlaps == 0)
    }
}
