/// The rules by which redirects are followed.
///
/// ```swift
/// final class FindShortLink: Request<HTTPResponse> {
///     override var endpoint: Endpoint { .get("/short/link") }
///     override var redirectPolicy: RedirectPolicy { .refuse }
/// }
/// ```
///
/// A request for another origin, which means another scheme, host or port, is sent without its credentials. Credentials
/// stay if both URLs belong to the client: see ``Client/allowsCredentials(for:)``. ``HTTPResponse/redirects`` has the
/// responses that led to the last one.
public struct RedirectPolicy: Hashable, Sendable {
    package enum Rule: Hashable, Sendable {
        case follow
        case refuse
        case custom(Custom)
    }

    /// A closure of the application. Two policies are equal if they have the same one.
    package final class Custom: Hashable, Sendable {
        let request: @Sendable (Redirect) throws -> HTTPRequest?

        init(_ request: @escaping @Sendable (Redirect) throws -> HTTPRequest?) {
            self.request = request
        }

        package static func == (left: Custom, right: Custom) -> Bool { left === right }
        package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
    }

    package let rule: Rule
    let limit: Int
    /// A Boolean value that indicates whether redirects from `https` to `http` are followed.
    private(set) var allowsInsecure = false

    private init(_ rule: Rule, limit: Int) {
        self.rule = rule
        self.limit = limit
    }

    /// Follows up to a number of redirects. The default of clients is 20.
    ///
    /// A redirect from `https` to `http` is refused: see ``allowingInsecure()``.
    public static func follow(limit: Int = 20) -> RedirectPolicy {
        RedirectPolicy(.follow, limit: limit)
    }

    /// Follows no redirect. A response that redirects is the response of the call, and passes its validation.
    public static let refuse = RedirectPolicy(.refuse, limit: 0)

    /// Calls a closure for each redirect that can be followed. It returns the request to send, or nil to follow no
    /// further: then the response that redirects is the response of the call, and passes its validation.
    ///
    /// ```swift
    /// let policy = RedirectPolicy.custom { redirect in
    ///     redirect.request.url.host == "example.com" ? redirect.request : nil
    /// }
    /// ```
    ///
    /// ``Redirect/request`` is what ``follow(limit:)`` would send. An error that the closure throws is the error of the
    /// call.
    public static func custom(
        limit: Int = 20, _ request: @escaping @Sendable (Redirect) throws -> HTTPRequest?
    ) -> RedirectPolicy {
        RedirectPolicy(.custom(Custom(request)), limit: limit)
    }

    /// Follows redirects from `https` to `http` too. Every network on the way can read and change such a request.
    public func allowingInsecure() -> RedirectPolicy {
        var policy = self
        policy.allowsInsecure = true
        return policy
    }

    /// The error of a policy with invalid values; nil if they are valid.
    var problem: String? {
        limit < 0 ? "RedirectPolicy has the limit \(limit): set zero or more" : nil
    }

    /// Returns a validation that also accepts responses that redirect, if the policy may leave them to the call.
    func accepting(_ validation: Validation) -> Validation {
        guard rule != .follow else { return validation }
        return Validation(isQuick: validation.isQuick) { response, context in
            if !response.status.isRedirect { try validation.check(response, context: context) }
        }
    }
}

/// A redirect that the closure of a ``RedirectPolicy`` decides about.
public struct Redirect: Sendable {
    /// The response that redirects, without its body. Its ``HTTPResponse/request`` is the request before.
    public let response: HTTPResponse
    /// The request that would follow.
    public let request: HTTPRequest
    /// The number of the redirect within the call, from 1.
    public let number: Int
}

extension Redirect: CustomStringConvertible {
    /// Such as `302 to GET https://api.example.com/b`, without secrets.
    public var description: String { "\(response.status) to \(request)" }
}

extension RedirectPolicy: CustomStringConvertible {
    /// Such as `follows up to 20 redirects`.
    public var description: String {
        let redirects =
            switch rule {
            case .follow: "follows up to \(limit) redirects"
            case .refuse: "refuses redirects"
            case .custom: "a closure decides, for up to \(limit) redirects"
            }
        return redirects + (allowsInsecure ? ", also from https to http" : "")
    }
}

/// Follows redirects, as the policy of the call says.
///
/// A response that does not redirect costs nothing. Each further request passes the whole rest of the list: a cached
/// redirect, and a cached response to the request that follows, need no connection.
struct RedirectStage: Stage {
    private let usesSocket: Bool
    private let originRule: OriginRule

    init(originRule: OriginRule, usesSocket: Bool) {
        self.originRule = originRule
        self.usesSocket = usesSocket
    }

    func shortcut(for request: HTTPRequest, of plan: CommonPlan) -> StageShortcut {
        plan.redirectPolicy.problem == nil ? .pass : .needed
    }

    /// Returns false if the outcome may be followed by another request.
    func accepts(_ outcome: Result<HTTPResponse, any Error>, of plan: CommonPlan) -> Bool {
        guard case .success(let response) = outcome, response.status.isFollowed else { return true }
        return plan.redirectPolicy.rule == .refuse
    }

    func intercept(_ request: HTTPRequest, context: CallContext, next: Next) async throws -> HTTPResponse {
        let policy = context.core.plan.redirectPolicy
        if let problem = policy.problem {
            throw RequestError(.badPolicy, phase: .prepare, detail: problem, request: request)
        }
        var situation = RedirectDecision.Situation(
            request: request, policy: policy, usesSocket: usesSocket, allowsCredentials: originRule.allowsCredentials)
        var redirects: [HTTPResponse] = []
        var next = next
        while true {
            var response = try await next(situation.request)
            var head = response.head
            head.request = situation.request.withoutBody
            guard let request = try Self.request(after: head, situation) else {
                if !redirects.isEmpty { response.redirects = redirects }
                return response
            }
            await response.drain()
            redirects.append(head)
            situation.earlier.append(situation.request)
            situation.request = request
            context.notify(.following(.redirect, request, after: .zero))
            next = next.attempting(.redirect)
        }
    }

    /// Returns the request that follows; nil if the response is that of the call.
    private static func request(
        after response: HTTPResponse, _ situation: RedirectDecision.Situation
    ) throws -> HTTPRequest? {
        switch RedirectDecision.of(response, situation) {
        case .accept: return nil
        case .fail(let code, let detail):
            var error = RequestError(code, phase: .receive, detail: detail, request: situation.request)
            error.response = response
            throw error
        case .follow(let request):
            guard case .custom(let custom) = situation.policy.rule else { return request }
            return try custom.request(
                Redirect(response: response, request: request, number: situation.earlier.count + 1))
        }
    }
}
