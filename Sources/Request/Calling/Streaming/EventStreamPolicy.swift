/// The rules by which an ``EventStream`` reconnects and ends.
///
/// ```swift
/// final class GetUpdates: Request<EventStream<Update>> {
///     override var endpoint: Endpoint { .get("/updates") }
///     override var serializer: Serializer<EventStream<Update>> {
///         .events(EventStreamPolicy(attempts: 5, idle: .seconds(45)))
///     }
/// }
/// ```
///
/// With a negative duration or number, or an ``eventLimit`` of zero, requests fail with ``RequestError/Code/badPolicy``.
public struct EventStreamPolicy: Sendable {
    /// A Boolean value that indicates whether the stream reconnects.
    ///
    /// Only a request that may be sent twice reconnects: its method is idempotent or it has an `Idempotency-Key`, and its
    /// body can be sent again. The stream of any other request ends with its first connection.
    public var reconnects: Bool
    /// The wait before the stream reconnects, until the server names another one with `retry:`.
    public var wait: Duration
    /// The longest wait, the part at random included. It also caps the waits that the server names with `retry:` and
    /// `Retry-After`.
    public var longestWait: Duration
    /// The highest number of connections in a row that fail or bring no byte; nil for no limit.
    public var attempts: Int?
    /// The longest time without a byte, in place of the `idle` time of ``Request/timeouts``; nil for no limit. The stream
    /// reconnects after it.
    public var idle: Duration?
    /// The highest number of bytes in an event. A larger one ends the stream with
    /// ``RequestError/Code/elementTooLarge``.
    public var eventLimit: Int
    /// The identifier after which the stream begins, which an earlier stream has delivered. It is sent as `Last-Event-ID`.
    public var lastEventID: String
    /// Returns whether an event is the end of the stream. That event is not delivered.
    ///
    /// Some servers end with an event of their own, such as one with the data `[DONE]`.
    public var isEnd: (@Sendable (ServerSentEvent) -> Bool)?

    public init(
        reconnects: Bool = true, wait: Duration = .seconds(3), longestWait: Duration = .seconds(60),
        attempts: Int? = nil, idle: Duration? = .seconds(90), eventLimit: Int = 1 << 20, lastEventID: String = "",
        isEnd: (@Sendable (ServerSentEvent) -> Bool)? = nil
    ) {
        self.reconnects = reconnects
        self.wait = wait
        self.longestWait = longestWait
        self.attempts = attempts
        self.idle = idle
        self.eventLimit = eventLimit
        self.lastEventID = lastEventID
        self.isEnd = isEnd
    }

    /// The stream ends with its first connection.
    public static let once = EventStreamPolicy(reconnects: false)
}

extension EventStreamPolicy {
    /// The shortest wait, so that a server which names none is not flooded. A shorter ``longestWait`` has precedence.
    static let shortestWait = Duration.milliseconds(100)

    /// The reason why a value is invalid, and what to set; nil if all are valid.
    var problem: String? {
        SettingProblem.low("EventStreamPolicy.wait", wait)
            ?? SettingProblem.low("EventStreamPolicy.longestWait", longestWait)
            ?? SettingProblem.low("EventStreamPolicy.attempts", attempts, least: 0, isLimit: true)
            ?? SettingProblem.low("EventStreamPolicy.eventLimit", eventLimit)
    }

    /// Returns the wait before a connection.
    ///
    /// It doubles with each connection that failed. Up to a half of it is added at random, so that the clients of a server
    /// that was restarted do not return at once. What exceeds the longest wait is subtracted from it instead, unless the
    /// server has named a longer wait.
    ///
    /// - Parameters:
    ///   - failures: The connections in a row that have failed or brought no byte.
    ///   - retry: The wait that the server has named, in milliseconds.
    ///   - retryAfter: The wait for which a refused connection asks.
    ///   - random: A number from zero to one, below one.
    func delay(failures: Int, retry: UInt64?, retryAfter: Duration? = nil, random: Double) -> Duration {
        let cap = longestWait
        let named = retry.map { Duration.milliseconds(Int64(clamping: min($0, 1 << 50))) }
        var delay = min(max(named ?? wait, Self.shortestWait), cap)
        for _ in 0..<min(max(failures, 0), 64) where delay < cap { delay = min(delay * 2, cap) }
        let least = min(max(named ?? .zero, retryAfter ?? .zero), cap)
        delay = max(delay, least)
        let spread = delay + (delay / 2).part(random)
        return spread > cap ? max(cap - (spread - cap), least) : spread
    }
}

/// The step after a connection of an event stream has ended.
enum EventStreamStep: Equatable, Sendable {
    case reconnect
    /// The stream ends without an error.
    case end
    /// The stream ends with the error of the connection.
    case fail

    /// The values that a step depends on.
    struct Situation {
        /// The error of the connection; nil if the server has ended the body.
        var error: (any Error)?
        /// A Boolean value that indicates whether the request may be sent again.
        var isRepeatable = true
        /// The connections in a row that have failed or brought no byte.
        var failures = 0
    }

    static func of(_ situation: Situation, _ policy: EventStreamPolicy) -> EventStreamStep {
        if let error = situation.error {
            guard let error = error as? RequestError, error.isRetryable else { return .fail }
        }
        guard policy.reconnects, situation.isRepeatable else { return situation.error == nil ? .end : .fail }
        if let attempts = policy.attempts, situation.failures >= attempts {
            return situation.error == nil ? .end : .fail
        }
        return .reconnect
    }
}

/// The `Last-Event-ID` header field.
enum LastEventID {
    /// Returns the value of the field for an identifier; nil if nothing is sent.
    ///
    /// A header field cannot carry control characters, so they are left out.
    static func field(_ id: String) -> String? {
        var text = id
        text.unicodeScalars.removeAll { $0.properties.generalCategory == .control }
        return text.isEmpty ? nil : text
    }
}
