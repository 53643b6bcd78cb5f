#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The properties that calls must have in common to share a transfer: all sent bytes, and the way in which they are
/// sent.
struct FlightKey: Hashable, Sendable {
    private enum Target: Hashable {
        /// The properties that determine the message, together with those of the client.
        case endpoint(path: ExactString, query: ExactString, Headers, Headers)
        case message(url: ExactString, Headers, body: Data?)
    }

    private let target: Target
    private let method: HTTPMethod
    private let delivery: TransportOptions.Delivery
    private let timeouts: Timeouts
    private let redirectPolicy: RedirectPolicy
    private let retryPolicy: RetryPolicy
    private let waitsForConnectivity: Duration?
    private let trust: ServerTrust
    private let cachePolicy: CachePolicy
    private let identity: ExactString?
    /// A Boolean value that indicates whether the call needs a new response, because a cached one was delivered before.
    private let follows: Bool
    // Interceptors see these properties of a call.
    private let tags: Set<ExactString>
    private let identifier: ExactString?
    /// A Boolean value that indicates whether the call has observers, for which the transport reports events.
    private let isObserved: Bool

    /// Nil for calls that send alone: they may change something, have a body that is not in memory, or stream the
    /// response.
    init?(_ message: HTTPRequest, of call: CallCore) {
        let body: Data?
        switch message.body.content {
        case .none: body = nil
        case .data(let data): body = data
        case .file, .stream: return nil
        }
        self.init(
            .message(url: ExactString(message.url.absoluteString), message.headers, body: body), message.method,
            of: call)
    }

    /// Creates the key without the message. Nil also if the key depends on the message.
    init?(of call: CallCore) {
        guard case .endpoint(let endpoint, let headers, let style) = call.plan.target, endpoint.body.isNone,
            let query = try? endpoint.query.encoded(style)
        else { return nil }
        self.init(
            .endpoint(path: ExactString(endpoint.path), query: ExactString(query), headers, endpoint.headers),
            endpoint.method, of: call)
    }

    private init?(_ target: Target, _ method: HTTPMethod, of call: CallCore) {
        guard method == .get || method == .head || method == .options, call.plan.delivery != .stream else { return nil }
        self.target = target
        self.method = method
        delivery = call.plan.delivery
        timeouts = call.plan.timeouts.ofTransfer
        redirectPolicy = call.plan.redirectPolicy
        retryPolicy = call.plan.retryPolicy
        waitsForConnectivity = call.plan.waitsForConnectivity
        trust = call.plan.trust
        cachePolicy = call.plan.cachePolicy
        identity = call.plan.identity.name.map(ExactString.init)
        follows = call.plan.follows
        tags = call.plan.tags.isEmpty ? [] : Set(call.plan.tags.map(ExactString.init))
        identifier = call.plan.identifier.map(ExactString.init)
        isObserved = call.isObserved
    }

    /// Hashes only the property that tells most keys apart.
    func hash(into hasher: inout Hasher) {
        switch target {
        case .endpoint(let path, let query, _, _):
            hasher.combine(path)
            hasher.combine(query)
        case .message(let url, _, _): hasher.combine(url)
        }
    }
}
