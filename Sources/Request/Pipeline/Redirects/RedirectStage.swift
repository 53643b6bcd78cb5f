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
            context.tell(.following(.redirect, request, after: .zero))
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
