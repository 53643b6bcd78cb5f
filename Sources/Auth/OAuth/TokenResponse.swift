/// The response of an OAuth 2 server: a token, an error, or the data of the device grant.
///
/// The body is a JSON object. Some servers send a form, as before RFC 6749, or an error with the status 200. Both are
/// accepted.
struct TokenResponse {
    /// The largest body, in bytes. Tokens with many claims have a few kilobytes.
    static let limit = 256 << 10

    private let response: HTTPResponse
    private let fields: [String: TokenResponseField]?
    private let retryAfter: Duration?

    init(_ response: HTTPResponse, now: Date) {
        self.response = response
        fields = TokenResponseField.fields(of: response)
        retryAfter = RetryAfter.wait(response.headers["Retry-After"], now: now.timeIntervalSince1970)
    }

    /// Returns the fields of a successful response. Throws the error of the server, or one that says what is wrong.
    func success(with required: String, redaction: Redaction) throws -> [String: TokenResponseField] {
        if let error = error(redaction), fields?[required]?.text == nil || !response.status.isSuccess { throw error }
        guard response.status.isSuccess else { throw failure }
        guard let fields else {
            throw bad(
                "is not a JSON object: \(sketch(redaction)). Check the URL, and whether a sign-in page has replaced the response"
            )
        }
        guard let value = fields[required]?.text, !value.isEmpty else {
            throw bad("has no text “\(required)”: check that the URL is that of the right endpoint")
        }
        return fields
    }

    func token(now: Date, redaction: Redaction) throws -> Token {
        var fields = try success(with: "access_token", redaction: redaction)
        let value = fields.removeValue(forKey: "access_token")?.text ?? ""
        guard value.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw bad("has an access token with a space, a control character or a character that is not ASCII")
        }
        // Some servers leave the type out, or empty.
        let type = fields.removeValue(forKey: "token_type")?.text ?? ""
        let refreshToken = fields.removeValue(forKey: "refresh_token")?.text ?? ""
        guard type.isEmpty || type.isSameField(as: "Bearer") else {
            let shown = Self.visible(type, upTo: 40, redaction.adding([value, refreshToken]))
            throw OAuthError(
                .badTokenType,
                "the server has issued a token of the type “\(shown)”, and only bearer tokens are "
                    + "supported: request those, or write a TokenSource and an Authenticator for this type",
                status: response.status)
        }
        let seconds = fields.removeValue(forKey: "expires_in")?.seconds
        let scopes = fields.removeValue(forKey: "scope")?.scopes
        return Token(
            value, scheme: "Bearer", refreshToken: refreshToken.isEmpty ? nil : refreshToken,
            expires: seconds.map { now.addingTimeInterval($0) }, scopes: scopes,
            values: fields.compactMapValues(\.text))
    }

    /// The error that the server has sent; nil if the response has none.
    func error(_ redaction: Redaction) -> OAuthError? {
        guard let code = fields?["error"]?.text, !code.isEmpty else { return nil }
        func text(_ name: String, _ length: Int) -> String? {
            fields?[name]?.text.map { Self.visible($0, upTo: length, redaction) }
        }
        return OAuthError(
            .init(rawValue: Self.visible(code, upTo: 80, redaction)), text("error_description", 500) ?? "",
            uri: text("error_uri", 500), status: response.status, retryAfter: retryAfter)
    }

    /// The error of a status without an error of OAuth 2.
    var failure: RequestError {
        RequestError(
            .badStatus, phase: .decode,
            detail: "the OAuth 2 server responded with the status \(response.status) and without an error of OAuth 2",
            request: response.request?.withoutBody, response: response.head)
    }

    func bad(_ problem: String) -> OAuthError {
        OAuthError(.badResponse, "the response of the OAuth 2 server \(problem)", status: response.status)
    }

    /// The size and type of the body, which may be a secret itself.
    private func sketch(_ redaction: Redaction) -> String {
        let type = response.headers["Content-Type"].map { Self.visible($0, upTo: 80, redaction) } ?? "no content type"
        return "\(response.body.count) bytes, \(type)"
    }

    /// Returns a text of a server without secrets and control characters, for one line of a log. A secret that is cut would be
    /// found no more, so that comes last.
    static func visible(_ text: String, upTo length: Int, _ redaction: Redaction) -> String {
        let text = redaction.redact(text: text)
        let scalars = text.unicodeScalars.prefix(length).map { $0.isPrintable ? Character($0) : " " }
        return String(scalars) + (text.unicodeScalars.count > length ? "…" : "")
    }
}
