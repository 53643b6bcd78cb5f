import Dispatch
import TangoPromise
import Testing

/// The producer of a promise retains it until it settles. Tokens in values and handlers show when they are released.
@Suite(.noHang) struct OwnershipTests {
    private let lifetimes = Lifetimes()

    /// A chain whose values and handlers hold tokens.
    private func chain(after promise: Promise<Lifetimes.Token>) -> Promise<Lifetimes.Token> {
        let lifetimes = lifetimes
        let (one, two, three, four) = (lifetimes.token(), lifetimes.token(), lifetimes.token(), lifetimes.token())
        return promise.next { _ in withExtendedLifetime(one) { lifetimes.token() } }
            .next { value in withExtendedLifetime(two) { Promise(value) } }
            .catch { _ in withExtendedLifetime(three) {} }
            .finally { withExtendedLifetime(four) {} }
    }

    @Test(arguments: Setting.all)
    func aChainThatWasFulfilledIsReleased(setting: Setting) async throws {
        func run() async throws {
            let (promise, settle) = setting.promise(.success(lifetimes.token()))
            let end = chain(after: promise)
            settle()
            _ = try await end.value
        }
        try await run()
        await lifetimes.allEnded()
        #expect(lifetimes.made == 6)
    }

    @Test(arguments: Setting.all)
    func aChainThatWasRejectedIsReleased(setting: Setting) async {
        struct Held: Error {
            let token: Lifetimes.Token
        }
        func run() async {
            let (promise, settle) = setting.promise(
                Result<Lifetimes.Token, any Error>.failure(Held(token: lifetimes.token())))
            let end = chain(after: promise)
            settle()
            #expect(await end.result.error(as: Held.self) != nil)
        }
        await run()
        await lifetimes.allEnded()
        #expect(lifetimes.made == 5)
    }

    @Test(arguments: Place.allCases.filter { $0 != .immediate })
    func aChainThatWasCancelledAtItsEndIsReleased(place: Place) async {
        let (promise, resolver) = Promise<Lifetimes.Token>.pending(on: place.scheduler)
        chain(after: promise).cancel()
        await lifetimes.allEnded()
        await #expect(throws: CancellationError.self) { try await promise.value }
        resolver.fulfill(lifetimes.token())
        #expect(lifetimes.alive == 0)
    }

    @Test func aChainThatWasCancelledAtItsEndIsReleasedAtOnceWhereNothingIsToRun() {
        let (promise, resolver) = Promise<Lifetimes.Token>.pending(on: .immediate)
        weak let middle = promise
        weak var end: Promise<Lifetimes.Token>?
        func cancel() {
            let last = chain(after: promise)
            end = last
            last.cancel()
        }
        cancel()
        #expect(lifetimes.alive == 0)
        #expect(end == nil)
        #expect(middle != nil)
        withExtendedLifetime(resolver) {}
    }

    @Test(arguments: Place.allCases)
    func aChainThatWasCancelledAtItsHeadIsReleased(place: Place) async {
        let (promise, resolver) = Promise<Lifetimes.Token>.pending(on: place.scheduler)
        _ = chain(after: promise)
        promise.cancel()
        await lifetimes.allEnded()
        withExtendedLifetime(resolver) {}
    }

    @Test(arguments: Place.allCases)
    func anAbandonedChainIsRejectedAndReleased(place: Place) async {
        func abandon() -> Promise<Lifetimes.Token> {
            chain(after: Promise.pending(on: place.scheduler).promise)
        }
        #expect(await abandon().result.error() == PromiseError.abandoned)
        await lifetimes.allEnded()
    }

    @Test func aPromiseIsReleasedWithItsResolver() {
        weak var promise: Promise<Int>?
        func settle() {
            let (own, resolver) = Promise<Int>.pending()
            promise = own
            resolver.fulfill(1)
        }
        settle()
        #expect(promise == nil)
    }

