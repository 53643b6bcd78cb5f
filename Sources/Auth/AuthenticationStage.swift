/// Adds credentials to requests, and sends requests again whose credentials were rejected, once there are new ones.
///
/// It stands below the HTTP cache and below redirects. A cached response therefore needs no credentials, and each hop of a
/// redirect gets those of its own URL. It stands above retries and limits, so that a call which waits for credentials
/// holds no slot.
struct AuthenticationStage: Stage {
    private let authenticator: any Authenticator
    private let originRule: OriginRule
    private let problem: String?

    init(_ authenticator: any Authenticator, originRule: OriginRule) {
        self.authenticator = authenticator
        problem = authenticator.problem
        self.originRule = originRule
    }

    /// Returns the authenticator of a request; nil if it is sent as it is. A request that has credentials of its own keeps
    /// them, and a request for credentials has no authenticator.
    private func authenticator(for request: HTTPRequest, of plan: CommonPlan) -> (any Authenticator)? {
        guard !CredentialRequest.isCurrent, !request.headers.contains("Authorization") else { return nil }
        return authenticator(for: request.url, isBelowBase: plan.isBelowBase)
    }

    /// - Parameter isBelowBase: A Boolean value that indicates whether the URL certainly has the origin of the base URL.
    private func authenticator(for url: URL, isBelowBase: Bool) -> (any Authenticator)? {
        authenticator.authenticator(for: url, isTrusted: isBelowBase || originRule.allowsCredentials(for: url))
    }

    // MARK: Without running

    func shortcut(for request: HTTPRequest, of plan: CommonPlan) -> StageShortcut {
        // A request for credentials runs in the task that marks it as one: a thread that gets its response does not know of it.
        guard problem == nil, !CredentialRequest.isCurrent else { return .needed }
        guard let authenticator = authenticator(for: request, of: plan) else { return .pass }
        let context = AuthenticationContext(client: plan.client)
        guard case .ready(let request) = authenticator.authorize(request, context: context),
            plan.isUserSignedIn
        else { return .needed }
        return .change(request)
    }

    /// Returns false if the authenticator may have to do with the response, and if it belongs to a user before.
    func accepts(_ outcome: Result<HTTPResponse, any Error>, of plan: CommonPlan) -> Bool {
        guard case .success(let response) = outcome else { return true }
        guard plan.isUserSignedIn else { return false }
        // A direct exchange has followed no redirect.
        guard let url = response.request?.url,
            let authenticator = authenticator(for: url, isBelowBase: plan.isBelowBase)
        else { return true }
        return !authenticator.rejects(response) && !response.headers.contains("Authentication-Info")
    }

    /// The identity of the call stands for the credentials. Without one, calls with credentials share no transfer.
    func mark(of request: () throws -> HTTPRequest, for plan: CommonPlan) throws -> SharingMark {
        // A call that waits for credentials does not share the request that brings them.
        guard !CredentialRequest.isCurrent else { return .unknown }
        guard plan.identity.name == nil else { return .none }
        return authenticator(for: try request(), of: plan) == nil ? .none : .unknown
    }

    // MARK: Running

    func intercept(_ request: HTTPRequest, context: CallContext, next: Next) async throws -> HTTPResponse {
        if let problem { throw RequestError(.badPolicy, phase: .prepare, detail: problem, request: request) }
        // The request may come from a redirect, so its URL decides.
        guard !CredentialRequest.isCurrent, !request.headers.contains("Authorization"),
            let authenticator = authenticator(for: request.url, isBelowBase: false)
        else { return try await next(request) }
        let isSent = context.firstOutcome?.isPending == true
        var attempt = try await authorized(request, by: authenticator, context)
        var next = next.with(credentialsOf: authenticator, context, areUsed: isSent)
        var (rejections, progress) = (0, context.core.progressCount)
        while true {
            var response = try await next(attempt)
            try checkIdentity(context)
            guard authenticator.rejects(response) else {
                authenticator.received(response, of: attempt)
                return response
            }
            // The credentials were accepted for a part of a download, so new ones may be accepted for the next.
            let present = context.core.progressCount
            if present > progress { (rejections, progress) = (0, present) }
            // While the call is held, it needs no connection.
            await response.settle()
            let replacement = try await hold(context, authenticator) {
                [attempt, response] in
                try await authenticator.replacement(
                    for: attempt, rejectedBy: response,
                    context: AuthenticationContext(of: context.core, rejections: rejections))
            }
            guard let replacement else {
                context.core.changeLastAttempt { $0.authentication = .gaveUp }
                return response
            }
            guard attempt.body.isReplayable else {
                throw RequestError(
                    .bodyNotReplayable, phase: .receive,
                    detail: "the server rejected the credentials, and the body cannot be sent again, because it is a "
                        + "stream: send data or a file, or request something small first",
                    request: attempt, response: response)
            }
            context.core.changeLastAttempt { $0.authentication = .sentAgain }
            context.notify(.following(.authentication, replacement, after: .zero))
            attempt = replacement
            next = next.attempting(.authentication).with(credentialsOf: authenticator, context)
            rejections += 1
        }
    }

    private func authorized(
        _ request: HTTPRequest, by authenticator: any Authenticator, _ context: CallContext
    ) async throws -> HTTPRequest {
        if context.firstOutcome?.isPending == true, var sent = context.core.sent.last {
            // The outcome belongs to the credentials that were sent.
            sent.body = request.body
            return sent
        }
        let credentials = AuthenticationContext(of: context.core)
        var authorized = request
        switch authenticator.authorize(request, context: credentials) {
        case .ready(let ready): authorized = ready
        case .waits:
            authorized = try await hold(context, authenticator) {
                try await authenticator.authorized(request, context: credentials)
            }
        }
        try checkIdentity(context)
        return authorized
    }

    /// Fails a call that began for another user than the one whose credentials there are now.
    private func checkIdentity(_ context: CallContext) throws {
        guard !context.client.identity.isCurrent(context.core.plan.identity) else { return }
        throw RequestError.signedOut
    }

    private func hold<Value>(
        _ context: CallContext, _ authenticator: any Authenticator, _ body: () async throws -> Value
    ) async throws -> Value {
        try Task.checkCancellation()
        context.become(.held, for: .hold)
        context.notify(.waiting(.hold))
        return try await context.core.holding(limit: authenticator.holdLimit) {
            await context.core.deliverEvents()
            let value = try await body()
            try Task.checkCancellation()
            context.become(.running)
            return value
        }
    }
}

/// The request for credentials that this task sends, if it does.
enum CredentialRequest {
    /// A Boolean value that indicates whether the task sends a request for credentials, which needs none itself.
    @TaskLocal static var isCurrent = false
}

extension HTTPResponse {
    /// The highest number of bytes of a rejection that are read.
    private static let settled = 64 * 1024

    /// Reads a short body into memory, or closes the connection of a long one, whose body is dropped.
    fileprivate mutating func settle() async {
        guard isStreaming else { return }
        let stream = stream
        do { try await collect(upTo: Self.settled) } catch {
            stream.cancel()
            self = head
        }
    }
}
