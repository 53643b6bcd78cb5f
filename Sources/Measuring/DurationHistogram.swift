/// The distribution of durations, in constant memory.
///
/// A duration is counted in one of at most 608 buckets. The width of a bucket is at most a sixteenth of its durations. So
/// ``percentile(_:)`` differs from the exact value by at most 3.2 %, or by half a microsecond.
public struct DurationHistogram: Sendable, Hashable {
    private var buckets: [Int] = []
    /// The number of durations.
    public private(set) var count = 0
    /// The sum of the durations.
    public private(set) var sum = Duration.zero
    /// The longest duration, exactly; zero without durations.
    public private(set) var max = Duration.zero

    /// Creates a histogram without durations.
    public init() {}

    /// Adds a duration. A negative one counts as zero, and one of more than a year as a year.
    public mutating func add(_ duration: Duration) {
        let duration = Swift.min(Swift.max(duration, .zero), .seconds(366 * 86_400))
        let bucket = Self.bucket(of: Int(duration / .microseconds(1)))
        if bucket >= buckets.count { buckets += repeatElement(0, count: bucket + 1 - buckets.count) }
        buckets[bucket] += 1
        count += 1
        sum += duration
        max = Swift.max(max, duration)
    }

    /// Adds the durations of another histogram.
    public mutating func add(_ other: DurationHistogram) {
        if other.buckets.count > buckets.count {
            buckets += repeatElement(0, count: other.buckets.count - buckets.count)
        }
        for (index, number) in other.buckets.enumerated() { buckets[index] += number }
        count += other.count
        sum += other.sum
        max = Swift.max(max, other.max)
    }

    /// Returns the duration that is not exceeded by a fraction of all: 0.5 for the median, 0.99 for the slowest percent.
    ///
    /// - Parameter fraction: From 0 to 1.
    /// - Returns: The duration, within 3.2 %; nil without durations.
    public func percentile(_ fraction: Double) -> Duration? {
        guard count > 0 else { return nil }
        // This is 0 for NaN too.
        let fraction = fraction > 0 ? Swift.min(fraction, 1) : 0
        let rank = Swift.max(1, Int((fraction * Double(count)).rounded(.up)))
        if rank == count { return max }
        var passed = 0
        for (index, number) in buckets.enumerated() {
            passed += number
            if passed >= rank { return Swift.min(Self.middle(of: index), max) }
        }
        return max
    }

    /// The mean of the durations; nil without durations.
    public var mean: Duration? { count > 0 ? sum / count : nil }

    // MARK: Buckets

    /// Below 32 microseconds, each has a bucket of its own. Above, each power of two has 16.
    static func bucket(of microseconds: Int) -> Int {
        guard microseconds >= 32 else { return microseconds }
        let shift = Int.bitWidth - microseconds.leadingZeroBitCount - 5
        return shift * 16 + (microseconds >> shift)
    }

    static func middle(of bucket: Int) -> Duration {
        guard bucket >= 32 else { return .microseconds(bucket) + .nanoseconds(500) }
        let shift = bucket / 16 - 1
        let first = (bucket % 16 + 16) << shift
        return .nanoseconds(first * 1_000 + (1_000 << shift) / 2)
    }
}

extension DurationHistogram: CustomStringConvertible {
    /// The number of durations, the median, two percentiles and the longest one.
    public var description: String {
        guard let median = percentile(0.5), let p90 = percentile(0.9), let p99 = percentile(0.99) else {
            return "no durations"
        }
        return "\(count) durations, median \(median.text), p90 \(p90.text), p99 \(p99.text), max \(max.text)"
    }
}
