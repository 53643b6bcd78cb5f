import Synchronization

/// Sends a token that does not change with each request: the scheme `Bearer` (RFC 6750).
///
/// A response with the status 401 is the response of the call. For tokens that expire, use ``TokenAuthenticator``.
///
/// Its identity is random, and made with the authenticator: authenticators do not share cached responses.
public final class BearerAuthenticator: SecretHolder {
    private let credentials: Mutex<FixedCredentials<String>>
    let secrets: KnownSecrets
    public let problem: String?

    /// Creates an authenticator. Requests fail with `RequestError.Code.badPolicy` if a header cannot contain the token.
    public init(_ token: String) {
        credentials = Mutex(FixedCredentials(token))
        secrets = KnownSecrets([token])
        let isValid = !token.isEmpty && token.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f }
        problem =
            isValid
            ? nil : "the token of .bearer is empty, or has a space or a character that is not ASCII: check its source"
    }

    public func authorize(_ request: HTTPRequest, context: AuthenticationContext) -> Authorization {
        guard let token = credentials.withLock({ $0.value }) else { return .ready(request) }
        var request = request
        request.headers["Authorization"] = "Bearer \(token)"
        return .ready(request)
    }

    public var identity: String? { credentials.withLock { $0.identity } }

    /// Forgets the token. Later requests are sent without it.
    public func signOut(context: AuthenticationContext) async throws {
        _ = credentials.withLock { $0.forget() }
    }
}

extension Authenticator where Self == BearerAuthenticator {
    /// Sends a token that does not change with each request: see ``BearerAuthenticator``.
    ///
    /// ```swift
    /// let client = Client(baseURL: URL(string: "https://api.example.com")) {
    ///     $0.authenticator = .bearer(token)
    /// }
    /// ```
    public static func bearer(_ token: String) -> BearerAuthenticator { BearerAuthenticator(token) }
}

extension BearerAuthenticator: DescribedOnly {
    public var description: String { "Bearer authenticator" }
}
