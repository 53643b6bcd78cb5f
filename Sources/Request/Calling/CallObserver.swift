import TangoCache

/// Observes calls: those of one request, of a client, or of all clients.
///
/// A closure will do where only events matter: ``Client/Configuration/observe(_:)`` and ``Client/observe(_:)``.
///
/// Events of one call come in order, one at a time, and each `willStart` is followed by exactly one `finished`. What is
/// observed keeps its observers alive.
///
/// **Threads.** Events are delivered on threads that serve nothing else: not on the caller's, the main or the transport's
/// thread, and not on those of tasks. Several calls may be in an observer at once.
///
/// **Slow observers.** A call waits for its observers before it is sent, when it was answered, and before it settles. So a slow
/// observer delays the calls that it observes. It delays no call of another client, and no other call of its client either,
/// unless eight of them are in an observer at that moment. Progress that was not delivered yet is replaced by newer progress,
/// and of the interim responses that wait only the newest 64 are kept.
///
/// **Tests.** When a promise has settled or a callback runs, the observers of the call have returned from `finished`. Events of
/// ``CallEvent/Kind/cache(_:)`` may come later; ``Client/shutdown()`` returns when all have been delivered.
public protocol CallObserver: Sendable {
    /// Called with each event of a call.
    func observe(_ event: CallEvent)

    /// What is to be kept of an answer: the entry as it is, a changed one, or nil for nothing. Observers are asked one after
    /// the other, each with what the one before it made of the entry.
    ///
    /// The first fact of its metadata to look at is `head`, the lines before the body.
    func willStore(_ entry: CacheEntry, of call: AnyCall) -> CacheEntry?
}

extension CallObserver {
    /// Leaves the entry as it is.
    public func willStore(_ entry: CacheEntry, of call: AnyCall) -> CacheEntry? { entry }
}

/// What happened to a call.
public struct CallEvent: Sendable {
    /// What it was, with all that is known of it.
    public enum Kind: Sendable {
        /// The request, as it is about to be sent. First of all, and balanced by `finished`.
        case willStart(HTTPRequest?)
        /// An attempt is sent. Its number is in ``CallEvent/attempt``, its reason in ``AnyCall/attempts``.
        case sending(HTTPRequest)
        /// An interim response, such as 103 with early hints.
        case informational(HTTPStatus, Headers)
        /// So much of the bodies has been sent and received.
        case progress(CallProgress)
        /// An attempt was answered.
        case response(HTTPResponse)
        /// Another attempt follows after a delay, with this request: a redirect or a retry, for example. No stage of this
        /// version emits it.
        case following(Attempt.Cause, HTTPRequest, after: Duration)
        /// The call waits before its next attempt. No stage of this version emits it.
        case waiting(CallWait)
        /// What the call had to do with the cache. Of what is kept, it is told when that is done, which may be after
        /// `finished`.
        case cache(CacheActivity)
        /// The call has an end. The last of all, but for what is kept of an answer.
        case finished(FinishedState, error: (any Error)?)
    }

    /// What happened, without the call that it happened to.
    struct Content: Sendable {
        let kind: Kind
        let instant = ContinuousClock.now
        var attempt: Int?

        init(_ kind: Kind, attempt: Int? = nil) {
            self.kind = kind
            self.attempt = attempt
        }
    }

    private let content: Content

    /// The call that it happened to.
    public let call: AnyCall
    /// What it was.
    public var kind: Kind { content.kind }
    /// When it happened. Observers may hear of it later.
    public var instant: ContinuousClock.Instant { content.instant }
    /// The number of the attempt that it belongs to, as in ``AnyCall/attempts``; nil if it belongs to none.
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
    /// The call is held back until a condition holds, such as a connection to the network.
    public static let hold = CallWait("hold")
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
