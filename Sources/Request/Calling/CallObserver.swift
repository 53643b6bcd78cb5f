/// Observes calls: those of one request, of a client, or of all clients.
///
/// If only events matter, a closure is enough: see ``Client/Configuration/observe(_:)`` and ``Client/observe(_:)``.
///
/// Events of one call come in order, one at a time, and each `willStart` is followed by exactly one `finished`.
/// Requests and clients hold their observers.
///
/// **Threads.** Events are delivered on threads that serve nothing else: not on the caller's, the main or the transport's
/// thread, and not on those of tasks. Several calls may be in an observer at once.
///
/// **Slow observers.** A call waits for its observers before it is sent, after its response, and before it settles. So a slow
/// observer delays the calls that it observes. It delays calls of other clients never, and other calls of its client only if
/// eight of them are in an observer at that moment. Newer progress replaces progress that was not delivered yet. Of the interim
/// responses that wait, the newest 64 are delivered.
///
/// **Tests.** When a promise has settled or a callback runs, the observers of the call have returned from `finished`. Events of
/// ``CallEvent/Kind/cache(_:)`` may come later; ``Client/shutdown()`` returns when all have been delivered.
public protocol CallObserver: Sendable {
    /// Called with each event of a call.
    func observe(_ event: CallEvent)

    /// Returns the entry to cache for a response: the given one, a changed one, or nil for none. Each observer gets the entry
    /// that the observer before it has returned.
    ///
    /// The metadata has the head of the response under `head`: its lines before the body.
    func willStore(_ entry: CacheEntry, of call: AnyCall) -> CacheEntry?
}

extension CallObserver {
    /// Returns the entry unchanged.
    public func willStore(_ entry: CacheEntry, of call: AnyCall) -> CacheEntry? { entry }
}

/// An event of a call.
public struct CallEvent: Sendable {
    /// The kind of an event, with its values.
    public enum Kind: Sendable {
        /// The call is about to send this request. This is the first event, and `finished` follows for each.
        case willStart(HTTPRequest?)
        /// An attempt is sent. Its number is in ``CallEvent/attempt``, its reason in ``AnyCall/attempts``.
        case sending(HTTPRequest)
        /// An interim response, such as 103 with early hints.
        case informational(HTTPStatus, Headers)
        /// Bytes of the bodies that were sent and received so far.
        case progress(CallProgress)
        /// An attempt has a response.
        case response(HTTPResponse)
        /// Another attempt follows after a delay, with this request: a retry, for example.
        case following(Attempt.Cause, HTTPRequest, after: Duration)
        /// The call waits before its next attempt: for the ``Limiter`` of its client, for
        /// credentials, or for a network.
        case waiting(CallWait)
        /// The use that the call made of the cache. A write is reported when it is done, which may be after `finished`.
        case cache(CacheActivity)
        /// The call has ended. Only reports of cache writes may follow.
        case finished(FinishedState, error: (any Error)?)
    }

    /// An event without its call.
    struct Content: Sendable {
        let kind: Kind
        let time = Timestamp.now
        var attempt: Int?

        init(_ kind: Kind, attempt: Int? = nil) {
            self.kind = kind
            self.attempt = attempt
        }
    }

    private let content: Content

    /// The call of the event.
    public let call: AnyCall
    /// The kind of the event, with its values.
    public var kind: Kind { content.kind }
    /// The time of the event. Observers may be notified later.
    public var instant: ContinuousClock.Instant { content.time.instant }
    /// The number of the attempt, as in ``AnyCall/attempts``; nil if the event belongs to no attempt.
    public var attempt: Int? { content.attempt }

    init(call: AnyCall, _ content: Content) {
        self.call = call
        self.content = content
    }
}

/// The reason why a call waits. The set is open.
public struct CallWait: Hashable, Sendable, CustomStringConvertible {
    /// The name of the reason.
    public let description: String

    /// Creates a reason with a name.
    public init(_ name: String) {
        description = name
    }

    /// Other calls are sent first.
    public static let queue = CallWait("queue")
    /// The call has no credentials yet, or they were rejected: see `Client.Configuration.authenticator`.
    public static let hold = CallWait("hold")
    /// The device has no network: see ``Client/Configuration/waitsForConnectivity``.
    public static let connectivity = CallWait("connectivity")
    /// A newer call may replace the call: see ``Uniqueness/replace(after:)``.
    public static let replacement = CallWait("replacement")
}

/// An observer that calls a closure.
struct ClosureObserver: CallObserver {
    private let handle: @Sendable (CallEvent) -> Void

    init(_ handle: @escaping @Sendable (CallEvent) -> Void) {
        self.handle = handle
    }

    func observe(_ event: CallEvent) {
        handle(event)
    }
}

extension CallEvent: CustomStringConvertible {
    /// The call, the attempt and the kind of event. Secrets are replaced.
    public var description: String {
        // A server or another library may repeat a secret of the request.
        (call.core.plan.redaction ?? .standard).knowing(call.core.newestRequest)
            .redact(text: "call \(call.id)\(attempt.map { ", attempt \($0)" } ?? ""): \(kind)")
    }
}

extension CallEvent.Kind: CustomStringConvertible {
    /// The event in words. Secrets are replaced, and bodies are left out.
    public var description: String {
        switch self {
        case .willStart(let request): "starts\(request.map { " with \($0)" } ?? "")"
        case .sending(let request): "sends \(request)"
        case .informational(let status, _): "interim response \(status)"
        case .progress(let progress): "\(progress)"
        case .response(let response): "response \(response.status)"
        case .following(let cause, let request, let delay): "\(cause) after \(delay.text) with \(request)"
        case .waiting(let wait): "waits: \(wait)"
        case .cache(let activity): "cache: \(activity)"
        case .finished(let state, let error): "finished: \(state)\(error.map { ", \(ErrorText.redacted($0))" } ?? "")"
        }
    }
}
