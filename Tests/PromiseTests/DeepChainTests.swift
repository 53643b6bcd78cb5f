import Dispatch
import TangoPromise
import Testing

/// Many promises in a row need no more stack than a few: all tests run on threads with 512 KB.
///
/// Serialized, because each test takes much memory: hundreds of megabytes with optimisation.
@Suite(.serialized, .noHang) struct DeepChainTests {
    #if DEBUG
        // A million take minutes without optimisation. If each link took a stack frame, these would overflow the stack too:
        // 21 bytes a frame are enough for that.
        static let depth = 25_000
    #else
        static let depth = 1_000_000
    #endif

    /// The threads of the handlers: `smallStack` like that of the test, the others chosen by Dispatch.
    enum Place: CaseIterable, Sendable {
        case immediate, background, queue, main, smallStack

        var scheduler: Scheduler {
            switch self {
            case .immediate: .immediate
            case .background: .background
            case .queue: .queue(DispatchQueue(label: "serial"))
            case .main: .queue(.main)
            case .smallStack: .smallStack
            }
        }
    }

    /// A pending chain of links that count.
    private static func chain(
        on place: Place, _ link: (Promise<Int>) -> Promise<Int> = { $0.next { $0 + 1 } }
    ) -> (head: Resolver<Int>, end: Promise<Int>) {
        let (promise, resolver) = Promise<Int>.pending(on: place.scheduler)
        var end = promise
        for _ in 0..<depth { end = link(end) }
        return (resolver, end)
    }

    @Test(arguments: Place.allCases)
    func aChainThatIsBuiltFirstRuns(place: Place) async throws {
        let sum = try await onSmallStack {
            let (head, end) = Self.chain(on: place)
            head.fulfill(0)
            return try end.wait()
        }
        #expect(sum == Self.depth)
    }

    @Test(arguments: Place.allCases)
    func aChainThatRunsWhileItIsBuiltRuns(place: Place) async throws {
        let sum = try await onSmallStack {
            var end = Promise.fulfilled(0, on: place.scheduler)
            for _ in 0..<Self.depth { end = end.next { $0 + 1 } }
            return try end.wait()
        }
        #expect(sum == Self.depth)
    }

    @Test(arguments: Place.allCases)
    func aChainOfReturnedPromisesRuns(place: Place) async throws {
        let sum = try await onSmallStack {
            let scheduler = place.scheduler
            let (head, end) = Self.chain(on: place) { $0.next { .fulfilled($0 + 1, on: scheduler) } }
            head.fulfill(0)
            return try end.wait()
        }
        #expect(sum == Self.depth)
    }

    @Test(arguments: Place.allCases)
    func anErrorPassesThroughAChain(place: Place) async throws {
        let error = try await onSmallStack {
            let (head, end) = Self.chain(on: place)
            head.reject(Oops("deep"))
            return Result { try end.wait() }.error(as: Oops.self)
        }
        #expect(error == Oops("deep"))
    }

    @Test(arguments: Place.allCases)
    func everyCatchOfAChainRuns(place: Place) async throws {
        let runs = Counter()
        let error = try await onSmallStack {
            let (head, end) = Self.chain(on: place) { $0.catch { _ in runs.increment() } }
            head.reject(Oops("deep"))
            return Result { try end.wait() }.error(as: Oops.self)
        }
        #expect(error == Oops("deep"))
        #expect(runs.count == Self.depth)
    }

    @Test(arguments: Place.allCases)
    func aChainIsCancelledFromItsEnd(place: Place) async throws {
        let (promise, resolver) = Promise<Void>.pending()
        try await onSmallStack {
            let (head, end) = Self.chain(on: place)
            head.onCancel { resolver.fulfill() }
            end.cancel()
        }
        try await promise.value
    }

    @Test(arguments: Place.allCases)
    func aChainIsCancelledFromItsHead(place: Place) async throws {
        let error = try await onSmallStack {
            let (promise, resolver) = Promise<Int>.pending(on: place.scheduler)
            var end = promise
            for _ in 0..<Self.depth { end = end.next { $0 + 1 } }
            promise.cancel()
            return withExtendedLifetime(resolver) { Result { try end.wait() }.error(as: CancellationError.self) }
        }
        #expect(error != nil)
    }

