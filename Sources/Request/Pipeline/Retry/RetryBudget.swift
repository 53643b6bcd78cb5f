import Synchronization

/// The retries that a client may make for each host, so that it does not add to the load of a server that struggles.
///
/// Each host has a number of retries that may follow each other at once. A retry that was made comes back after a time.
/// All calls of the client share the budget, with the transfers that they share and its background refreshes.
public struct RetryBudget: Hashable, Sendable {
    /// The number of retries for a host that may be made at once.
    public var burst: Int
    /// The number of retries for a host that come back within a second.
    public var perSecond: Double

    /// Creates a budget. Negative values count as zero.
    public init(burst: Int = 10, perSecond: Double = 1) {
        self.burst = burst
        self.perSecond = perSecond
    }

    /// Ten retries at once, and one more for each second that passes. This is the default.
    public static let standard = RetryBudget()
    /// No limit.
    public static let unlimited = RetryBudget(burst: .max, perSecond: 0)
}

/// The retries that are left for each host.
final class RetryBuckets: Sendable {
    private struct Bucket {
        var tokens: Double
        var time: Double
    }

    private let budget: RetryBudget
    private let buckets = Mutex<[ServerAddress: Bucket]>([:])

    init(_ budget: RetryBudget) {
        self.budget = budget
    }

    /// The number of hosts whose retries are counted.
    var count: Int { buckets.withLock(\.count) }

    /// Takes a retry for a server. Returns false if none is left.
    ///
    /// - Parameter now: A time in seconds, which does not decrease.
    func take(for server: ServerAddress, at now: Double) -> Bool {
        guard budget.burst < .max else { return true }
        let (burst, rate) = (Double(max(budget.burst, 0)), max(budget.perSecond, 0))
        return buckets.withLock { buckets in
            var bucket = buckets[server] ?? Bucket(tokens: burst, time: now)
            bucket.tokens = min(burst, bucket.tokens + max(now - bucket.time, 0) * rate)
            bucket.time = max(now, bucket.time)
            let isLeft = bucket.tokens >= 1
            if isLeft { bucket.tokens -= 1 }
            buckets[server] = bucket
            // A bucket that is full again is like a new one.
            if buckets.count > 1_000 {
                buckets = buckets.filter { min(burst, $1.tokens + max(now - $1.time, 0) * rate) < burst }
            }
            return isLeft
        }
    }
}
