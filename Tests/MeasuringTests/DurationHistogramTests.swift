import Testing

@testable import TangoMeasuring
@testable import TangoRequest
@testable import TestSupport

/// The distribution of durations.
struct DurationHistogramTests {
    @Test func withoutDurationsNothingIsKnown() {
        let histogram = DurationHistogram()
        #expect(histogram.count == 0)
        #expect(histogram.percentile(0.5) == nil)
        #expect(histogram.mean == nil)
        #expect(histogram.max == .zero)
    }

    @Test(arguments: [0.0, 0.5, 0.9, 0.99, 1.0])
    func percentileIsWithinTheStatedError(_ fraction: Double) throws {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<50 {
            var histogram = DurationHistogram()
            // From microseconds to hours.
            let all = (0..<300).map { _ in
                Duration.nanoseconds(Int.random(in: 0..<1 << Int.random(in: 1...43, using: &random), using: &random))
            }
            for duration in all { histogram.add(duration) }
            let exact = all.sorted()[max(0, Int((fraction * 300).rounded(.up)) - 1)]
            let found = try #require(histogram.percentile(fraction))
            let error = abs((found - exact) / .nanoseconds(1))
            #expect(error <= max(500, 0.032 * (exact / .nanoseconds(1))), "\(found) for \(exact)")
            #expect(histogram.max == all.max())
            #expect(histogram.sum == all.reduce(.zero, +))
        }
    }

    @Test func percentilesRiseWithTheirFraction() {
        var histogram = DurationHistogram()
        for step in 1...1_000 { histogram.add(.microseconds(step * step)) }
        let percentiles = stride(from: 0.0, through: 1, by: 0.01).compactMap { histogram.percentile($0) }
        #expect(percentiles.count == 101)
        #expect(percentiles == percentiles.sorted())
    }

    @Test(arguments: [
        (0, 0), (31, 31), (32, 32), (33, 32), (34, 33), (63, 47), (64, 48), (67, 48), (68, 49), (1 << 20, 272),
    ])
    func bucketsAreASixteenthWide(_ microseconds: Int, _ bucket: Int) {
        #expect(DurationHistogram.bucket(of: microseconds) == bucket)
    }

    @Test func bucketsFollowEachOther() {
        var last = -1
        for microseconds in 0..<200_000 {
            let bucket = DurationHistogram.bucket(of: microseconds)
            #expect(bucket == last || bucket == last + 1)
            last = bucket
        }
    }

    @Test func extremeDurationsAreCounted() {
        var histogram = DurationHistogram()
        histogram.add(.seconds(-5))
        histogram.add(.seconds(Int64.max))
        #expect(histogram.count == 2)
        #expect(histogram.percentile(0) == .nanoseconds(500))
        #expect(histogram.percentile(.nan) == histogram.percentile(-1))
        #expect(histogram.percentile(.infinity) == histogram.max)
        #expect(histogram.max == .seconds(366 * 86_400))
        #expect(DurationHistogram.bucket(of: 366 * 86_400 * 1_000_000) < 700)
    }

    @Test func sumOfHistogramsIsThatOfTheirDurations() {
        var (left, right, both) = (DurationHistogram(), DurationHistogram(), DurationHistogram())
        for step in 1...100 {
            left.add(.microseconds(step))
            right.add(.milliseconds(step))
            both.add(.microseconds(step))
            both.add(.milliseconds(step))
        }
        left.add(right)
        #expect(left == both)
    }
}
