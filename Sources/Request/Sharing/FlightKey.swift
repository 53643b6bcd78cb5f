#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What calls have in common that may share a transfer: everything that is sent, and how it is carried.
struct FlightKey: Hashable, Sendable {
    private enum Target: Hashable {
        /// What the message follows from, with what all requests of the client have in common.
        case endpoint(path: String, query: String, Headers, Headers)
        case message(url: String, Headers, body: Data?)
    }

    private let target: Target
    private let method: HTTPMethod
    private let delivery: TransportOptions.Delivery
    private let timeouts: Timeouts
    private let trust: ServerTrust
    private let cachePolicy: CachePolicy
    // What interceptors see of a call.
    private let tags: Set<String>
    private let identifier: String?
    /// Whether it is told what happens, which is then asked of the transport.
    private let isObserved: Bool

    /// Nil for calls that go alone: they may change something, or what they send is not known, or is not all of what they get.
    init?(_ message: HTTPRequest, _ plan: CommonPlan, isObserved: Bool) {
        let body: Data?
        switch message.body.content {
        case .none: body = nil
        case .data(let data): body = data
        case .file, .stream: return nil
        }
        let target = Target.message(url: message.url.absoluteString, message.headers, body: body)
        self.init(target, message.method, plan, isObserved)
    }

    /// Nil for those as well of which it takes the message to say what they are.
    init?(_ plan: CommonPlan, isObserved: Bool) {
        guard case .endpoint(let endpoint, let headers, let style) = plan.target, endpoint.body.isNone,
            let query = try? endpoint.query.encoded(style)
        else { return nil }
        let target = Target.endpoint(path: endpoint.path, query: query, headers, endpoint.headers)
        self.init(target, endpoint.method, plan, isObserved)
    }

    private init?(_ target: Target, _ method: HTTPMethod, _ plan: CommonPlan, _ isObserved: Bool) {
        guard method == .get || method == .head || method == .options, plan.delivery != .stream else { return nil }
        self.target = target
        self.method = method
        delivery = plan.delivery
        timeouts = Timeouts(connect: plan.timeouts.connect, idle: plan.timeouts.idle)
        trust = plan.trust
        cachePolicy = plan.cachePolicy
        tags = plan.tags
        identifier = plan.identifier
        self.isObserved = isObserved
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
