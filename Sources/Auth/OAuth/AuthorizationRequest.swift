/// A sign-in with a browser that has begun: the URL to open, and the secrets that its callback is checked by.
///
/// ```swift
/// let request = try oauth.authorizationRequest()
/// open(request.url)
/// ```
///
/// When the browser returns, the callback is exchanged for a token:
///
/// ```swift
/// let token = try await oauth.token(for: request, callback: callback, client: api)
/// try await session.signIn(token)
/// ```
///
/// If the application may be closed while the browser is open, encode the request, and store it as safely as a password.
/// Use each request for one callback.
public struct AuthorizationRequest: Codable, Hashable, Sendable {
    /// The URL that a browser opens.
    public let url: URL
    /// The URL with which the browser returns.
    public let redirectURL: URL
    /// The random text that the ID token of the response must contain; nil if none was requested.
    public let nonce: String?
    /// The server that the callback must come from; nil if servers do not say so.
    public let issuer: String?
    let state: String
    let verifier: String

    init(url: URL, redirectURL: URL, nonce: String?, issuer: String?, state: String, verifier: String) {
        self.url = url
        self.redirectURL = redirectURL
        self.nonce = nonce
        self.issuer = issuer
        self.state = state
        self.verifier = verifier
    }

    /// Returns the code of a callback.
    ///
    /// - Throws: An ``OAuthError``: the one that the callback contains, such as ``OAuthError/Code/accessDenied``, or
    ///   ``OAuthError/Code/stateMismatch`` and ``OAuthError/Code/issuerMismatch`` if the callback is not the one of this
    ///   request.
    public func code(in callback: URL) throws -> String {
        let parts = URLParts(callback.absoluteString[...])
        let fields = Query(parsing: parts.query ?? "")
        func value(_ name: String) throws -> String? {
            let values = fields.fields.filter { $0.name.hasSameBytes(as: name) }.compactMap { field -> String? in
                if case .text(let text) = field.value { text } else { nil }
            }
            guard values.count < 2 else {
                throw OAuthError(
                    .badResponse, "the callback contains “\(name)” twice: it may be an attack, so ignore it")
            }
            return values.first.flatMap { $0.isEmpty ? nil : $0 }
        }
        guard let theirs = try value("state"), ProofKey.isSame(theirs, state) else {
            throw OAuthError(
                .stateMismatch,
                "the callback does not belong to this request: ignore it, or begin the sign-in again")
        }
        if let issuer {
            let theirs = try value("iss")
            guard let theirs, theirs.hasSameBytes(as: issuer) else {
                throw OAuthError(
                    .issuerMismatch,
                    theirs == nil
                        ? "the callback names no server, and “\(issuer)” is expected: leave the issuer out if the server "
                            + "does not send it"
                        : "the callback comes from a server other than “\(issuer)”: ignore it")
            }
        }
        if let code = try value("error") {
            let redaction = Redaction.standard.adding([state, verifier])
            func text(_ name: String) throws -> String? {
                try value(name).map { TokenResponse.visible($0, upTo: 500, redaction) }
            }
            throw OAuthError(
                .init(rawValue: TokenResponse.visible(code, upTo: 80, redaction)), try text("error_description") ?? "",
                uri: try text("error_uri"))
        }
        guard let code = try value("code") else {
            throw OAuthError(.badResponse, "the callback contains neither a code nor an error")
        }
        return code
    }
}

extension AuthorizationRequest: DescribedOnly {
    /// The endpoint, without the secrets.
    public var description: String { "sign-in at \(Redaction.standard.redact(url))" }
}

extension OAuth2 {
    /// Begins a sign-in with a browser.
    ///
    /// - Parameter nonce: A random text that the server repeats in its ID token, for OpenID Connect.
    /// - Throws: An ``OAuthError`` if the grant is not an authorization code, or if its fields are not valid.
    public func authorizationRequest(nonce: String? = nil) throws -> AuthorizationRequest {
        try authorizationRequest(nonce: nonce, state: ProofKey.random(), key: ProofKey())
    }

    func authorizationRequest(nonce: String?, state: String, key: ProofKey) throws -> AuthorizationRequest {
        guard case .authorizationCode(let endpoint) = grant.kind else {
            throw OAuthError(
                .badSettings, "the grant is “\(grant)”: create OAuth2 with .authorizationCode(at:redirectURL:)")
        }
        return AuthorizationRequest(
            url: try endpoint.url(client: client, state: state, key: key, nonce: nonce),
            redirectURL: endpoint.redirectURL, nonce: nonce, issuer: endpoint.issuer, state: state,
            verifier: key.verifier)
    }

    /// Returns the token for the callback of a sign-in. Pass it to the authenticator.
    ///
    /// - Parameters:
    ///   - request: The request that the browser was opened with.
    ///   - callback: The URL with which the browser has returned.
    ///   - client: The client that sends the request for the token.
    public func token(
        for request: AuthorizationRequest, callback: URL, client: TangoRequest.Client
    ) async throws -> Token {
        try await token(for: request, callback: callback, AuthenticationContext(client: client))
    }

    func token(
        for request: AuthorizationRequest, callback: URL, _ context: AuthenticationContext
    ) async throws -> Token {
        try await requestToken(
            [
                "grant_type": "authorization_code", "code": try request.code(in: callback),
                "redirect_uri": request.redirectURL.absoluteString, "code_verifier": request.verifier,
            ], context)
    }
}
