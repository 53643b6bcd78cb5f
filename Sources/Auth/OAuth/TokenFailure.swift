/// The reason why a token could not be had.
enum TokenFailure: Hashable, Sendable {
    /// The refresh token, the code or the password is of no use any more.
    case invalidGrant
    /// The user has not finished yet.
    case pending
    /// The application asks too often.
    case tooFast
    /// The network or the server has failed. The server may ask for a wait.
    case passing(wait: Duration?)
    /// Another request would fail in the same way.
    case final

    init(_ error: any Error) {
        switch error {
        case let error as OAuthError: self = Self.of(error)
        case let error as RequestError: self = Self.of(error)
        default: self = .final
        }
    }

    private static func of(_ error: OAuthError) -> TokenFailure {
        switch error.code {
        case .invalidGrant: .invalidGrant
        case .authorizationPending: .pending
        case .slowDown: .tooFast
        case .serverError, .temporarilyUnavailable: .passing(wait: error.retryAfter)
        default: isPassing(error.status) ? .passing(wait: error.retryAfter) : .final
        }
    }

    private static func of(_ error: RequestError) -> TokenFailure {
        if error.code == .badStatus {
            guard let response = error.response, isPassing(response.status) else { return .final }
            return .passing(wait: RetryAfter.wait(response.headers["Retry-After"], now: Date().timeIntervalSince1970))
        }
        return RetryCondition.of(error.code, error.phase) == .noMethod ? .final : .passing(wait: nil)
    }

    private static func isPassing(_ status: HTTPStatus?) -> Bool {
        switch status {
        case .requestTimeout?, .tooManyRequests?, .internalServerError?, .badGateway?, .serviceUnavailable?,
            .gatewayTimeout?:
            true
        default: false
        }
    }

    /// The longest wait that a server may ask for.
    private static let longestWait = Duration.seconds(60)

    /// Returns the decision of a source of tokens.
    func decision(failures: Int, retries: Int, delay: Duration, random: Double) -> TokenDecision {
        switch self {
        case .invalidGrant: return .signOut
        case .pending, .final: return .giveUp
        case .tooFast, .passing:
            guard failures <= retries else { return .giveUp }
            if case .passing(let wait?) = self { return wait <= Self.longestWait ? .retry(after: wait) : .giveUp }
            var longest = delay
            for _ in 1..<max(failures, 1) where longest < .seconds(30) { longest = longest + longest }
            return .retry(after: min(longest, .seconds(30)).part(1 - random / 2))
        }
    }
}
