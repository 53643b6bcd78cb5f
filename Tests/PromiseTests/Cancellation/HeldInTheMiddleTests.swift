import Synchronization
import TangoPromise
import Testing

/// A promise that follows another and is followed itself, while the test retains it.
@Suite(.timeLimit(.minutes(20))) struct HeldInTheMiddleTests {
    private let gate = Promise<Int>.pending(on: .immediate)
    private let inner = Promise<Int>.pending(on: .immediate)

    /// `outer` follows `middle`, which follows `inner`.
    private func chain() -> (middle: Promise<Int>, outer: Promise<Int>) {
        let inner = inner.promise
        let middle = gate.promise.next { _ in inner }
        let outer = Promise<Int> { $0.follow(middle) }
        gate.resolver.fulfill(0)
        return (middle, outer)
    }

    @Test func cancellingAPromiseInTheMiddleReachesBothSides() {
        let (middle, outer) = chain()
        middle.cancel()
        #expect(throws: CancellationError.self) { try outer.wait() }
        #expect(throws: CancellationError.self) { try inner.promise.wait() }
        inner.resolver.fulfill(1)
    }

    @Test func anotherConsumerOfAPromiseInTheMiddleMayLeave() async throws {
        let (middle, outer) = chain()
        let other = middle.next { $0 }
        other.cancel()
        inner.resolver.fulfill(1)
        #expect(try await outer.value == 1)
        #expect(try await middle.value == 1)
    }

    @Test func aPromiseInTheMiddleMayBeHeldThroughALongLoop() async throws {
        @Sendable func loop(_ turns: Int) -> Promise<Int> {
            turns == 0 ? Promise(0) : Promise(turns).next { loop($0 - 1) }
        }
        let first = loop(50_000)
        let outer = Promise<Int> { $0.follow(first) }
        #expect(try await outer.value == 0)
        #expect(try await first.value == 0)
    }
}
