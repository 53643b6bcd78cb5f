extension OAuth2 {
    /// Returns the token for the name and the password that a user has entered (RFC 6749, 4.3). Pass it to the authenticator.
    ///
    /// ```swift
    /// let token = try await oauth.token(user: name, password: password, client: api)
    /// try await session.signIn(token)
    /// ```
    ///
    /// The password is not stored: give ``OAuth2`` the grant `.refreshToken`, so that the token is refreshed. This way of
    /// signing in is for old servers: it allows no second factor. Prefer an authorization code.
    ///
    /// - Parameters:
    ///   - user: The name of the user.
    ///   - password: The password of the user.
    ///   - scopes: The scopes of the token.
    ///   - client: The client that sends the request for the token.
    /// - Throws: An ``OAuthError`` with ``OAuthError/Code/invalidGrant`` if the name or the password is wrong.
    public func token(
        user: String, password: String, scopes: [String] = [], client: TangoRequest.Client
    ) async throws -> Token {
        do {
            return try await requestToken(
                ["grant_type": "password", "username": user, "password": password, "scope": scopes.scope],
                AuthenticationContext(client: client))
        } catch var error as OAuthError where error.code == .invalidGrant {
            let text = error.detail
            error.detail = "the name or the password is wrong" + (text.isEmpty ? "" : ", the server says: \(text)")
            throw error
        }
    }
}
