import TangoPromise
import Testing

/// Promises/A+ 2.3.3.3: promises of promises, and resolvers that are called many times.
@Suite(.noHang) struct NestedAdoptionTests {
    /// The moment at which each of three nested promises settles.
    struct Nest: Sendable, CustomTestStringConvertible {
        let outer: Timing, middle: Timing, inner: Timing

        static let all = Timing.allCases.flatMap { outer in
            Timing.allCases.flatMap { middle in
                Timing.allCases.map { Nest(outer: outer, middle: middle, inner: $0) }
            }
        }

        var testDescription: String { "outer \(outer), middle \(middle), inner \(inner)" }
    }

    @Test(arguments: Nest.all, Outcome.allCases)
    func threeNestedPromisesSettleAsOne(nest: Nest, outcome: Outcome) async {
        let (inner, settleInner) = nest.inner.promise(outcome.result)
        let (middle, settleMiddle) = nest.middle.promise(.success(inner))
        let (outer, settleOuter) = nest.outer.promise(.success(middle))
        let flat = outer.next { $0 }.next { $0 }
        settleOuter()
        settleMiddle()
        settleInner()
        let result = await flat.result
        #expect((try? result.get()) == (try? outcome.result.get()))
        #expect(result.error(as: Oops.self) == outcome.result.error())
    }

    @Test(arguments: Nest.all, Outcome.allCases)
    func threeNestedPromisesThatSettleInsideOutSettleAsOne(nest: Nest, outcome: Outcome) async {
        let (inner, settleInner) = nest.inner.promise(outcome.result)
        let (middle, settleMiddle) = nest.middle.promise(.success(inner))
        let (outer, settleOuter) = nest.outer.promise(.success(middle))
        let flat = outer.next { $0.next { $0 } }
        settleInner()
        settleMiddle()
        settleOuter()
        let result = await flat.result
        #expect((try? result.get()) == (try? outcome.result.get()))
        #expect(result.error(as: Oops.self) == outcome.result.error())
    }

    /// A call of a resolver. A call that follows a promise locks the resolver in, even while that promise is pending.
    enum Call: String, CaseIterable, Sendable {
        case fulfill, reject, followSettled, followPending

        /// The outcome of the promise if this call was the first.
        var expected: String {
            switch self {
            case .fulfill: "first"
            case .reject: "error first"
            case .followSettled: "settled first"
            case .followPending: "pending"
            }
        }

        func apply(to resolver: Resolver<String>, _ name: String, pending: Promise<String>) {
            switch self {
            case .fulfill: resolver.fulfill(name)
            case .reject: resolver.reject(Oops(name))
            case .followSettled: resolver.follow(.fulfilled("settled \(name)"))
            case .followPending: resolver.follow(pending)
            }
        }
    }

    @Test(arguments: Call.allCases, Call.allCases)
    func theFirstCallLocksThePromiseIn(first: Call, second: Call) async throws {
        let pending = Promise<String>.pending()
        let (promise, resolver) = Promise<String>.pending()
        first.apply(to: resolver, "first", pending: pending.promise)
        second.apply(to: resolver, "second", pending: pending.promise)
        pending.resolver.fulfill("pending")
        #expect(try await promise.recover { "error \(($0 as? Oops)?.name ?? "?")" }.value == first.expected)
    }

    @Test(arguments: Call.allCases, [true, false])
    func anErrorThatTheBodyThrowsAfterItsFirstCallIsIgnored(first: Call, isPendingSettledFirst: Bool) async throws {
        let pending = Promise<String>.pending()
        if isPendingSettledFirst { pending.resolver.fulfill("pending") }
        let promise = Promise<String> { resolver in
            first.apply(to: resolver, "first", pending: pending.promise)
            throw Oops("thrown")
        }
        pending.resolver.fulfill("pending")
        #expect(try await promise.recover { "error \(($0 as? Oops)?.name ?? "?")" }.value == first.expected)
    }

    @Test func aBodyThatThrowsBeforeAnyCallRejects() async {
        let promise = Promise<String> { (_: Resolver<String>) in throw Oops("thrown") }
        #expect(await promise.result.error() == Oops("thrown"))
    }

    @Test(arguments: Call.allCases)
    func aCallAfterTheBodyHasThrownIsIgnored(second: Call) async {
        let pending = Promise<String>.pending()
        let kept = Events<Resolver<String>>()
        let promise = Promise<String> { resolver in
            kept.add(resolver)
            throw Oops("thrown")
        }
        for resolver in kept.all { second.apply(to: resolver, "second", pending: pending.promise) }
        pending.resolver.fulfill("pending")
        #expect(await promise.result.error() == Oops("thrown"))
    }

    @Test func aLockedInPromiseCanStillBeCancelled() async throws {
        let pending = Promise<String>.pending()
        let (promise, resolver) = Promise<String>.pending()
        let other = pending.promise.next { $0 }
        resolver.follow(pending.promise)
        promise.cancel()
        pending.resolver.fulfill("pending")
        await #expect(throws: CancellationError.self) { try await promise.value }
        #expect(try await other.value == "pending")
    }
}
