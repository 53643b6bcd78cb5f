import TangoPromise
import Testing

@Suite(.timeLimit(.minutes(20))) struct BackoffTests {
    /// Returns the waits between attempts that all fail.
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

    @Test(arguments: [Double.nan, -.nan, -.infinity])
    func jitterThatIsNoPartCountsAsNone(jitter: Double) async {
        let waits = await waits(.exponential(base: .seconds(1), cap: .seconds(4), jitter: jitter), attempts: 4)
        #expect(waits == [.seconds(1), .seconds(2), .seconds(4)])
    }

    @Test func infiniteJitterCountsAsAll() async {
        let waits = await waits(.exponential(base: .seconds(1), cap: .seconds(4), jitter: .infinity), attempts: 50)
        #expect(waits.allSatisfy { $0 >= .zero && $0 <= .seconds(4) })
    }

    @Test(arguments: [Duration.seconds(Int64.max), .seconds(Int64.max / 2 + 1), .seconds(1_000_000_000_000)])
    func hugeBasesAndCapsDoNotOverflow(base: Duration) async {
        let capped = await waits(.exponential(base: base, cap: .seconds(30), jitter: 0), attempts: 80)
        #expect(capped.allSatisfy { $0 == .seconds(30) })
        let growing = Backoff.exponential(base: base, cap: .seconds(Int64.max), jitter: 0)
        let first = await waits(growing, attempts: 70)
        #expect(first.count == 69)
        #expect(first.allSatisfy { $0 > .zero && $0 <= .seconds(Int64.max) })
    }

    @Test(arguments: [Duration.zero, .seconds(-1), .seconds(Int64.min)])
    func aBaseOfZeroOrLessMeansNoWait(base: Duration) async {
        #expect(await waits(.exponential(base: base), attempts: 5) == [])
        #expect(await waits(.exponential(base: .seconds(1), cap: base), attempts: 5) == [])
        #expect(await waits(.constant(base), attempts: 5) == [])
    }

    @Test func theDefaultsStayBelowTheirCap() async {
        let waits = await waits(.exponential(), attempts: 20)
        #expect(waits.allSatisfy { $0 > .zero && $0 <= .seconds(30) })
        #expect(waits[0] <= .milliseconds(500))
    }
}
