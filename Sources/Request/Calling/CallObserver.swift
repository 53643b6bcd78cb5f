import TangoCache

/// Hears what happens to calls: of one request, of a client, or of all, see ``Client/observe(all:)``.
///
/// It is kept alive by whoever it observes. Events of one call come in order, and each `willStart` is followed by exactly one
/// `finished`. They come on any thread, and the call waits meanwhile: return at once.
public protocol CallObserver: Sendable {
    /// Hears of one event, while the call waits.
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
        /// One more attempt is sent: with a retry there are several.
        case sending(HTTPRequest)
        /// An interim response, such as 103 with early hints.
        case informational(HTTPStatus, Headers)
        /// So much of the bodies has been sent and received.
        case progress(CallProgress)
        /// An attempt was answered.
        case response(HTTPResponse)
        /// What the call had to do with the cache. Of what is kept, it is told when that is done, which may be after
        /// `finished`.
        case cache(CacheActivity)
        /// The call has an end. The last of all, but for what is kept of an answer.
        case finished(FinishedState, error: (any Error)?)
    }

    /// The call that it happened to.
    public let call: AnyCall
    /// What it was.
    public let kind: Kind
}

/// An observer made of a function.
public struct CallObservation: CallObserver {
    private let hear: @Sendable (CallEvent) -> Void

    /// Calls the function with each event, on the thread where it happens.
    public init(_ hear: @escaping @Sendable (CallEvent) -> Void) {
        self.hear = hear
    }

    public func observe(_ event: CallEvent) {
        hear(event)
    }
}