    @Test(arguments: Place.allCases)
    func capturesAreReleasedAfterTheHandlerRunsWhileTheChainLives(place: Place) async throws {
        let promise = Promise<Int>.fulfilled(1, on: place.scheduler)
        func links() -> [Promise<Int>] {
            let token = lifetimes.token()
            let first = promise.next { value in withExtendedLifetime(token) { value } }
            let recovered = first.recover { _ in withExtendedLifetime(token) { 0 } }
            return [first, recovered, first.tap { _ in withExtendedLifetime(token) {} }]
        }
        let kept = links()
        for link in kept { #expect(try await link.value == 1) }
        await lifetimes.allEnded()
        withExtendedLifetime((promise, kept)) {}
    }

    @Test func handlersThatAnErrorSkipsAreReleased() {
        let (promise, resolver) = Promise<Lifetimes.Token>.pending(on: .immediate)
        let end = chain(after: promise)
        #expect(lifetimes.alive == 4)
        resolver.reject(Oops())
        #expect(lifetimes.alive == 0)
        withExtendedLifetime((promise, end)) {}
    }

    @Test(arguments: [true, false])
    func capturesOfACancellationHandlerAreReleased(isCancelled: Bool) {
        let (promise, resolver) = Promise<Int>.pending()
        func hold() {
            for _ in 0..<3 {
                let token = lifetimes.token()
                resolver.onCancel { withExtendedLifetime(token) {} }
            }
        }
        hold()
        #expect(lifetimes.alive == 3)
        if isCancelled { promise.cancel() } else { resolver.fulfill(1) }
        #expect(lifetimes.alive == 0)
        hold()
        #expect(lifetimes.alive == 0)
    }

    @Test func aTimeoutReleasesItsPromise() async throws {
        let clock = ManualClock()
        func run(_ isInTime: Bool) async throws {
            let (promise, resolver) = Promise<Lifetimes.Token>.pending()
            let end = chain(after: promise).timeout(.seconds(1), clock: clock)
            if isInTime {
                resolver.fulfill(lifetimes.token())
                #expect(await end.result.error(as: PromiseError.self) == nil)
            } else {
                let (cancelled, cancel) = Promise<Void>.pending()
                resolver.onCancel { cancel.fulfill() }
                clock.advance(by: .seconds(1))
                #expect(await end.result.error() == PromiseError.timedOut)
                // The chain leaves a moment after its end has rejected, so nothing may wait for its head before.
                try await cancelled.value
                await #expect(throws: CancellationError.self) { try await promise.value }
                withExtendedLifetime(resolver) {}
            }
        }
        try await run(true)
        await lifetimes.allEnded()
        try await run(false)
        await lifetimes.allEnded()
    }

    @Test func aDelayReleasesItsPromise() async throws {
        let clock = ManualClock()
        func run(_ isCancelled: Bool) async {
            let delayed = chain(after: Promise(lifetimes.token())).delay(.seconds(1), clock: clock)
            await clock.sleepers()
            if isCancelled { delayed.cancel() } else { clock.advance(by: .seconds(1)) }
            #expect(await (delayed.result.error(as: CancellationError.self) != nil) == isCancelled)
        }
        await run(false)
        await lifetimes.allEnded()
        await run(true)
        await lifetimes.allEnded()
    }

    @Test(arguments: [true, false], Place.allCases)
    func anAwaitReleasesItsPromise(isCancelled: Bool, place: Place) async {
        func run() async {
            let (promise, resolver) = Promise<Lifetimes.Token>.pending(on: place.scheduler)
            let started = Promise<Void>.pending()
            let end = chain(after: promise)
            let task = Task {
                started.resolver.fulfill()
                return try? await end.value
            }
            _ = await started.promise.result
            if isCancelled { task.cancel() } else { resolver.fulfill(lifetimes.token()) }
            #expect(await (task.value == nil) == isCancelled)
        }
        await run()
        await lifetimes.allEnded()
    }
}
