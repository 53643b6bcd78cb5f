/// One exchange of a call with a server: an entry of ``AnyCall/attempts``.
public struct Attempt: Sendable {
    /// The reason for an attempt. The set is open.
    public struct Cause: Hashable, Sendable, CustomStringConvertible {
        /// The name of the reason.
        public let description: String

        /// Creates a reason with a name.
        public init(_ name: String) {
            description = name
        }

        /// The first attempt of the call.
        public static let first = Cause("first")
        /// A request that revalidates a cached response.
        public static let validation = Cause("validation")
        /// A request for the bytes that are missing of a cached response.
        public static let completion = Cause("completion")
        /// A request in the background, after a stale response was served.
        public static let refresh = Cause("refresh")
        /// An attempt after one that failed, as the ``RetryPolicy`` of the call says.
        public static let retry = Cause("retry")
        /// A request to which a response has redirected, as the ``RedirectPolicy`` of the call says.
        public static let redirect = Cause("redirect")
        /// An attempt after one that found the device without a network: see
        /// ``Client/Configuration/waitsForConnectivity``.
        public static let connectivity = Cause("connectivity")
        /// An attempt with new credentials, after one whose credentials were rejected: see `Authenticator`.
        public static let authentication = Cause("authentication")
        /// A further connection of an ``EventStream``, after the one before it was lost.
        public static let reconnection = Cause("reconnection")
        /// A request for another part of a file, beside others: see `Download.parts`.
        public static let part = Cause("part")
        /// A further attempt, because an interceptor sent the request again, or the first response could not be used.
        public static let repetition = Cause("repetition")
    }

    /// The decision after a response that rejected the credentials of its request.
    public enum Authentication: Hashable, Sendable, CustomStringConvertible {
        /// The request was sent again, with new credentials.
        case sentAgain
        /// There were no new credentials, so the rejection is the response of the call.
        case gaveUp

        public var description: String {
            switch self {
            case .sentAgain: "its credentials were rejected, and it was sent again with new ones"
            case .gaveUp: "its credentials were rejected, and there were no new ones"
            }
        }
    }

    /// The number of the attempt within its call, from 1.
    public internal(set) var number: Int
    /// The reason for the attempt.
    public let cause: Cause
    /// The request as it was sent, without its body.
    public let request: HTTPRequest
    /// When the request was given to the transport.
    public var started: ContinuousClock.Instant { startTime.instant }
    /// When the attempt failed, or the last byte of the response had arrived; nil while the attempt is in flight.
    public var ended: ContinuousClock.Instant? { endTime?.instant }
    /// The response without its body, also of an attempt whose body has not arrived yet; nil without a response.
    public var response: HTTPResponse? {
        guard var head = received?.head else { return nil }
        head.request = request
        return head
    }
    /// The error of an attempt that failed.
    public internal(set) var error: (any Error)?
    /// The time that the attempt waited for a slot of the ``Limiter``, before it started; nil if it needed not wait.
    public let queued: Duration?
    /// The time for which the call was held before the attempt, until it had credentials; nil if it was not held.
    public let held: Duration?
    /// The decision of the `Authenticator` after a response that rejected the credentials; nil after others.
    public package(set) var authentication: Authentication?
    /// The decision whether another attempt follows; nil unless the attempt failed.
    public internal(set) var retry: RetryDecision?

    /// The times and sizes of the exchange, also of one that failed, as far as it came. Nil without a response if the
    /// transport does not know them, or the call has ended the attempt.
    public var metrics: AttemptMetrics? { error.flatMap(Self.metrics) ?? received?.metrics }
    /// Bytes of the request's body that were sent.
    public var bytesSent: Int { metrics?.bodyBytesSent ?? 0 }
    /// Bytes of the response's body that were received, before they were decoded.
    public var bytesReceived: Int { metrics?.bodyBytesReceived ?? 0 }

    var startTime = Timestamp.now
    /// True if the call has left a transfer that other calls share. The attempt goes on for these.
    package var isOfOthers = false
    private var endTime: Timestamp?
    /// The response as it arrived. Large bodies are left out, and bodies that are still arriving: a small one costs less to hold than a
    /// copy without it.
    private var received: HTTPResponse?
    private static let smallBody = 16_384

