extension OAuth2 {
    /// The way in which an application gets its first token.
    public struct Grant: Sendable {
        enum Kind: Sendable {
            case clientCredentials([String])
            case password(user: String, password: String, scopes: [String])
            case refreshToken(String?)
            case authorizationCode(AuthorizationEndpoint)
            case device(DeviceEndpoint)
            case other(type: String, fields: [String: String])
        }

        let kind: Kind

        private init(_ kind: Kind) {
            self.kind = kind
        }

        /// The application acts for itself: for programs on servers (RFC 6749, 4.4).
        public static func clientCredentials(scopes: [String] = []) -> Grant { Grant(.clientCredentials(scopes)) }

        /// The application knows the password of the user (RFC 6749, 4.3).
        ///
        /// This grant is for old servers only. It shows the password to the application, and allows no second factor.
        /// Current versions of OAuth forbid it: prefer an authorization code.
        ///
        /// After a sign-out, the password is not used until a user signs in. The next launch does not know about the sign-out:
        /// a new authenticator with this grant signs in again. If a user enters the password, use
        /// ``OAuth2/token(user:password:scopes:client:)`` and the grant ``refreshToken``, which need it only once.
        public static func password(user: String, password: String, scopes: [String] = []) -> Grant {
            Grant(.password(user: user, password: password, scopes: scopes))
        }

        /// The user has signed in elsewhere: the token of the store is refreshed.
        public static let refreshToken = Grant(.refreshToken(nil))

        /// The user has signed in elsewhere, and the application has a refresh token from there.
        ///
        /// After a sign-out, the refresh token is not used until a user signs in. A new authenticator uses it again.
        ///
        /// - Parameter first: The refresh token for a store without a token.
        public static func refreshToken(_ first: String) -> Grant { Grant(.refreshToken(first)) }

        /// The user signs in with a browser, which returns a code to the application (RFC 6749, 4.1, with PKCE, RFC
        /// 7636): for applications with a screen.
        ///
        /// - Parameters:
        ///   - url: The authorization endpoint. Its query stays in the URL.
        ///   - redirectURL: The URL with which the browser returns to the application, as it is registered.
        ///   - scopes: The scopes. Many servers issue refresh tokens for `offline_access` only.
        ///   - issuer: The identifier of the server, if it sends `iss` with its callbacks (RFC 9207). A callback with
        ///     another one, or without one, is rejected.
        ///   - fields: Further fields of the URL, such as `prompt` or `login_hint`.
        ///   - open: Opens the URL in a browser, and returns the URL of the callback. Calls wait meanwhile. Without it,
        ///     calls fail until the application has signed the user in: see ``OAuth2/authorizationRequest(nonce:)``.
        public static func authorizationCode(
            at url: URL, redirectURL: URL, scopes: [String] = [], issuer: String? = nil,
            fields: [String: String] = [:], open: (@Sendable (URL) async throws -> URL)? = nil
        ) -> Grant {
            Grant(
                .authorizationCode(
                    AuthorizationEndpoint(
                        url: url, redirectURL: redirectURL, scopes: scopes, issuer: issuer, fields: fields, open: open))
            )
        }

        /// The user enters a code on another device: for televisions and command lines (RFC 8628).
        ///
        /// - Parameters:
        ///   - url: The device authorization endpoint.
        ///   - scopes: The scopes.
        ///   - show: Shows the code and the address to the user, and returns. Calls wait until the user has entered the
        ///     code, until it has expired, or until their own time is over.
        public static func device(
            at url: URL, scopes: [String] = [], show: @escaping @Sendable (DeviceAuthorization) async -> Void
        ) -> Grant {
            Grant(.device(DeviceEndpoint(url: url, scopes: scopes, show: show)))
        }

        /// A grant of another type, such as `urn:ietf:params:oauth:grant-type:jwt-bearer` with an `assertion`.
        public static func other(_ type: String, fields: [String: String]) -> Grant {
            Grant(.other(type: type, fields: fields))
        }

        /// A Boolean value that indicates whether refresh tokens are used. The secret of the application itself is as good
        /// as a refresh token (RFC 6749, 4.4.3).
        var refreshes: Bool {
            if case .clientCredentials = kind { false } else { true }
        }

        /// A Boolean value that indicates whether the grant has the credentials of one user.
        var belongsToUser: Bool {
            switch kind {
            case .password, .refreshToken: true
            case .clientCredentials, .authorizationCode, .device, .other: false
            }
        }

        /// A Boolean value that indicates whether a new token can be requested without the user.
        var isAutomatic: Bool {
            switch kind {
            case .clientCredentials, .password, .other: true
            case .refreshToken, .authorizationCode, .device: false
            }
        }
    }
}

extension OAuth2.Grant: DescribedOnly {
    /// The name of the grant, without its values.
    public var description: String {
        switch kind {
        case .clientCredentials: "client credentials"
        case .password: "password"
        case .refreshToken: "refresh token"
        case .authorizationCode: "authorization code"
        case .device: "device code"
        case .other(let type, _): type
        }
    }
}
