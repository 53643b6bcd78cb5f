/// An application, as an OAuth 2 server has registered it.
///
/// An application on the device of a user cannot keep a secret, so it has none.
public struct OAuthClient: Hashable, Sendable {
    /// The place of the secret in a request.
    public enum Authentication: Hashable, Sendable {
        /// The header `Authorization`: `client_secret_basic`. All servers support it.
        ///
        /// The identifier and the secret are encoded as in a form first (RFC 6749, 2.3.1). Some servers do not decode
        /// them. If such a server rejects a secret with special characters, use ``post``.
        case basic
        /// The fields of the form: `client_secret_post`.
        case post
    }

    /// The identifier, `client_id`.
    public var id: String
    /// The secret, `client_secret`; nil for a public application.
    public var secret: String?
    /// The place of the secret in a request.
    public var authentication: Authentication

    /// Creates an application.
    public init(id: String, secret: String? = nil, authentication: Authentication = .basic) {
        self.id = id
        self.secret = secret
        self.authentication = authentication
    }

    /// Adds the credentials of the application to the form or the headers of a request.
    func authenticate(_ fields: inout OAuthForm, _ headers: inout Headers) {
        guard let secret else { return fields.append("client_id", id) }
        switch authentication {
        case .basic:
            // Both are encoded as in a form before they are joined (RFC 6749, 2.3.1).
            let pair = [id, secret].map { PercentEncoding.encode($0, .form, spaceAsPlus: true) }
            headers["Authorization"] = "Basic \(Data(pair.joined(separator: ":").utf8).base64EncodedString())"
        case .post:
            fields.append("client_id", id)
            fields.append("client_secret", secret)
        }
    }
}

extension OAuthClient: DescribedOnly {
    /// The identifier, without the secret.
    public var description: String {
        guard secret != nil else { return "public application \(id)" }
        return "application \(id) with a secret, client_secret_\(authentication)"
    }
}
