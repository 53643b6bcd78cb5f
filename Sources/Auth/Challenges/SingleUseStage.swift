import Synchronization

/// Sends each request with credentials of its own, because servers may accept a counter once.
///
/// Retries and the parts of a file repeat a request below the stage that adds its credentials. So this stage stands below
/// them.
struct SingleUseStage: Stage {
    func shortcut(for request: HTTPRequest, of plan: CommonPlan) -> StageShortcut { .pass }

    func accepts(_ outcome: Result<HTTPResponse, any Error>, of plan: CommonPlan) -> Bool { true }

    func intercept(_ request: HTTPRequest, context: CallContext, next: Next) async throws -> HTTPResponse {
        guard context.firstOutcome?.isPending != true, let credentials = context.values[SingleUseCredentials.self]
        else { return try await next(request) }
        return try await next(credentials.use(for: request))
    }
}

/// The credentials of one request, which are replaced when it is repeated.
private final class SingleUseCredentials: Sendable {
    private let authenticator: ChallengeAuthenticator
    private let context: AuthenticationContext
    private let areUsed: Atomic<Bool>

    init(_ authenticator: ChallengeAuthenticator, _ context: AuthenticationContext, areUsed: Bool) {
        self.authenticator = authenticator
        self.context = context
        self.areUsed = Atomic(areUsed)
    }

    /// Returns the request as it is at the first use, and with new credentials later.
    func use(for request: HTTPRequest) async throws -> HTTPRequest {
        guard areUsed.exchange(true, ordering: .relaxed) else { return request }
        return try await authenticator.authorized(request, context: context)
    }
}

extension Next {
    /// Returns the rest of the pipeline for a request with new credentials.
    ///
    /// - Parameter areUsed: A Boolean value that indicates whether the request was sent with them already.
    func with(credentialsOf authenticator: any Authenticator, _ context: CallContext, areUsed: Bool = false) -> Next {
        guard let authenticator = authenticator as? ChallengeAuthenticator else { return self }
        return with(SingleUseCredentials(authenticator, AuthenticationContext(of: context.core), areUsed: areUsed))
    }
}
