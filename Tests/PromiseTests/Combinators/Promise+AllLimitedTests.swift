import Synchronization
import TangoPromise
import Testing

@Suite(.timeLimit(.minutes(20))) struct AllLimitedTests {
    /// Creates promises that the test settles, all on the thread of the test.
    private final class Maker: Sendable {
        let made = Recorder<Int>()
        let stopped = Recorder<Int>()
        private let resolvers = Mutex<[Int: Resolver<Int>]>([:])

        func make(_ input: Int) -> Promise<Int> {
            made.note(input)
            let (promise, resolver) = Promise<Int>.pending(on: .immediate)
            resolver.onCancel { self.stopped.note(input) }
            resolvers.withLock { $0[input] = resolver }
            return promise
        }

        func settle(_ input: Int, _ outcome: Result<Int, any Error>) {
            let resolver = resolvers.withLock { $0[input] }
            resolver?.settle(outcome)
        }

        func fulfill(_ input: Int) {
            settle(input, .success(input * 10))
        }
    }

    @Test func neverMoreThanTheLimitArePending() async throws {
        let maker = Maker()
        let all = Promise.all(0..<5, limit: 2, maker.make)
        #expect(maker.made.events == [0, 1])
        maker.fulfill(1)
        #expect(maker.made.events == [0, 1, 2])
        maker.fulfill(0)
        #expect(maker.made.events == [0, 1, 2, 3])
        maker.fulfill(3)
        maker.fulfill(2)
        #expect(maker.made.events == [0, 1, 2, 3, 4])
        maker.fulfill(4)
        #expect(try await all.value == [0, 10, 20, 30, 40])
    }

    @Test(arguments: Handling.allCases, [1, 3, 8])
    func theLimitHoldsWhereverPromisesSettle(handling: Handling, limit: Int) async throws {
        let scheduler = handling.makeScheduler()
        let pending = Mutex(0)
        let counts = Recorder<Int>()
        let inputs = Array(0..<100)
        let all = Promise.all(inputs, limit: limit) { input -> Promise<Int> in
            counts.note(
                pending.withLock { pending in
                    pending += 1
                    return pending
                })
            return Promise.fulfilled(input, on: scheduler).tap(on: .task) { _ in pending.withLock { $0 -= 1 } }
        }
        #expect(try await all.value == inputs)
        #expect(counts.events.count == 100)
        #expect(counts.events.allSatisfy { $0 <= limit })
    }

    @Test func noInputsMakeNothing() async throws {
        let maker = Maker()
        #expect(try await Promise.all([], limit: 3, maker.make).value == [])
        #expect(maker.made.events.isEmpty)
    }

    @Test(arguments: [0, -3])
    func limitBelowOneIsRefused(limit: Int) async {
        let maker = Maker()
        await #expect(throws: PromiseError.invalidCount) {
            try await Promise.all(0..<2, limit: limit, maker.make).value
        }
        #expect(maker.made.events.isEmpty)
    }

    @Test func limitOfOneMakesOneAfterTheOther() async throws {
        let maker = Maker()
        let all = Promise.all(0..<2, limit: 1, maker.make)
        #expect(maker.made.events == [0])
        maker.fulfill(0)
        #expect(maker.made.events == [0, 1])
        maker.fulfill(1)
        #expect(try await all.value == [0, 10])
    }

    @Test(arguments: [3, 4, 1_000, Int.max])
    func aLimitThatIsNoneMakesAllAtOnce(limit: Int) async throws {
        let maker = Maker()
        let all = Promise.all(0..<3, limit: limit, maker.make)
        #expect(maker.made.events == [0, 1, 2])
        for input in 0..<3 { maker.fulfill(input) }
        #expect(try await all.value == [0, 10, 20])
    }

    @Test func nilValuesStayInTheResult() async throws {
        let all = Promise.all(0..<4, limit: 2) { Promise<Int?>($0 % 2 == 0 ? $0 : nil) }
        #expect(try await all.value == [0, nil, 2, nil])
    }

    @Test func afterTheFirstErrorNothingMoreIsMade() async {
        let maker = Maker()
        let all = Promise.all(0..<5, limit: 2, maker.make)
        maker.settle(0, .failure(Mishap.first))
        await #expect(throws: Mishap.first) { try await all.value }
        maker.fulfill(1)
        #expect(maker.made.events == [0, 1])
        #expect(maker.stopped.events.isEmpty, "those in flight go on")
    }

    @Test func afterACancellationNothingMoreIsMade() async {
        let maker = Maker()
        let all = Promise.all(0..<5, limit: 2, maker.make)
        maker.settle(0, .failure(CancellationError()))
        #expect(await all.isCancelled)
        maker.fulfill(1)
        #expect(maker.made.events == [0, 1])
    }

    @Test func anErrorThatMakeThrowsRejects() async {
        let recorder = Recorder<Int>()
        let all = Promise.all(0..<5, limit: 2) { input -> Promise<Int> in
            recorder.note(input)
            throw Mishap.numbered(input)
        }
        await #expect(throws: Mishap.numbered(0)) { try await all.value }
        #expect(recorder.events == [0])
    }

    @Test func anErrorThatMakeThrowsLaterRejects() async {
        let maker = Maker()
        let all = Promise.all(0..<5, limit: 1) { input -> Promise<Int> in
            if input == 1 { throw Mishap.first }
            return maker.make(input)
        }
        maker.fulfill(0)
        await #expect(throws: Mishap.first) { try await all.value }
        #expect(maker.made.events == [0])
    }

    @Test func cancellingLeavesPromisesInFlightAndCreatesNoMore() async {
        let maker = Maker()
        let all = Promise.all(0..<5, limit: 2, maker.make)
        maker.fulfill(0)
        all.cancel()
        #expect(await all.isCancelled)
        #expect(maker.stopped.events.sorted() == [1, 2])
        maker.fulfill(1)
        #expect(maker.made.events == [0, 1, 2])
    }

    @Test func manyInputsNeedNoStack() async throws {
        let all = Promise.all(0..<20_000, limit: 2) { Promise($0) }
        #expect(try await all.value.count == 20_000)
    }
}
