import Foundation
import Synchronization
import TangoPromise
import Testing

private struct Failure: Error {}

/// Many threads on the same promises. Each promise settles once, each consumer is notified once, and no object leaks.
@Suite(.timeLimit(.minutes(20))) struct StressTests {
    private struct Contest: Sendable {
        let promise: Promise<Being>
        let resolver: Resolver<Being>
        let inner: Promise<Being>
        let innerResolver: Resolver<Being>
        let cancellations = Tally()
        /// The notifications of each consumer.
        let heard = Journal<Outcome>()

        init() {
            (promise, resolver) = Promise<Being>.pending()
            (inner, innerResolver) = Promise<Being>.pending()
            resolver.onCancel { [cancellations] in cancellations.add() }
        }

        func listen() {
            promise.next { [heard] _ in heard.write(.fulfilled) }.catch(policy: .all) { [heard] error in
                heard.write(error is CancellationError ? .cancelled : .rejected)
            }
        }
    }

    private enum Outcome { case fulfilled, rejected, cancelled }

    @Test func promisesSettleOnceAndNotifyEveryConsumerOnce() async {
        let census = Census()
        await settleFromManyThreads(census)
        await census.extinction()
    }

    private func settleFromManyThreads(_ census: Census) async {
        let contests = (0..<1_000).map { _ in Contest() }
        await race(contests, threads: 6) { contest, thread in
            switch thread {
            case 0: contest.resolver.fulfill(census.newborn())
            case 1: contest.resolver.reject(Failure())
            case 2: contest.promise.cancel()
            case 3: contest.resolver.follow(contest.inner)
            case 4: contest.innerResolver.fulfill(census.newborn())
            default: for _ in 0..<4 { contest.listen() }
            }
        }
        for contest in contests {
            let heard = await contest.heard.entries(4)
            #expect(heard == Array(repeating: heard[0], count: 4))
            #expect(contest.cancellations.count <= (heard[0] == .cancelled ? 1 : 0))
            switch await contest.promise.result {
            case .success: #expect(heard[0] == .fulfilled)
            case .failure(is CancellationError): #expect(heard[0] == .cancelled)
            case .failure: #expect(heard[0] == .rejected)
            }
        }
    }

    @Test func treesThatAreCancelledAnywhereCleanUpOnce() async {
        let census = Census()
        let cleanups = Journal<Int>()
        await cancelTrees(census, cleanups)
        #expect(await cleanups.entries(800 * 4).count == 800 * 4)
        await census.extinction()
        #expect(cleanups.entries.count == 800 * 4)
    }

    private func cancelTrees(_ census: Census, _ cleanups: Journal<Int>) async {
        let trees = (0..<800).map { number in
            let (root, resolver) = Promise<Being>.pending()
            let trunk = root.next { $0 }
            let branches = (0..<4).map { index in
                trunk.next { being in
                    index == 0 ? Promise(being).next { $0 } : Promise(being)
                }
                .finally { cleanups.write(number) }
            }
            return (resolver: resolver, links: branches.map { $0.next { $0 } })
        }
        await race(trees, threads: 4) { tree, thread in
            switch thread {
            case 0: tree.resolver.fulfill(census.newborn())
            default: tree.links[thread].cancel()
            }
        }
        for tree in trees {
            let last = await tree.links[0].result
            #expect(throws: Never.self) { try last.get() }
        }
    }

    @Test func combinatorsOverSharedInputsAllSettle() async {
        let census = Census()
        await combine(census)
        await census.extinction()
    }

    private func combine(_ census: Census) async {
        let rounds = (0..<500).map { _ in
            let inputs = (0..<3).map { _ in Promise<Being>.pending() }
            let promises = inputs.map(\.promise)
            return (
                resolvers: inputs.map(\.resolver), promises: promises,
                race: Promise.race(promises), any: Promise.any(promises),
                all: Promise.all(promises, losers: .cancel), settled: Promise.allSettled(promises)
            )
        }
        await race(rounds, threads: 5) { round, thread in
            switch thread {
            case 0: round.resolvers[0].fulfill(census.newborn())
            case 1: round.resolvers[1].reject(Failure())
            case 2: round.promises[2].cancel()
            case 3: round.race.cancel()
            default: round.all.next { $0 }.catch { _ in }.cancel()
            }
        }
        for round in rounds {
            _ = await round.race.result
            _ = await round.all.result
            _ = await round.any.result
            let results = await round.settled.result
            #expect(throws: Never.self) { try results.get() }
        }
    }

    @Test func tasksThatAreCancelledAsTheyBeginToAwaitLeave() async {
        for round in 0..<1_500 {
            let (promise, resolver) = Promise<Int>.pending()
            let other = promise.next { $0 }
            let began = Atomic(false)
            let task = Task.detached {
                began.store(true, ordering: .releasing)
                _ = await promise.result
            }
            await onThreads(1) { _ in
                while !began.load(ordering: .acquiring) { sched_yield() }
                for _ in 0..<round % 200 { _ = began.load(ordering: .acquiring) }
                task.cancel()
            }
            await task.value
            let cancelled = Tally()
            resolver.onCancel { cancelled.add() }
            other.cancel()
            #expect(cancelled.count == 1)
        }
    }

    @Test func tasksThatAreCancelledWhileThePromiseSettlesResumeOnce() async {
        let census = Census()
        await awaitAndCancel(census)
        await census.extinction()
    }

    private func awaitAndCancel(_ census: Census) async {
        let rounds = (0..<1_000).map { _ in
            let (promise, resolver) = Promise<Being>.pending()
            let tasks = (0..<3).map { _ in Task { await promise.result } }
            return (resolver: resolver, tasks: tasks)
        }
        await race(rounds, threads: 3) { round, thread in
            if thread == 0 { round.resolver.fulfill(census.newborn()) } else { round.tasks[thread].cancel() }
        }
        for round in rounds {
            for task in round.tasks { _ = await task.value }
            let first = await round.tasks[0].value
            #expect(throws: Never.self) { try first.get() }
        }
    }

    @Test func cyclesThatTwoThreadsCloseTogetherAreBroken() async {
        let rounds = (0..<1_000).map { _ in (Promise<Int>.pending(), Promise<Int>.pending()) }
        await race(rounds, threads: 2) { round, thread in
            if thread == 0 {
                round.0.resolver.follow(round.1.promise)
            } else {
                round.1.resolver.follow(round.0.promise)
            }
        }
        for round in rounds {
            await #expect(throws: PromiseError.cycle) { try await round.0.promise.value }
            await #expect(throws: PromiseError.cycle) { try await round.1.promise.value }
        }
    }
}
