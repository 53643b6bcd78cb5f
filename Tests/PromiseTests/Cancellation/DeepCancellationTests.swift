import Synchronization
import TangoPromise
import Testing

/// Cancelling is always a loop, never recursion.
@Suite(.timeLimit(.minutes(20))) struct DeepCancellationTests {
    private static let depth = 100_000

    @Test func nestedCombinatorsAreCancelledFromTheOutside() {
        let isStopped = Atomic(false)
        let (source, resolver) = Promise<Int>.pending()
        resolver.onCancel { isStopped.store(true, ordering: .relaxed) }
        var outer = source
        for _ in 0..<Self.depth { outer = .race([outer]) }
        outer.cancel()
        let wasStopped = isStopped.load(ordering: .relaxed)
        #expect(wasStopped)
        #expect(throws: CancellationError.self) { try source.wait() }
        resolver.fulfill(1)
    }

    @Test func aPromiseMayHaveAnyNumberOfCancelHandlers() {
        let count = Atomic(0)
        let (promise, resolver) = Promise<Int>.pending()
        for _ in 0..<Self.depth { resolver.onCancel { count.add(1, ordering: .relaxed) } }
        promise.cancel()
        let called = count.load(ordering: .relaxed)
        #expect(called == Self.depth)
        resolver.fulfill(1)
    }

    @Test func aPromiseThatIsFollowedTooLateIsLeft() {
        let (inner, innerResolver) = Promise<Int>.pending()
        let (outer, outerResolver) = Promise<Int>.pending()
        outer.cancel()
        outerResolver.follow(inner)
        #expect(throws: CancellationError.self) { try inner.wait() }
        innerResolver.fulfill(1)
    }

    @Test func aPromiseThatIsFollowedTooLateGoesOnForOthers() async throws {
        let (inner, innerResolver) = Promise<Int>.pending()
        let (outer, outerResolver) = Promise<Int>.pending()
        let other = inner.next { $0 + 1 }
        outer.cancel()
        outerResolver.follow(inner)
        innerResolver.fulfill(1)
        #expect(try await other.value == 2)
    }
}
