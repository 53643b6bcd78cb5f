import Synchronization
import TangoPromise
import Testing

/// The handlers that run when a promise or the link itself is cancelled.
@Suite(.timeLimit(.minutes(20))) struct CancelledHandlersTests {
    @Test func aCancellationSkipsHandlersOfErrors() async {
        let (promise, resolver) = Promise<Int>.pending(on: .immediate)
        let journal = Journal<String>()
        promise.catch { _ in journal.write("catch") }
        promise.catch(policy: .all) { _ in journal.write("catch all") }
        promise.recover { _ in
            journal.write("recover")
            return 0
        }
        let recovered = promise.recover(policy: .all) { _ in 1 }
        promise.then(
            { $0 },
            { _ in
                journal.write("then")
                return 0
            })
        promise.mapError { error in
            journal.write("mapError")
            return error
        }
        promise.next { _ in journal.write("next") }
        promise.tap { _ in journal.write("tap") }
        promise.finally { journal.write("finally") }
        promise.cancel()
        #expect(journal.entries == ["catch all", "finally"])
        #expect(await recovered.result.isFulfilled)
        withExtendedLifetime(resolver) {}
    }

    /// The cancellation of a `finally` and its moment.
    enum Fate: CaseIterable, Sendable {
        case fulfilled, rejected, sourceCancelled, cancelled, cancelledThenFulfilled, cancelledWhileQueued
        case cancelledFromBelow, cancelledFromBelowWhileQueued, cancelledTwice, cancelledAfterwards
    }

    @Test(arguments: Fate.allCases) func finallyRunsExactlyOnce(fate: Fate) async {
        let held = HeldWork()
        let (promise, resolver) = Promise<Int>.pending(on: held.scheduler)
        let tally = Tally()
        let link = promise.finally { tally.add() }
        let below = link.next { $0 }
        switch fate {
        case .fulfilled: resolver.fulfill(1)
        case .rejected: resolver.reject(PromiseError.invalid)
        case .sourceCancelled: promise.cancel()
        case .cancelled: link.cancel()
        case .cancelledThenFulfilled:
            link.cancel()
            resolver.fulfill(1)
        case .cancelledWhileQueued:
            resolver.fulfill(1)
            link.cancel()
        case .cancelledFromBelow: below.cancel()
        case .cancelledFromBelowWhileQueued:
            resolver.fulfill(1)
            below.cancel()
        case .cancelledTwice:
            link.cancel()
            link.cancel()
            promise.cancel()
        case .cancelledAfterwards:
            resolver.fulfill(1)
            held.runAll()
            link.cancel()
        }
        #expect(fate == .cancelledAfterwards || tally.count == 0)
        held.runAll()
        #expect(tally.count == 1)
        _ = await below.result
        held.runAll()
        #expect(tally.count == 1)
    }

    @Test func finallyRunsBeforeTheHandlersThatFollowIt() {
        let (promise, resolver) = Promise<Int>.pending(on: .immediate)
        let journal = Journal<String>()
        let link = promise.finally { journal.write("finally") }
        link.catch(policy: .all) { _ in journal.write("catch") }
        link.cancel()
        #expect(journal.entries == ["finally", "catch"])
        withExtendedLifetime(resolver) {}
    }

    @Test func finallyInATaskRunsWhenItsLinkIsCancelled() async {
        let (promise, resolver) = Promise<Int>.pending()
        let journal = Journal<Bool>()
        promise.finally(on: .task) { journal.write(true) }.cancel()
        #expect(await journal.entries(1) == [true])
        withExtendedLifetime(resolver) {}
    }

    @Test func finallyInATaskRunsThoughItsLinkIsCancelledAtTheSameTime() async {
        let journal = Journal<Void>()
        let rounds = (0..<10_000).map { _ in
            let (promise, resolver) = Promise<Int>.pending()
            return (link: promise.finally(on: .task) { journal.write(()) }, resolver: resolver)
        }
        await race(rounds, threads: 2) { round, thread in
            if thread == 0 { round.resolver.fulfill(1) } else { round.link.cancel() }
        }
        #expect(await journal.entries(10_000).count == 10_000)
    }

    @Test func theHandlerOfACancelledLinkDoesNotRun() async {
        let held = HeldWork()
        let (promise, resolver) = Promise<Int>.pending(on: held.scheduler)
        let tally = Tally()
        let link = promise.next { _ in tally.add() }
        resolver.fulfill(1)
        link.cancel()
        held.runAll()
        #expect(tally.count == 0)
        #expect(await link.result.isCancelled)
    }

    @Test func theHandlerOfACancelledLinkIsReleasedAtOnce() async {
        let held = HeldWork()
        let census = Census()
        let (promise, resolver) = Promise<Int>.pending(on: held.scheduler)
        let link = { [being = census.newborn()] in promise.next { _ in withExtendedLifetime(being) {} } }()
        resolver.fulfill(1)
        #expect(census.living == 1)
        link.cancel()
        #expect(census.living == 0)
        held.runAll()
    }

    @Test func theResultOfAHandlerThatWasRunningIsDestroyed() async {
        let census = Census()
        let entered = Journal<Bool>()
        let gate = Gate()
        let (promise, resolver) = Promise<Int>.pending()
        let link = promise.next(on: .queue(.init(label: "held up"))) { _ in
            let being = census.newborn()
            entered.write(true)
            gate.pass()
            return being
        }
        resolver.fulfill(1)
        _ = await entered.entries(1)
        link.cancel()
        gate.open()
        #expect(await link.result.isCancelled)
        await census.extinction()
    }

    @Test func aPromiseThatACancelledHandlerReturnsIsLeft() async {
        let held = HeldWork()
        let (promise, resolver) = Promise<Int>.pending(on: held.scheduler)
        let (inner, innerResolver) = Promise<Int>.pending()
        let tally = Tally()
        innerResolver.onCancel { tally.add() }
        let own = Mutex<Promise<Int>?>(nil)
        let link = promise.next { _ in
            own.withLock { $0 }?.cancel()
            return inner
        }
        own.withLock { $0 = link }
        resolver.fulfill(1)
        held.runAll()
        #expect(tally.count == 1)
        own.withLock { $0 = nil }
    }
}

extension Result {
    fileprivate var isFulfilled: Bool {
        if case .success = self { true } else { false }
    }
}