    init(number: Int, cause: Cause, request: HTTPRequest, queued: Duration? = nil, held: Duration? = nil) {
        self.number = number
        self.cause = cause
        self.request = request.withoutBody
        self.queued = queued
        self.held = held
    }

    /// Ends the attempt with an error, or takes the head of its response. A body that is on its way ends later.
    mutating func end(_ outcome: Result<HTTPResponse, any Error>) {
        guard endTime == nil else { return }
        switch outcome {
        case .success(let response):
            take(response)
            if !response.isStreaming { endTime = .now }
        case .failure(let error):
            if let error = error as? RequestError, error.metrics != nil, let response = error.response {
                take(response)
            }
            self.error = error
            endTime = .now
        }
    }

    private mutating func take(_ response: HTTPResponse) {
        let isSmall = response.body.count <= Self.smallBody && response.request?.body.isNone != false
        received = isSmall && !response.isStreaming ? response : response.head
    }

    private static func metrics(of error: any Error) -> AttemptMetrics? { (error as? RequestError)?.metrics }

    /// Ends the attempt with its streamed body.
    mutating func endBody(_ end: AttemptBody.End) {
        guard endTime == nil else { return }
        endTime = .now
        switch end {
        case .success(let ending):
            guard let ending else { return }
            received?.trailers = ending.trailers
            received?.metrics = ending.metrics
        case .failure(let error):
            self.error = error
            if let metrics = Self.metrics(of: error) { received?.metrics = metrics }
        }
    }
}

extension Attempt: CustomStringConvertible {
    /// Such as `attempt 2 (retry), GET https://api.example.com/users/1: 200 in 12.5 ms`. Secrets are replaced.
    public var description: String {
        let line = "\(request.method) \(request.redaction.redact(request.url))"
        let result = response.map { "\($0.status)" } ?? error.map { request.redaction.redact(text: ErrorText.of($0)) }
        let time = ended.map { " in \(max(started.duration(to: $0), .zero).text)" } ?? ""
        return "attempt \(number) (\(cause)), \(line): \(result ?? "in flight")\(result == nil ? "" : time)"
    }
}

/// The log of a run: its attempts in the order of their numbers.
///
/// An event stream that reconnects for days has the first attempt and the newest ones. Other logs have all attempts.
extension [Attempt] {
    /// The highest number of attempts in the log when an event stream reconnects.
    static let reconnectionLimit = 100

    /// The number of attempts so far, those included that the log has left out.
    package var newestNumber: Int { last?.number ?? 0 }

    /// Returns the place of an attempt; nil if the log has left it out.
    private func place(of number: Int) -> Int? {
        // The newest ones have no gap between them. The first one may have a gap behind it.
        let place = count - 1 - (newestNumber - number)
        if indices.contains(place), self[place].number == number { return place }
        return first?.number == number ? 0 : nil
    }

    /// The attempt with a number; nil if the log has left it out.
    subscript(number number: Int) -> Attempt? {
        place(of: number).map { self[$0] }
    }

    /// Changes an attempt, unless the log has left it out.
    mutating func change(_ number: Int, _ body: (inout Attempt) -> Void) {
        if let place = place(of: number) { body(&self[place]) }
    }

    /// Adds an attempt. A reconnection replaces the oldest attempt after the first if the log is full.
    mutating func add(_ attempt: Attempt) {
        if attempt.cause == .reconnection, count >= Self.reconnectionLimit {
            removeSubrange(1..<(count - Self.reconnectionLimit + 2))
        }
        append(attempt)
    }
}

/// An instant of the continuous clock, of which the compiler knows the layout.
///
/// It does not know that of `ContinuousClock.Instant`. A value with such a property is copied by functions that read its
/// layout when they run, and an object with one looks up the places of its properties.
struct Timestamp: Sendable {
    private static let origin = ContinuousClock.now

    private let sinceOrigin: Duration

    init(_ instant: ContinuousClock.Instant) {
        sinceOrigin = Self.origin.duration(to: instant)
    }

    @inline(never)
    static var now: Timestamp { Timestamp(.now) }

    var instant: ContinuousClock.Instant { Self.origin.advanced(by: sinceOrigin) }
}
