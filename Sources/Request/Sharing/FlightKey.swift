#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Everything that calls must have in common to share a transfer: what is sent, to the last byte, and how it is carried.
struct FlightKey: Hashable, Sendable {
    private enum Target: Hashable {
        /// What the message follows from, with what all requests of the client have in common.
        case endpoint(path: ExactString, query: ExactString, Headers, Headers)
        case message(url: ExactString, Headers, body: Data?)
    }

    private let target: Target
    private let method: HTTPMethod
    private let delivery: TransportOptions.Delivery
    private let timeouts: Timeouts
    private let trust: ServerTrust
    private let cachePolicy: CachePolicy
    /// Whether it is to be what is new, where something was delivered before.
    private let follows: Bool
    // What interceptors see of a call.
    private let tags: Set<ExactString>
    private let identifier: ExactString?
    /// Whether it is told what happens, which is then asked of the transport.
    private let isObserved: Bool

    /// Nil for calls that go alone: they may change something, or what they send is not known, or is not all of what they get.
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

    /// Nil for those as well of which it takes the message to say what they are.
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
        timeouts = Timeouts(connect: call.plan.timeouts.connect, idle: call.plan.timeouts.idle)
        trust = call.plan.trust
        cachePolicy = call.plan.cachePolicy
        follows = call.plan.follows
        tags = call.plan.tags.isEmpty ? [] : Set(call.plan.tags.map(ExactString.init))
        identifier = call.plan.identifier.map(ExactString.init)
        isObserved = call.isObserved
    }

    /// By what tells most of them apart.
    func hash(into hasher: inout Hasher) {
        switch target {
        case .endpoint(let path, let query, _, _):
            hasher.combine(path)
            hasher.combine(query)
        case .message(let url, _, _): hasher.combine(url)
        }
    }
}
