import Synchronization

/// The retries that may be made for each host, so that clients do not add to the load of a server that struggles.
///
/// A host has a number of retries that may follow each other at once. Each request to it brings a part of a retry back,
/// and so does time. In the long run, retries are therefore a share of the requests, or a minimum for a client that sends
/// little. When the budget is used up, a failed request is not retried: its error says so, and has
/// ``RetryDecision/Reason/noBudget`` as the reason of its ``RequestError/retryDecision``.
///
/// All calls of a client share its budget, with the transfers that they share and its background refreshes. So do clients
/// that are derived from it, and clients that are given the same object:
///
/// ```swift
/// let budget = RetryBudget(burst: 20)
/// let api = Client(baseURL: url) { $0.retryBudget = budget }
/// let images = Client(baseURL: url) { $0.retryBudget = budget }
/// ```
///
/// A request can have another budget: see ``Request/retryBudget``.
///
/// An HTTP/2 server that closes a connection says which requests it has not processed. These are sent again without the
/// budget, as they add nothing to the work of the server.
public final class RetryBudget: Sendable {
    /// The number of retries for a host that may be made at once.
    public let burst: Int
    /// The number of retries for a host that come back with each request.
    public let perRequest: Double
    /// The number of retries for a host that come back within a second.
    public let perSecond: Double
    let buckets: RetryBuckets

    /// Creates a budget. Negative values count as zero.
    public init(burst: Int = 10, perRequest: Double = 0.2, perSecond: Double = 0.5) {
        self.burst = burst
        self.perRequest = perRequest
        self.perSecond = perSecond
        buckets = RetryBuckets(burst: burst, perRequest: perRequest, perSecond: perSecond)
    }

    /// A new budget with ten retries at once, and one more for five requests or two seconds. This is the default.
    public static var standard: RetryBudget { RetryBudget() }
    /// No limit.
    public static let unlimited = RetryBudget(burst: .max, perRequest: 0, perSecond: 0)
}

/// The retries that are left for each host.
///
/// A host whose retries are all there needs no entry, so a request to a server that works costs one look at a flag.
final class RetryBuckets: Equatable, Sendable {
    private struct Bucket {
        var tokens: Double
        var time: Double
    }

    private let burst: Double
    private let perRequest: Double
    private let perSecond: Double
    private let isUnlimited: Bool
    private let buckets = Mutex<[ServerAddress: Bucket]>([:])
    private let isTouched = Atomic(false)

    static func == (one: RetryBuckets, other: RetryBuckets) -> Bool { one === other }

    init(burst: Int, perRequest: Double, perSecond: Double) {
        self.burst = Double(max(burst, 0))
        self.perRequest = max(perRequest, 0)
        self.perSecond = max(perSecond, 0)
        isUnlimited = burst == .max
    }

    /// The number of hosts whose retries are counted.
    var count: Int { buckets.withLock(\.count) }

    /// Counts the first attempt of a request.
    ///
    /// - Parameters:
    ///   - server: The server of the request. It is read only if retries have been made.
    ///   - now: A time in seconds, which does not decrease.
    func countRequest(to server: @autoclosure () -> ServerAddress?, at now: @autoclosure () -> Double) {
        guard isTouched.load(ordering: .relaxed), let server = server() else { return }
        let now = now()
        buckets.withLock { buckets in
            guard let bucket = buckets[server] else { return }
            var refilled = refilled(bucket, at: now)
            refilled.tokens = min(burst, refilled.tokens + perRequest)
            buckets[server] = refilled.tokens < burst ? refilled : nil
            isTouched.store(!buckets.isEmpty, ordering: .relaxed)
        }
    }

    /// Takes a retry for a server. Returns false if none is left.
    ///
    /// - Parameter now: A time in seconds, which does not decrease.
    func take(for server: ServerAddress, at now: Double) -> Bool {
        guard !isUnlimited else { return true }
        return buckets.withLock { buckets in
            var bucket = refilled(buckets[server] ?? Bucket(tokens: burst, time: now), at: now)
            let isLeft = bucket.tokens >= 1
            if isLeft { bucket.tokens -= 1 }
            buckets[server] = bucket
            isTouched.store(true, ordering: .relaxed)
            // A bucket that is full again is like a new one.
            if buckets.count > 1_000 { buckets = buckets.filter { refilled($1, at: now).tokens < burst } }
            return isLeft
        }
    }

    /// Returns a bucket with the retries that have come back with time.
    private func refilled(_ bucket: Bucket, at now: Double) -> Bucket {
        let tokens = bucket.tokens + max(now - bucket.time, 0) * perSecond
        return Bucket(tokens: min(burst, tokens), time: max(now, bucket.time))
    }
}

extension RetryBudget: CustomStringConvertible {
    /// The numbers of retries that the budget allows for a host.
    public var description: String {
        burst == .max
            ? "unlimited" : "\(burst) retries, and \(perRequest) per request and \(perSecond) per second more"
    }
}
