import TangoPromise
import Testing

@Suite(.timeLimit(.minutes(10))) struct BackoffTests {
    /// The waits between so many attempts that all fail.
    private func waits(_ backoff: Backoff, attempts: Int) async -> [Duration] {
        let clock = LeapClock()
        let retry = Promise<Int>.retry(attempts, backoff: backoff, clock: clock) { _ in .rejected(Mishap.first) }
        await #expect(throws: Mishap.first) { try await retry.value }
        return clock.sleeps.events
    }

    @Test func noneDoesNotWait() async {
        #expect(await waits(.none, attempts: 4) == [])
    }

    @Test func constantWaitsTheSameEachTime() async {
        #expect(await waits(.constant(.seconds(2)), attempts: 4) == [.seconds(2), .seconds(2), .seconds(2)])
    }

    @Test func aRuleIsGivenTheNumberOfFailures() async {
        let backoff = Backoff { .seconds($0 * $0) }
        #expect(await waits(backoff, attempts: 4) == [.seconds(1), .seconds(4), .seconds(9)])
    }

    @Test func waitsOfNothingOrLessAreNone() async {
        #expect(await waits(Backoff { .seconds($0 - 2) }, attempts: 4) == [.seconds(1)])
    }

    @Test func exponentialDoublesUpToTheCap() async {
        let backoff = Backoff.exponential(base: .seconds(1), cap: .seconds(5), jitter: 0)
        #expect(await waits(backoff, attempts: 6) == [1, 2, 4, 5, 5].map { .seconds($0) })
    }

    @Test func manyFailuresDoNotOverflow() async {
        let waits = await waits(.exponential(base: .seconds(3600), cap: .seconds(7200), jitter: 0), attempts: 200)
        #expect(waits.count == 199)
        #expect(waits.dropFirst().allSatisfy { $0 == .seconds(7200) })
    }

    @Test func jitterLeavesPartOfTheWaitToChance() async {
        let backoff = Backoff.exponential(base: .seconds(10), cap: .seconds(10), jitter: 0.5)
        let waits = await waits(backoff, attempts: 200)
        #expect(waits.allSatisfy { $0 >= .seconds(5) && $0 <= .seconds(10) })
        #expect(Set(waits).count > 1)
    }

    @Test(arguments: [-1.0, 2.0])
    func jitterStaysBetweenNothingAndAll(jitter: Double) async {
        let waits = await waits(.exponential(base: .seconds(10), cap: .seconds(10), jitter: jitter), attempts: 50)
        #expect(waits.allSatisfy { $0 >= .zero && $0 <= .seconds(10) })
        if jitter < 0 { #expect(waits.allSatisfy { $0 == .seconds(10) }) }
    }

    @Test func theDefaultsStayBelowTheirCap() async {
        let waits = await waits(.exponential(), attempts: 20)
        #expect(waits.allSatisfy { $0 > .zero && $0 <= .seconds(30) })
        #expect(waits[0] <= .milliseconds(500))
    }
}
