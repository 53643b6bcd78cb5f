/// The reason why a server has rejected a request with a bearer token (RFC 6750, 3).
enum TokenRejection: Hashable, Sendable {
    /// The token is expired, revoked or unknown: a new one may help.
    case invalidToken
    /// The token is valid, and does not permit the request. A new token of the same scopes would not either.
    case insufficientScope([String])

    /// Returns the reason of a response; nil if it does not reject the token.
    static func of(_ response: HTTPResponse) -> TokenRejection? {
        guard response.status == .unauthorized || response.status == .forbidden else { return nil }
        let challenge = response.challenges.first { $0.isOf("Bearer") && $0["error"] != nil }
        if let challenge, challenge["error"] == "insufficient_scope" {
            return .insufficientScope(challenge["scope"]?.split(separator: " ").map(String.init) ?? [])
        }
        return response.status == .unauthorized ? .invalidToken : nil
    }
}
