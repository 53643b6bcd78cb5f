import TangoPromise
import Testing

@Suite(.timeLimit(.minutes(20))) struct ResolverTests {
    /// A way to settle a promise.
    enum Call: CaseIterable {
        case fulfill, reject, followFulfilled, followRejected, followPending, cancel

        /// Settles with the number of the call.
        func settle(_ resolver: Resolver<Int>, _ promise: Promise<Int>, _ number: Int, _ pending: Promise<Int>) {
            switch self {
            case .fulfill: resolver.fulfill(number)
            case .reject: resolver.reject(Mishap.numbered(number))
            case .followFulfilled: resolver.follow(.fulfilled(number, on: .immediate))
            case .followRejected: resolver.follow(.rejected(Mishap.numbered(number), on: .immediate))
            case .followPending: resolver.follow(pending)
            case .cancel: promise.cancel()
            }
        }

        func isOutcome(_ result: Result<Int, any Error>, of number: Int) -> Bool {
            switch (self, result) {
            case (.fulfill, .success(let value)), (.followFulfilled, .success(let value)): value == number
            case (.followPending, .success(let value)): value == 100
            case (.reject, .failure(let error)), (.followRejected, .failure(let error)):
                error as? Mishap == .numbered(number)
            case (.cancel, .failure(let error)): error is CancellationError
            default: false
            }
        }
    }

    @Test(arguments: Call.allCases, Call.allCases)
    func theFirstCallWins(first: Call, second: Call) async {
        let (promise, resolver) = Promise<Int>.pending()
        let (pending, other) = Promise<Int>.pending()
        let keeper = pending.next { $0 }
        first.settle(resolver, promise, 1, pending)
        second.settle(resolver, promise, 2, pending)
        other.fulfill(100)
        let winner = first == .followPending && second == .cancel ? second : first
        let result = await promise.result
        #expect(winner.isOutcome(result, of: 1), "\(result)")
        #expect(await (try? keeper.value) == 100)
    }

    @Test(arguments: 0..<50)
    func oneOfManyThreadsWins(round: Int) async throws {
        let (promise, resolver) = Promise<Int>.pending()
        let delivered = Recorder<Int>()
        let link = promise.then({ delivered.note($0) }, { _ in delivered.note(-1) })
        await onThreads(8) { index in
            if index % 2 == 0 { resolver.fulfill(index) } else { resolver.reject(Mishap.numbered(index)) }
        }
        try await link.value
        #expect(delivered.events.count == 1)
        switch await promise.result {
        case .success(let value): #expect(delivered.events == [value])
        case .failure: #expect(delivered.events == [-1])
        }
    }

    @Test func aPromiseOfNothingIsFulfilledWithoutAValue() async throws {
        let (promise, resolver) = Promise<Void>.pending()
        resolver.fulfill()
        try await promise.value
    }

    // MARK: Following

    @Test func aPromiseThatFollowsIsLockedIn() async throws {
        let (promise, resolver) = Promise<Int>.pending()
        let (other, otherResolver) = Promise<Int>.pending()
        resolver.follow(other)
        resolver.fulfill(1)
        resolver.reject(Mishap.first)
        resolver.follow(Promise(2))
        otherResolver.fulfill(3)
        #expect(try await promise.value == 3)
    }

    @Test func aPromiseThatFollowsMayOutliveItsResolver() async throws {
        let (other, otherResolver) = Promise<Int>.pending()
        let promise = Promise { $0.follow(other) }
        otherResolver.fulfill(1)
        #expect(try await promise.value == 1)
    }

    @Test func followingItselfRejects() async {
        let (promise, resolver) = Promise<Int>.pending()
        resolver.follow(promise)
        await #expect(throws: PromiseError.cycle) { try await promise.value }
    }

    @Test func cancellingLeavesThePromiseThatIsFollowed() async throws {
        let recorder = Recorder<String>()
        let (lonely, lonelyResolver): (Promise<Int>, _) = recorder.pending("lonely")
        let (shared, sharedResolver): (Promise<Int>, _) = recorder.pending("shared")
        let keeper = shared.next { $0 }
        for followed in [lonely, shared] {
            let (promise, resolver) = Promise<Int>.pending()
            resolver.follow(followed)
            promise.cancel()
            #expect(await promise.isCancelled)
        }
        #expect(recorder.events == ["lonely stopped"])
        sharedResolver.fulfill(1)
        #expect(try await keeper.value == 1)
        withExtendedLifetime(lonelyResolver) {}
    }

    // MARK: Bodies

    @Test func anErrorThatTheBodyThrowsRejectsUnlessItHasSettled() async throws {
        await #expect(throws: Mishap.first) { try await Promise<Int> { _ in throw Mishap.first }.value }
        let settled = Promise<Int> { resolver in
            resolver.fulfill(1)
            throw Mishap.first
        }
        #expect(try await settled.value == 1)
        let (other, otherResolver) = Promise<Int>.pending()
        let locked = Promise<Int> { resolver in
            resolver.follow(other)
            throw Mishap.first
        }
        otherResolver.fulfill(2)
        #expect(try await locked.value == 2)
    }

    @Test func aBodyThatKeepsNoResolverAbandonsItsPromise() async {
        await #expect(throws: PromiseError.abandoned) { try await Promise<Int> { _ in }.value }
    }

    @Test func anotherReferenceKeepsAResolver() async throws {
        var resolvers: [Resolver<Int>] = []
        let promise = Promise { resolvers = [$0, $0] }
        resolvers.removeLast()
        resolvers[0].fulfill(1)
        #expect(try await promise.value == 1)
    }

    // MARK: Being notified of a cancellation

    @Test func handlersOfCancellationRunOnceInOrderInsideTheCall() {
        let recorder = Recorder<Int>()
        let (promise, resolver) = Promise<Int>.pending()
        for number in 1...3 { resolver.onCancel { recorder.note(number) } }
        promise.cancel()
        #expect(recorder.events == [1, 2, 3])
        promise.cancel()
        #expect(recorder.events == [1, 2, 3])
    }

    @Test func aLateHandlerOfCancellationRunsAtOnce() {
        let recorder = Recorder<Int>()
        let (promise, resolver) = Promise<Int>.pending()
        promise.cancel()
        resolver.onCancel { recorder.note(1) }
        resolver.onCancel { recorder.note(2) }
        #expect(recorder.events == [1, 2])
    }

    @Test(arguments: [Call.fulfill, .reject, .followFulfilled, .followPending])
    func aSettledPromiseCallsNoCancellationHandler(call: Call) {
        let recorder = Recorder<String>()
        let (promise, resolver) = Promise<Int>.pending()
        let (pending, other) = Promise<Int>.pending()
        resolver.onCancel { recorder.note("early") }
        call.settle(resolver, promise, 1, pending)
        promise.cancel()
        if call != .followPending { resolver.onCancel { recorder.note("late") } }
        #expect(recorder.events.isEmpty)
        withExtendedLifetime(other) {}
    }

    @Test func settlingInACancellationHandlerHasNoEffect() async {
        let (promise, resolver) = Promise<Int>.pending()
        resolver.onCancel { [weak resolver] in resolver?.fulfill(1) }
        promise.cancel()
        #expect(await promise.isCancelled)
    }

    @Test(arguments: 0..<50)
    func aHandlerOfCancellationRunsOnceHoweverTheyRace(round: Int) async {
        let recorder = Recorder<Int>()
        let (promise, resolver) = Promise<Int>.pending()
        await onThreads(4) { index in
            if index == 0 { promise.cancel() } else { resolver.onCancel { recorder.note(index) } }
        }
        #expect(recorder.events.sorted() == [1, 2, 3])
    }
}
