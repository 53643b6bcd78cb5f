import Testing

@testable import TangoRequest
@testable import TestSupport

struct TimestampTests {
    @Test(arguments: [
        Duration.zero, .seconds(1), .seconds(-100_000), .nanoseconds(1), .nanoseconds(-1), .seconds(1_000_000_000),
    ])
    func instantsStayExact(_ distance: Duration) {
        let instant = ContinuousClock.now.advanced(by: distance)
        #expect(Timestamp(instant).instant == instant)
    }

    @Test func nowIsBetweenTheInstantsAroundIt() {
        let before = ContinuousClock.now
        let now = Timestamp.now.instant
        #expect(before <= now && now <= .now)
    }
}
