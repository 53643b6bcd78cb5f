import TangoPromise
import Testing

@Suite(.timeLimit(.minutes(20))) struct TaskTests {
    /// Tango does not see which promise a task awaits, so it does not find the cycle.
    @Test func cycleThroughTasksEndsWhenItIsCancelled() async {
        let (source, resolver) = Promise<Promise<Int>>.pending()
        let one = Promise { try await source.value.value }
        let other = Promise { try await one.value }
        resolver.fulfill(other)
        one.cancel()
        await #expect(throws: CancellationError.self) { try await one.value }
        await #expect(throws: CancellationError.self) { try await other.value }
    }

    @Test func thePromiseIsOfWhatTheTaskReturns() async throws {
        let (gate, open) = Promise<Int>.pending()
        let promise = Promise { try await gate.value + 1 }
        open.fulfill(1)
        #expect(try await promise.value == 2)
    }

    @Test func anErrorThatTheTaskThrowsRejects() async {
        let promise = Promise<Int> {
            await Task.yield()
            throw Mishap.first
        }
        await #expect(throws: Mishap.first) { try await promise.value }
    }

    @Test func aCancellationThatTheTaskThrowsCancels() async {
        let promise = Promise<Int> {
            await Task.yield()
            throw CancellationError()
        }
        #expect(await promise.isCancelled)
    }

    @Test func cancellingThePromiseCancelsTheTask() async throws {
        let (seen, see) = Promise<Bool>.pending()
        let promise = Promise {
            await untilCancelled()
            see.fulfill(Task.isCancelled)
            return 1
        }
        promise.cancel()
        #expect(try await seen.value)
        #expect(await promise.isCancelled, "what the task returns then is ignored")
    }

    @Test func leavingThePromiseCancelsTheTask() async throws {
        let (seen, see) = Promise<Bool>.pending()
        let link = Promise {
            await untilCancelled()
            see.fulfill(Task.isCancelled)
        }.next { 1 }
        link.cancel()
        #expect(try await seen.value)
    }

    @Test func unreferencedPromiseStillRuns() async throws {
        let (ran, run) = Promise<String>.pending()
        _ = Promise {
            await Task.yield()
            run.fulfill("ran")
        }
        #expect(try await ran.value == "ran")
    }

    @Test func handlersRunOnTheGivenScheduler() async throws {
        let probe = ProbeQueue()
        let promise = Promise(on: probe.scheduler) {
            await Task.yield()
            return probe.isCurrent
        }
        #expect(try await promise.value == false)
        #expect(try await promise.next { _ in probe.isCurrent }.value)
    }

    @Test func theTaskHasTheGivenPriority() async throws {
        let promise = Promise(priority: .high) {
            await Task.yield()
            return Task.currentPriority
        }
        #expect(try await promise.value >= .high)
    }
}
