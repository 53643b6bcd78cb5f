import Dispatch
import Synchronization
import TangoPromise
import Testing

/// Schedulers that discard their work, run it twice, or run it too early.
@Suite(.timeLimit(.minutes(20))) struct CarelessSchedulerTests {
    @Test func workThatIsThrownAwayRunsInTheBackground() async throws {
        let scheduler = Scheduler { _ in }
        for _ in 0..<2 {
            let link = Promise(1).next(on: scheduler) { $0 + 1 }
            #expect(try await link.value == 2)
        }
    }

    @Test func workThatIsThrownAwayLaterRunsInTheBackground() async throws {
        let held = Mutex<[@Sendable () -> Void]>([])
        let scheduler = Scheduler { work in held.withLock { $0.append(work) } }
        let link = Promise(1).next(on: scheduler) { $0 + 1 }
        held.withLock { $0 = [] }
        #expect(try await link.value == 2)
    }

    @Test func workThatIsRunTwiceRunsOnce() async throws {
        let count = Atomic(0)
        let scheduler = Scheduler { work in
            DispatchQueue.global().async {
                work()
                work()
            }
        }
        let links = (0..<100).map { _ in
            Promise(1).next(on: scheduler) { _ in count.add(1, ordering: .relaxed) }
        }
        _ = try await Promise.all(links).value
        let runs = count.load(ordering: .relaxed)
        #expect(runs == 100)
    }

    @Test func workThatIsRunAtOnceStillRunsOneHandlerAtATime() async throws {
        let scheduler = Scheduler { work in work() }
        let isInside = Atomic(false)
        let links = (0..<100).map { _ in
            Promise(1).next(on: scheduler) { _ in
                let wasInside = isInside.exchange(true, ordering: .acquiringAndReleasing)
                isInside.store(false, ordering: .releasing)
                return wasInside
            }
        }
        #expect(try await Promise.all(links).value.allSatisfy { !$0 })
    }
}
