import Synchronization

/// Sends the name and the password of a user with each request: the scheme `Basic` (RFC 7617), in UTF-8.
///
/// They are sent without waiting for a challenge. A response with the status 401 is the response of the call. Everyone who
/// can read the request can read the password, so use `https`.
///
/// Its identity is random, and made with the authenticator: authenticators do not share cached responses. Set
/// `Client.Configuration.identity` to use them again after the next launch.
public final class BasicAuthenticator: SecretHolder {
    private let credentials: Mutex<FixedCredentials<UserPassword>>
    let secrets: KnownSecrets
    public let problem: String?

    /// Creates an authenticator. Requests fail with `RequestError.Code.badPolicy` if the name of the user has a colon.
    public init(user: String, password: String) {
        let value = UserPassword(user: user, password: password)
        credentials = Mutex(FixedCredentials(value))
        secrets = KnownSecrets(value.secrets)
        problem = value.problem
    }

    public func authorize(_ request: HTTPRequest, context: AuthenticationContext) -> Authorization {
        guard let value = credentials.withLock({ $0.value }) else { return .ready(request) }
        var request = request
        request.headers["Authorization"] = value.basic
        return .ready(request)
    }

    public func replacement(
        for request: HTTPRequest, rejectedBy response: HTTPResponse, context: AuthenticationContext
    ) async throws -> HTTPRequest? {
        let challenges = response.challenges
        guard !challenges.isEmpty, !challenges.contains(where: { $0.isOf("Basic") }) else { return nil }
        throw RequestError(
            unsupported: "the server requires \(Challenge.names(of: challenges)) instead of Basic: use another "
                + "authenticator, such as .challenges(user:password:)", response, of: request)
    }

    public var identity: String? { credentials.withLock { $0.identity } }

    /// Forgets the user and the password. Later requests are sent without them.
    public func signOut(context: AuthenticationContext) async throws {
        _ = credentials.withLock { $0.forget() }
    }
}

extension Authenticator where Self == BasicAuthenticator {
    /// Sends the name and the password of a user with each request: see ``BasicAuthenticator``.
    ///
    /// ```swift
    /// let client = Client(baseURL: URL(string: "https://api.example.com")) {
    ///     $0.authenticator = .basic(user: "ada", password: "secret")
    /// }
    /// ```
    public static func basic(user: String, password: String) -> BasicAuthenticator {
        BasicAuthenticator(user: user, password: password)
    }
}

extension BasicAuthenticator: DescribedOnly {
    public var description: String { "Basic authenticator" }
}

extension RequestError {
    /// The error for a challenge that the authenticator does not support.
    init(unsupported detail: String, _ response: HTTPResponse, of request: HTTPRequest) {
        self.init(.unsupportedChallenge, phase: .receive, detail: detail, request: request, response: response)
    }
}
