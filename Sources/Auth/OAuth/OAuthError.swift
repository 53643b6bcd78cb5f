/// The error that an OAuth 2 server has responded with, or a response that violates the rules of OAuth 2.
///
/// ```swift
/// do {
///     token = try await oauth.token(for: request, callback: callback, client: api)
/// } catch OAuthError.Code.accessDenied {
///     show("You can sign in at any time.")
/// }
/// ```
///
/// The description contains no secret: each secret of the request is redacted in the text of the server.
public struct OAuthError: Error, Hashable, Sendable {
    /// The kind of error. The set is open: servers may define their own codes.
    public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        public let rawValue: String

        /// Creates a code, such as one that a server has defined.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        public var description: String { rawValue }

        /// Matches an error with this code: `catch OAuthError.Code.accessDenied`.
        public static func ~= (code: Code, error: any Error) -> Bool {
            (error as? OAuthError)?.code == code
        }
    }

    /// The kind of error.
    public var code: Code
    /// The text for developers: that of the server, if it has sent one.
    public var detail: String
    /// The page about the error, if the server has named one.
    public var uri: String?
    /// The status of the response; nil for an error in the URL of a callback.
    public var status: HTTPStatus?
    /// The wait for which the server asks with `Retry-After`.
    public var retryAfter: Duration?

    /// Creates an error, for a ``TokenSource`` and for tests.
    public init(
        _ code: Code, _ detail: String, uri: String? = nil, status: HTTPStatus? = nil, retryAfter: Duration? = nil
    ) {
        self.code = code
        self.detail = detail
        self.uri = uri
        self.status = status
        self.retryAfter = retryAfter
    }
}

extension OAuthError: DescribedError, LocalizedError {
    /// One line with the code, the text and the status.
    public var description: String {
        var text = "\(code)"
        if !detail.isEmpty { text += ": \(detail)" }
        if let uri { text += ", see \(uri)" }
        if let status { text += ", status \(status)" }
        return text
    }

    public var errorDescription: String? { description }
}

extension OAuthError.Code {
    // Codes of token endpoints (RFC 6749, 5.2).

    /// A field of the request is missing, repeated or malformed.
    public static let invalidRequest = Self(rawValue: "invalid_request")
    /// The server does not know the application, or rejects its secret.
    public static let invalidClient = Self(rawValue: "invalid_client")
    /// The refresh token, the code or the password is invalid, expired or revoked. The user has to sign in again.
    public static let invalidGrant = Self(rawValue: "invalid_grant")
    /// The application may not use this grant.
    public static let unauthorizedClient = Self(rawValue: "unauthorized_client")
    /// The server does not support this grant.
    public static let unsupportedGrantType = Self(rawValue: "unsupported_grant_type")
    /// A scope is unknown, malformed or not permitted.
    public static let invalidScope = Self(rawValue: "invalid_scope")

    // Codes of authorization endpoints (RFC 6749, 4.1.2.1, and OpenID Connect).

    /// The user or the server has denied the request.
    public static let accessDenied = Self(rawValue: "access_denied")
    /// The server does not support codes for this application.
    public static let unsupportedResponseType = Self(rawValue: "unsupported_response_type")
    /// The server has failed.
    public static let serverError = Self(rawValue: "server_error")
    /// The server is overloaded or under maintenance.
    public static let temporarilyUnavailable = Self(rawValue: "temporarily_unavailable")
    /// The user has to sign in, and nothing may be shown.
    public static let loginRequired = Self(rawValue: "login_required")

    // Codes of the device grant (RFC 8628, 3.5).

    /// The user has not entered the code yet.
    public static let authorizationPending = Self(rawValue: "authorization_pending")
    /// The application asks too often.
    public static let slowDown = Self(rawValue: "slow_down")
    /// The user has not entered the code in time.
    public static let expiredToken = Self(rawValue: "expired_token")

    // Codes of revocation endpoints (RFC 7009, 2.2.1).

    /// The server does not revoke tokens of this kind.
    public static let unsupportedTokenType = Self(rawValue: "unsupported_token_type")

    // Codes of the library.

    /// The response of the server is not one of OAuth 2.
    public static let badResponse = Self(rawValue: "badResponse")
    /// The token has a type that requests cannot be sent with.
    public static let badTokenType = Self(rawValue: "badTokenType")
    /// The callback belongs to another request: its `state` differs. It may be an attack.
    public static let stateMismatch = Self(rawValue: "stateMismatch")
    /// The callback comes from another server: its `iss` differs. It may be an attack.
    public static let issuerMismatch = Self(rawValue: "issuerMismatch")
    /// The settings of ``OAuth2`` do not form a valid request.
    public static let badSettings = Self(rawValue: "badSettings")
}
