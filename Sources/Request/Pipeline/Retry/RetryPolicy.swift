import Synchronization

/// The rules by which a request that failed is sent again.
///
/// ```swift
/// final class GetReport: Request<Data> {
///     override var endpoint: Endpoint { .get("/report") }
///     override var retryPolicy: RetryPolicy { .standard }
/// }
/// ```
///
/// A request whose body can be read once is never sent again. A request that the server may have processed is sent again
/// only if its method is idempotent, or if it has an `Idempotency-Key`: see ``withIdempotencyKey()``. The budget of the
/// client limits the retries for each host: see ``Client/Configuration/retryBudget``.
public struct RetryPolicy: Hashable, Sendable {
    enum Rule: Hashable, Sendable {
        case never
        case connectionLoss
        case failures(attempts: Int, base: Duration, cap: Duration)
        case custom(Custom)
    }

    /// A closure of the application. Two policies are equal if they have the same one.
    final class Custom: Hashable, Sendable {
        let delay: @Sendable (FailedAttempt) -> Duration?

        init(_ delay: @escaping @Sendable (FailedAttempt) -> Duration?) {
            self.delay = delay
        }

        static func == (left: Custom, right: Custom) -> Bool { left === right }
        func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
    }

    let rule: Rule
    /// The longest wait that a server may ask for with `Retry-After`: a minute by default.
    ///
    /// A request for which a server asks for a longer wait fails at once.
    public var longestWait = Duration.seconds(60)
    /// A Boolean value that indicates whether requests that are not idempotent get an `Idempotency-Key`.
    private(set) var makesKeys = false

    private init(_ rule: Rule) {
        self.rule = rule
    }

    /// Never sends a request again.
    public static let never = RetryPolicy(.never)

    /// Sends a request once more, at once, if its connection was lost before a response began. This is the default.
    ///
    /// A server may close an idle connection at the moment in which a request is sent on it. Such a request fails
    /// although nothing is wrong.
    public static let connectionLoss = RetryPolicy(.connectionLoss)

    /// Sends a request up to two times more, also after a status such as 503 that may soon be another one.
    ///
    /// It waits for up to 0.25 and 0.5 seconds, or as long as the server asks for.
    public static let standard = exponential(attempts: 3, base: .milliseconds(250), cap: .seconds(5))

    /// Sends a request again up to a number of attempts, with waits that grow.
    ///
    /// The wait before the second attempt is random, between zero and `base`. The upper end doubles with each attempt,
    /// up to `cap`. Random waits spread the retries of many clients over time.
    ///
    /// - Parameters:
    ///   - attempts: The highest number of attempts, the first one included: at least one.
    ///   - base: The longest wait before the second attempt.
    ///   - cap: The longest wait before any attempt.
    public static func exponential(
        attempts: Int = 5, base: Duration = .milliseconds(250), cap: Duration = .seconds(20)
    ) -> RetryPolicy {
        RetryPolicy(.failures(attempts: attempts, base: base, cap: cap))
    }

    /// Calls a closure after each attempt that failed. It returns the time to wait before the next attempt, or nil to
    /// give up.
    ///
    /// ```swift
    /// let policy = RetryPolicy.custom { attempt in
    ///     attempt.number < 10 && attempt.response?.status == 409 ? .seconds(1) : nil
    /// }
    /// ```
    ///
    /// The closure decides for all methods. It may be called for any number of calls at once. A wait of more than a century
    /// is a century.
    public static func custom(_ delay: @escaping @Sendable (FailedAttempt) -> Duration?) -> RetryPolicy {
        RetryPolicy(.custom(Custom(delay)))
    }

    /// Adds a random `Idempotency-Key` to requests that are not idempotent, so that they may be sent again.
    ///
    /// All attempts of a call have the same key, by which the server recognises a repetition. A call that is started
    /// again has another key, and so has a request of the same call with another method or URL, such as after a redirect.
    /// The server must support the header.
    public func withIdempotencyKey() -> RetryPolicy {
        var policy = self
        policy.makesKeys = true
        return policy
    }

    /// The error of a policy with invalid values; nil if they are valid.
    var problem: String? {
        if let problem = SettingProblem.low("RetryPolicy.longestWait", longestWait) { return problem }
        guard case .failures(let attempts, let base, let cap) = rule else { return nil }
        if attempts < 1 { return "RetryPolicy.exponential has \(attempts) attempts: set at least one" }
        if base < .zero { return "RetryPolicy.exponential has the base \(base.text): set zero or more" }
        if cap < .zero { return "RetryPolicy.exponential has the cap \(cap.text): set zero or more" }
        return nil
    }
}

/// An attempt that failed, as ``RetryPolicy/custom(_:)`` gets it.
public struct FailedAttempt: Sendable {
    /// The request as it was sent.
    public let request: HTTPRequest
    /// The number of attempts so far.
    public let number: Int
    /// The response, if the server has sent one.
    public let response: HTTPResponse?
    /// The error of an attempt without a response.
    public let error: (any Error)?
    /// The time for which the server asks with `Retry-After`.
    public let retryAfter: Duration?
}

extension FailedAttempt: CustomStringConvertible {
    /// Such as `attempt 1, GET https://api.example.com/a: 503`, without secrets.
    public var description: String {
        let result = response.map { "\($0.status)" } ?? error.map { ErrorText.of($0) } ?? "no response"
        return "attempt \(number), \(request): \(request.redaction.knowing(request, response).redact(text: result))"
    }
}

extension RetryPolicy: CustomStringConvertible {
    /// Such as `up to 3 attempts, after 250 ms, at most 8 s`.
    public var description: String {
        let attempts =
            switch rule {
            case .never: "never"
            case .connectionLoss: "once, if the connection was lost"
            case .failures(let attempts, let base, let cap):
                "up to \(attempts) attempts, after \(base.text), at most \(cap.text)"
            case .custom: "as a closure decides"
            }
        return attempts + (longestWait == .seconds(60) ? "" : ", Retry-After up to \(longestWait.text)")
            + (makesKeys ? ", with an Idempotency-Key" : "")
    }
}

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

    /// Creates a budget. With a negative value, requests fail with ``RequestError/Code/badPolicy``.
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
        self.burst = Double(burst)
        self.perRequest = perRequest
        self.perSecond = perSecond
        isUnlimited = burst == .max
    }

    /// The error of a budget with invalid values; nil if they are valid.
    var problem: String? {
        if burst < 0 { return "RetryBudget.burst is \(Int(burst)): set zero or more" }
        // A value that is not a number is refused as well.
        if !(perRequest >= 0) { return "RetryBudget.perRequest is \(perRequest): set zero or more" }
        if !(perSecond >= 0) { return "RetryBudget.perSecond is \(perSecond): set zero or more" }
        return nil
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
