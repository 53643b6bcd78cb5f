import Dispatch
import TangoPromise
import Testing

/// A promise whose last resolver is released rejects, so that its consumers do not wait for ever.
@Suite(.noHang) struct AbandonedTests {
    /// Returns a promise that has no resolver, or has none once `drop` is called.
    private func abandoned(_ timing: Timing) -> (promise: Promise<Int>, drop: @Sendable () -> Void) {
        let (promise, resolver) = Promise<Int>.pending()
        let kept = Events<Resolver<Int>>()
        if timing != .already { kept.add(resolver) }
        return switch timing {
        case .already: (promise, {})
        case .immediately: (promise, { kept.removeAll() })
        case .eventually: (promise, { DispatchQueue.global().async { kept.removeAll() } })
        }
    }

    @Test(arguments: Timing.allCases)
    func everyWayToWaitEnds(timing: Timing) async {
        let (promise, drop) = abandoned(timing)
        let waits: [Promise<Int>] = [
            promise, promise.next { $0 }, promise.catch { _ in }, promise.finally {}, promise.next { Promise($0) },
            promise.next(on: .task) { $0 }, Promise.all([promise]).next { $0[0] },
            Promise.all(promise, promise).next { $0.0 },
            .race([promise]), Promise { $0.follow(promise) }, Promise(1).next { _ in promise },
            Promise { try await promise.value }, promise.timeout(.seconds(1), clock: ManualClock()),
        ]
        let settled = Promise.allSettled([promise])
        let any = Promise.any([promise])
        drop()
        for wait in waits { #expect(await wait.result.error() == PromiseError.abandoned) }
        #expect((try? await settled.value)?.first?.error() == PromiseError.abandoned)
        #expect(await any.result.error(as: AggregateError.self)?.errors as? [PromiseError] == [.abandoned])
    }

    @Test(arguments: Timing.allCases)
    func aBlockedThreadGoesOn(timing: Timing) async {
        let (promise, drop) = abandoned(timing)
        let error = Promise<Bool> { resolver in
            DispatchQueue(label: "blocked").async {
                do { _ = try promise.wait() } catch { resolver.fulfill(error as? PromiseError == .abandoned) }
            }
        }
        drop()
        #expect((try? await error.value) == true)
    }

    @Test func aBodyThatKeepsNoResolverAbandons() async {
        #expect(await Promise<Int> { _ in }.result.error() == PromiseError.abandoned)
    }

    @Test func aResolverThatIsStillHeldKeepsThePromisePending() async throws {
        let (promise, resolver) = Promise<Int>.pending()
        let kept = Events<Resolver<Int>>()
        for _ in 0..<3 { kept.add(resolver) }
        kept.removeAll()
        resolver.fulfill(1)
        #expect(try await promise.value == 1)
    }

    @Test func aResolverDroppedAfterFollowingChangesNothing() async throws {
        let (inner, resolver) = Promise<Int>.pending()
        let outer = Promise<Int> { $0.follow(inner) }
        resolver.fulfill(1)
        #expect(try await outer.value == 1)
    }

    @Test func aResolverDroppedAfterCancellingChangesNothing() async {
        func cancelled() -> Promise<Int> {
            let (promise, resolver) = Promise<Int>.pending()
            return withExtendedLifetime(resolver) {
                promise.cancel()
                return promise
            }
        }
        await #expect(throws: CancellationError.self) { try await cancelled().value }
    }

    @Test(arguments: Place.allCases)
    func anAbandonedPromiseCanBeRecoveredFrom(place: Place) async throws {
        let promise = Promise<Int>.pending(on: place.scheduler).promise
        #expect(try await promise.next { $0 + 1 }.recover { $0 as? PromiseError == .abandoned ? 7 : 0 }.value == 7)
    }
}
