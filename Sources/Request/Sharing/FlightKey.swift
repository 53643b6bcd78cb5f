#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What calls have in common that may share a transfer: everything that is sent, and how it is carried.
struct FlightKey: Hashable, Sendable {
    private let method: HTTPMethod
    private let url: String
    private let headers: Headers
    private let body: Data?
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
        guard [.get, .head, .options].contains(message.method), plan.delivery != .stream else { return nil }
        switch message.body.content {
        case .none: body = nil
        case .data(let data): body = data
        case .file, .stream: return nil
        }
        method = message.method
        url = message.url.absoluteString
        headers = message.headers
        delivery = plan.delivery
        timeouts = Timeouts(connect: plan.timeouts.connect, idle: plan.timeouts.idle)
        trust = plan.trust
        cachePolicy = plan.cachePolicy
        tags = plan.tags
        identifier = plan.identifier
        self.isObserved = isObserved
    }
}