    @Test(arguments: Place.allCases)
    func everyFinallyOfAChainRunsThoughItIsCancelledFromItsEnd(place: Place) async throws {
        let runs = Counter()
        let (done, doneResolver) = Promise<Void>.pending()
        try await onSmallStack {
            let (head, end) = Self.chain(on: place) {
                $0.finally { if runs.increment() == Self.depth { doneResolver.fulfill() } }
            }
            withExtendedLifetime(head) { end.cancel() }
        }
        try await done.value
        #expect(runs.count == Self.depth)
    }

    @Test(arguments: Place.allCases)
    func aChainIsReleased(place: Place) async throws {
        let lifetimes = Lifetimes()
        try await onSmallStack {
            let (promise, resolver) = Promise<Lifetimes.Token>.pending(on: place.scheduler)
            var end = promise
            for _ in 0..<Self.depth { end = end.next { $0 } }
            resolver.fulfill(lifetimes.token())
            _ = try end.wait()
        }
        await lifetimes.allEnded()
    }

    @Test(arguments: Place.allCases)
    func aPendingChainIsDropped(place: Place) async throws {
        let error = try await onSmallStack {
            Result { try Self.chain(on: place).end.wait() }.error(as: PromiseError.self)
        }
        #expect(error == .abandoned)
    }

    @Test(arguments: Place.allCases)
    func aChainWhoseEndIsDroppedRuns(place: Place) async throws {
        let (promise, resolver) = Promise<Int>.pending()
        try await onSmallStack {
            let (head, end) = Self.chain(on: place)
            end.next { resolver.fulfill($0) }
            return head
        }.fulfill(0)
        #expect(try await promise.value == Self.depth)
    }

    @Test(arguments: Place.allCases)
    func aRecursionThroughReturnedPromisesEnds(place: Place) async throws {
        let scheduler = place.scheduler
        @Sendable func count(from number: Int) -> Promise<Int> {
            Promise.fulfilled(number, on: scheduler).next { number in
                number == Self.depth ? Promise.fulfilled(number, on: scheduler) : count(from: number + 1)
            }
        }
        let sum = try await onSmallStack { try count(from: 0).wait() }
        #expect(sum == Self.depth)
    }

    /// The order in which resolvers follow the next.
    enum Order: CaseIterable, Sendable {
        case insideOut, outsideIn
    }

    @Test(arguments: Order.allCases, Outcome.allCases)
    func resolversThatFollowEachOtherSettle(order: Order, outcome: Outcome) async throws {
        let result = try await onSmallStack {
            let pairs = Self.nested(order)
            pairs[pairs.count - 1].resolver.settle(outcome.result)
            return Result { try pairs[0].promise.wait() }
        }
        #expect((try? result.get()) == (try? outcome.result.get()))
        #expect(result.error(as: Oops.self) == outcome.result.error())
    }

    @Test(arguments: Order.allCases)
    func resolversThatFollowEachOtherAreCancelled(order: Order) async throws {
        let error = try await onSmallStack {
            let pairs = Self.nested(order)
            pairs[0].promise.cancel()
            return Result { try pairs[pairs.count - 1].promise.wait() }.error(as: CancellationError.self)
        }
        #expect(error != nil)
    }

    @Test(arguments: Order.allCases)
    func resolversThatFollowEachOtherAreDropped(order: Order) async throws {
        let error = try await onSmallStack {
            let outer = Self.nested(order)[0].promise
            return Result { try outer.wait() }.error(as: PromiseError.self)
        }
        #expect(error == .abandoned)
    }

    private static func nested(_ order: Order) -> [(promise: Promise<String>, resolver: Resolver<String>)] {
        let pairs = (0...depth).map { _ in Promise<String>.pending() }
        let indices = Array(0..<depth)
        for index in order == .outsideIn ? indices : indices.reversed() {
            pairs[index].resolver.follow(pairs[index + 1].promise)
        }
        return pairs
    }
}
