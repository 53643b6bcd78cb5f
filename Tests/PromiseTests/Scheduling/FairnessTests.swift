import Foundation
import Synchronization
import TangoPromise
import Testing

/// The cost of a pass, and its budget.
@Suite(.timeLimit(.minutes(20))) struct FairnessTests {
    // MARK: Hops

    @Test func aChainCostsOneHop() async throws {
        let held = HeldWork()
        let (promise, resolver) = Promise<Int>.pending(on: held.scheduler)
        var chain = promise
        for _ in 0..<500 { chain = chain.next { $0 + 1 } }
        resolver.fulfill(0)
        held.runAll()
        #expect(held.hops == 1)
        #expect(try await chain.value == 500)
    }

    @Test func aLongChainCostsOneHopForEachThousandLinks() async throws {
        let held = HeldWork()
        let (promise, resolver) = Promise<Int>.pending(on: held.scheduler)
        var chain = promise
        for _ in 0..<5_000 { chain = chain.next { $0 + 1 } }
        resolver.fulfill(0)
        held.runAll()
        #expect(held.hops == 5)
        #expect(try await chain.value == 5_000)
    }

    @Test func handlersThatBecomeReadyTogetherShareAHop() async throws {
        let held = HeldWork()
        let resolvers = (0..<100).map { _ in
            let (promise, resolver) = Promise<Int>.pending(on: held.scheduler)
            promise.next { $0 }
            return resolver
        }
        for resolver in resolvers { resolver.fulfill(1) }
        #expect(held.hops == 1)
        held.runAll()
        #expect(held.hops == 1)
    }

    @Test func linksThatOnlyPassAnOutcomeOnCostNoHop() async throws {
        let held = HeldWork()
        let (promise, resolver) = Promise<Int>.pending(on: held.scheduler)
        var chain = promise
        for _ in 0..<100 { chain = chain.next { $0 } }
        resolver.reject(PromiseError.invalid)
        await #expect(throws: PromiseError.invalid) { try await chain.value }
        #expect(held.hops == 0)
    }

    @Test func aSchedulerThatRunsItsWorkAtOnceDeliversEverything() async throws {
        let promise = Promise.fulfilled(0, on: Scheduler { work in work() })
        var chain = promise
        for _ in 0..<5_000 { chain = chain.next { $0 + 1 } }
        #expect(try await chain.value == 5_000)
    }

    @Test func aSchedulerThatRunsItsWorkTwiceRunsEachHandlerOnce() async throws {
        let tally = Tally()
        let held = HeldWork()
        let doubling = Scheduler { work in
            let outcome = Promise.fulfilled((), on: held.scheduler)
            outcome.next { work() }
            outcome.next { work() }
        }
        for _ in 0..<10 { Promise.fulfilled(0, on: doubling).next { _ in tally.add() } }
        held.runAll()
        #expect(tally.count == 10)
    }

    // MARK: Giving way

    /// A chain that goes on until `stop` is called.
    private static func spin(on scheduler: Scheduler, until stop: Tally) -> Promise<Int> {
        Promise.fulfilled(1, on: scheduler).next { _ -> Promise<Int> in
            stop.count > 0 ? Promise(1) : spin(on: scheduler, until: stop)
        }
    }

    @Test func anEndlessChainGivesWayOnASerialScheduler() {
        let held = HeldWork()
        let stop = Tally()
        let chain = FairnessTests.spin(on: held.scheduler, until: stop)
        held.runOne()
        Promise.fulfilled(1, on: held.scheduler).next { _ in stop.add() }
        held.runOne()
        #expect(stop.count == 1)
        held.runAll()
        withExtendedLifetime(chain) {}
    }

    @Test(arguments: Venue.allCases)
    func endlessChainsDoNotStarveTheirNeighbour(venue: Venue) async throws {
        let scheduler = venue.makeScheduler()
        let stop = Tally()
        let count = ProcessInfo.processInfo.activeProcessorCount + 2
        let chains = (0..<count).map { _ in FairnessTests.spin(on: scheduler, until: stop) }
        Promise.fulfilled(1, on: scheduler).next { _ in stop.add() }
        for chain in chains { #expect(try await chain.value == 1) }
    }

    // MARK: Blocking

    @Test func blockedBackgroundHandlersDoNotStopOthers() async throws {
        let gate = Gate()
        let entered = Journal<Int>()
        let count = ProcessInfo.processInfo.activeProcessorCount + 1
        let blocked = (0..<count).map { number in
            Promise(number).next { number in
                entered.write(number)
                gate.pass()
            }
        }
        _ = await entered.entries(count)
        Promise(1).next { _ in gate.open() }
        for promise in blocked { try await promise.value }
    }

    @Test func aBlockedHandlerDoesNotStopWhatFollowsAnEarlierOneOfTheSamePromise() async throws {
        let gate = Gate()
        let (promise, resolver) = Promise<Int>.pending()
        promise.next { $0 }.next { _ in gate.open() }
        let blocked = promise.next { _ in gate.pass() }
        resolver.fulfill(1)
        try await blocked.value
    }
}
