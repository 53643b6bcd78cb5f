/// The endpoint that a browser opens to sign a user in, with the settings of the application for it.
struct AuthorizationEndpoint: Sendable {
    let url: URL
    let redirectURL: URL
    let scopes: [String]
    let issuer: String?
    let fields: [String: String]
    let open: (@Sendable (URL) async throws -> URL)?

    /// Returns the URL of a sign-in. The query of the endpoint stays as it is, and its fragment is left out.
    func url(client: OAuthClient, state: String, key: ProofKey, nonce: String?) throws -> URL {
        let form: OAuthForm = [
            "response_type": "code", "client_id": client.id, "redirect_uri": redirectURL.absoluteString,
            "scope": scopes.scope, "state": state, "nonce": nonce, "code_challenge": key.challenge,
            "code_challenge_method": "S256",
        ]
        let parts = URLParts(url.absoluteString[...])
        let old = Query(parsing: parts.query ?? "").fields.map(\.name)
        if let repeated = (old + fields.keys).first(where: { form[$0] != nil }) {
            throw OAuthError(
                .badSettings,
                "the authorization URL or the fields of the grant contain “\(repeated)”, which is added to each request: "
                    + "remove it there")
        }
        var all = form
        all.append(fields)
        let text = url.absoluteString.utf8.prefix { $0 != UInt8(ascii: "#") }
        let mark = parts.query == nil ? "?" : parts.query?.isEmpty == true ? "" : "&"
        guard
            let url = URL(
                string: "\(String(decoding: Array(text), as: UTF8.self))\(mark)\(try all.query.formEncoded())")
        else {
            throw OAuthError(.badSettings, "the authorization URL and the fields of the grant do not form a URL")
        }
        return url
    }
}
