/// Requests the tokens of a ``TokenAuthenticator`` from an OAuth 2 server (RFC 6749).
///
/// ```swift
/// let session = TokenAuthenticator(
///     OAuth2(
///         tokenURL: URL(string: "https://login.example.com/token")!,
///         client: .init(id: "app", secret: "…"), grant: .clientCredentials(scopes: ["read"])),
///     store: .file(folder.appending(path: "token.json")))
/// let api = Client(baseURL: URL(string: "https://api.example.com")) { $0.authenticator = session }
/// ```
///
/// A token with a refresh token is refreshed. If the server issues no new refresh token, the old one stays. If the server
/// rejects the refresh token, the user is signed out. Failures of the network and of the server are retried.
public struct OAuth2: TokenSource {
    /// The token endpoint.
    public var tokenURL: URL
    /// The application.
    public var client: OAuthClient
    /// The way to the first token.
    public var grant: Grant
    /// The endpoint that makes tokens unusable when the user signs out (RFC 7009); nil if the server has none.
    public var revocationURL: URL?
    /// Further fields of each token request, such as `audience` or `resource`. A field that Tango sends itself keeps its
    /// value.
    public var fields: [String: String]
    /// The number of times that a token is requested again after a failure of the network or of the server.
    public var retries = 3
    /// The wait before the first of these requests. It doubles with each, up to 30 seconds. A random part is left out.
    public var retryDelay = Duration.seconds(1)

    /// Creates a source of tokens.
    public init(
        tokenURL: URL, client: OAuthClient, grant: Grant, revocationURL: URL? = nil, fields: [String: String] = [:]
    ) {
        self.tokenURL = tokenURL
        self.client = client
        self.grant = grant
        self.revocationURL = revocationURL
        self.fields = fields
    }

    public func token(replacing old: Token?, context: AuthenticationContext) async throws -> Token {
        guard grant.refreshes, let old, let refreshToken = old.refreshToken, !refreshToken.isEmpty else {
            return try await firstToken(context)
        }
        do {
            return try await refreshed(old, by: refreshToken, context)
        } catch OAuthError.Code.invalidGrant where grant.isAutomatic {
            return try await firstToken(context)
        }
    }

    public var belongsToUser: Bool { grant.belongsToUser }

    public func decision(after error: any Error, failures: Int) async -> TokenDecision {
        TokenFailure(error).decision(
            failures: failures, retries: retries, delay: retryDelay, random: .random(in: 0...1))
    }

    public func revoke(_ token: Token, context: AuthenticationContext) async throws {
        guard let revocationURL else { return }
        var failure: (any Error)?
        // The refresh token comes first: with it, the other one could be replaced.
        for (text, kind) in [(token.refreshToken, "refresh_token"), (token.value, "access_token")] {
            guard let text, !text.isEmpty else { continue }
            do {
                try await revoke(text, kind, at: revocationURL, context)
            } catch OAuthError.Code.unsupportedTokenType where kind == "access_token" && token.refreshToken != nil {
                // The server ends the access token with its refresh token.
            } catch {
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
    }
}

extension OAuth2 {
    private func firstToken(_ context: AuthenticationContext) async throws -> Token {
        switch grant.kind {
        case .clientCredentials(let scopes):
            return try await requestToken(["grant_type": "client_credentials", "scope": scopes.scope], context)
        case .password(let user, let password, let scopes):
            return try await requestToken(
                ["grant_type": "password", "username": user, "password": password, "scope": scopes.scope], context)
        case .refreshToken(let text?):
            return try await refreshed(Token("", refreshToken: text), by: text, context)
        case .refreshToken(nil):
            throw RequestError.signInRequired
        case .authorizationCode(let endpoint):
            guard let open = endpoint.open else { throw RequestError.signInRequired }
            let request = try authorizationRequest()
            return try await token(for: request, callback: try await open(request.url), context)
        case .device(let endpoint):
            return try await token(by: endpoint, context)
        case .other(let type, let own):
            var form: OAuthForm = ["grant_type": type]
            form.append(own)
            return try await requestToken(form, context)
        }
    }

    /// Refreshes a token. What the response leaves out stays as it is in the old token.
    private func refreshed(
        _ old: Token, by refreshToken: String, _ context: AuthenticationContext
    ) async throws -> Token {
        var token = try await requestToken(
            ["grant_type": "refresh_token", "refresh_token": refreshToken], context)
        token.refreshToken = token.refreshToken ?? refreshToken
        token.scopes = token.scopes ?? old.scopes
        token.values = old.values.merging(token.values) { $1 }
        return token
    }

    private func revoke(
        _ text: String, _ kind: String, at url: URL, _ context: AuthenticationContext
    ) async throws {
        let (response, redaction) = try await post(["token": text, "token_type_hint": kind], to: url, context)
        let parsed = TokenResponse(response, now: context.now)
        // The body of a success has no meaning.
        guard !response.status.isSuccess else { return }
        throw parsed.error(redaction) ?? parsed.failure
    }
}

extension OAuth2 {
    /// Sends a form to the token endpoint, and returns the token of the response.
    func requestToken(_ form: OAuthForm, _ context: AuthenticationContext) async throws -> Token {
        var form = form
        form.append(fields)
        let (response, redaction) = try await post(form, to: tokenURL, context)
        let now = context.now
        return try TokenResponse(response, now: now).token(now: now, redaction: redaction)
    }

    /// Sends a form with the credentials of the application. Returns the response, and the redaction with all secrets of
    /// the request.
    func post(
        _ form: OAuthForm, to url: URL, _ context: AuthenticationContext
    ) async throws -> (HTTPResponse, Redaction) {
        var form = form
        var headers: Headers = ["Accept": "application/json"]
        client.authenticate(&form, &headers)
        var request = HTTPRequest(method: .post, url: url, headers: headers, body: .form(form.query))
        let secrets = form.secrets + [client.secret].compactMap(\.self)
        let redaction = (context.client.redaction ?? .standard).adding(secrets)
        request.redaction = redaction
        return (try await context.send(request), redaction.knowing(request))
    }
}

extension OAuth2: DescribedOnly {
    /// The endpoint, the application and the grant, without secrets.
    public var description: String { "OAuth 2 at \(Redaction.standard.redact(tokenURL)), \(client), \(grant)" }
}
