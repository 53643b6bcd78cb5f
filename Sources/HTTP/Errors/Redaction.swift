import Synchronization

/// The rules by which descriptions, logs and recordings replace secrets.
///
/// Secrets are found by two rules:
///
/// - *By place*: the values of named headers and query items, of named fields in JSON, forms, XML and multipart bodies, and the
///   segments of a path that ``Endpoint/redacting(_:)`` marks.
/// - *By value*: what the library knows to be a secret, wherever it occurs as a whole word. These are the credentials of the
///   messages, the secret fields of the request's own body, the credentials and tokens of the client's authenticator, and the
///   texts of ``add(secrets:)``. Values of fewer than eight bytes are too common to be found reliably, and are shown.
///
/// In other texts, only URLs are redacted. A password in a sentence is shown, unless it is known by value.
///
/// Names are compared word by word, ignoring case: `token` covers `access_token`, `X-Auth-Token` and `refreshToken`,
/// but not `tokenizer`. A name of several words, such as `api key`, covers `apiKey`, `api_key` and `apikey`.
///
/// ```swift
/// var redaction = Redaction.standard
/// redaction.add(headers: ["X-Tenant"], queryItems: ["invitation"], fields: ["card number"])
/// ```
///
/// ``Client/Configuration/redaction`` sets it for all outputs of a client. ``Endpoint/redacting(_:)`` marks a value of one
/// request, such as a token in its path.
public struct Redaction: Sendable {
    /// The rules, in one object, because each request refers to them.
    private var shared: Shared

    private struct Rules: Hashable, Sendable {
        var headers: Names
        var queryItems: Names
        var fields: Names
        var secrets: Set<ExactString> = []
        /// The body whose secret fields are secrets too. It is searched at the first use.
        var body: SecretBody?
        /// The secrets of the authenticators of the client, which may get further ones.
        var known: Set<KnownSecrets> = []
    }

    private final class Shared: Sendable {
        let rules: Rules
        /// The search for the secrets after a number of changes of the known ones.
        let search = Mutex<(changes: Int, search: SecretSearch)?>(nil)

        init(_ rules: Rules) {
            self.rules = rules
        }
    }

    private var rules: Rules {
        get { shared.rules }
        set { shared = Shared(newValue) }
    }

    /// Creates a redaction of these names only.
    ///
    /// - Parameters:
    ///   - headers: The names of headers.
    ///   - queryItems: The names of items in the query or fragment of a URL, and in forms.
    ///   - fields: The names of fields in bodies: JSON, forms, multipart and XML.
    public init(
        headers: some Sequence<String> = [], queryItems: some Sequence<String> = [], fields: some Sequence<String> = []
    ) {
        self.init(headers: Names(headers), queryItems: Names(queryItems), fields: Names(fields))
    }

    private init(headers: Names, queryItems: Names, fields: Names) {
        shared = Shared(Rules(headers: headers, queryItems: queryItems, fields: fields))
    }

    /// The common names of credentials.
    public static let standard = Redaction(
        headers: Names(
            credentials + [
                "appwrite key", "application key", "authorization", "authentication", "cookie", "cookie2",
                "functions key",
                "master key", "oidc data",
            ]),
        queryItems: Names(credentials + ["hmac"], whole: ["code", "key", "pass", "state"]),
        fields: Names(
            credentials + [
                "authorization", "card number", "code verifier", "cookie", "cvc", "cvv", "device code", "hmac",
                "mfa code",
                "pin", "recovery code", "user code", "verification code",
            ], whole: ["access", "pass", "refresh"]))

    private static let credentials = [
        "access key", "access token", "api key", "assertion", "auth", "auth token", "bearer", "client secret",
        "credential", "credentials", "csrf", "csrf token", "id token", "jwt", "otp", "passcode", "passphrase", "passwd",
        "password", "private key", "pwd", "refresh token", "saml response", "secret", "secret key", "session",
        "session id",
        "session token", "sid", "sig", "signature", "subscription key", "token", "totp", "user pass", "xsrf",
    ]

    /// Adds names.
    ///
    /// - Parameters:
    ///   - headers: The names of headers.
    ///   - queryItems: The names of items in the query or fragment of a URL, and in forms.
    ///   - fields: The names of fields in bodies: JSON, forms, multipart and XML.
    public mutating func add(
        headers: some Sequence<String> = [], queryItems: some Sequence<String> = [], fields: some Sequence<String> = []
    ) {
        var rules = rules
        rules.headers = rules.headers.adding(headers)
        rules.queryItems = rules.queryItems.adding(queryItems)
        rules.fields = rules.fields.adding(fields)
        self.rules = rules
    }

    /// Adds texts that are redacted wherever they occur as whole words, such as the key of the application.
    ///
    /// In a path, a segment is redacted if it equals one of them. Elsewhere, texts of fewer than eight bytes are too common to
    /// be found reliably, and are shown.
    public mutating func add(secrets: some Sequence<String>) {
        let added = secrets.filter { !$0.isEmpty }.map(ExactString.init)
        guard !added.isEmpty else { return }
        rules.secrets.formUnion(added)
    }

    /// Returns the redaction with further secrets.
    package func adding(_ secrets: [String]) -> Redaction {
        var redaction = self
        redaction.add(secrets: secrets)
        return redaction
    }

    /// Returns the redaction with the secret fields of a body.
    func adding(_ body: SecretBody) -> Redaction {
        var redaction = self
        redaction.rules.body = body
        return redaction
    }

    /// Returns the redaction with the present and future secrets of authenticators.
    package func knowing(_ secrets: Set<KnownSecrets>) -> Redaction {
        guard !secrets.isSubset(of: rules.known) else { return self }
        var redaction = self
        redaction.rules.known.formUnion(secrets)
        return redaction
    }

    /// The search for secrets by their value.
    package var search: SecretSearch {
        // Read before the texts: a later change makes the search outdated, and never the reverse.
        let changes = rules.known.reduce(0) { $0 + $1.changes }
        if let (made, search) = shared.search.withLock(\.self), made == changes { return search }
        let texts = rules.secrets.union(rules.known.flatMap(\.texts)).map(\.text)
        let search = SecretSearch(texts + (rules.body.map(secretValues) ?? []))
        shared.search.withLock { $0 = (changes, search) }
        return search
    }

    /// The redaction by place only, without the secrets that are known by value.
    package var byPlace: Redaction {
        Redaction(headers: rules.headers, queryItems: rules.queryItems, fields: rules.fields)
    }

    /// Returns the values of the secret fields of a body.
    private func secretValues(of body: SecretBody) -> [String] {
        byPlace.secretFields(of: body.data, contentType: body.type).map(\.value)
    }

    /// Returns whether a segment of a path is one of the secrets.
    func hides(segment: Substring) -> Bool {
        guard hasSecrets else { return false }
        let forms = [ExactString(String(segment)), ExactString(PercentEncoding.decode(segment))]
        return forms.contains { form in
            rules.secrets.contains(form) || rules.known.contains { $0.texts.contains(form) }
        }
    }

    /// A Boolean value that indicates whether a text may be secret because of its value.
    var hasSecrets: Bool { !rules.secrets.isEmpty || rules.body != nil || !rules.known.isEmpty }

    /// Returns whether a text may have secrets in URLs. Most texts have none.
    package func mayRedact(_ text: some StringProtocol) -> Bool {
        hasSecrets || text.utf8.contains { "?#@;".utf8.contains($0) }
    }

    /// Returns whether the value of this header is redacted.
    ///
    /// The word `credentials` does not cover `Access-Control-Allow-Credentials`, because that header holds `true` and
    /// no credential. To redact it, add its whole name.
    public func hides(header name: String) -> Bool {
        rules.headers.cover(name, asWords: !name.isSameField(as: Self.flag))
    }

    private static let flag = "Access-Control-Allow-Credentials"

    /// Returns whether the value of this query item is redacted.
    public func hides(queryItem name: String) -> Bool {
        rules.queryItems.cover(name)
    }

    /// Returns whether the value of this field of a body is redacted.
    public func hides(field name: String) -> Bool {
        rules.fields.cover(name)
    }

    /// Returns the fields, with an ellipsis instead of each secret.
    public func redact(_ headers: Headers) -> Headers {
        Headers(headers.map { ($0.name, redact($0.value, ofHeader: $0.name)) })
    }

    /// Returns the value of a header, or an ellipsis. Secrets of URLs in the value are replaced too.
    public func redact(_ value: String, ofHeader name: String) -> String {
        hides(header: name) ? Self.ellipsis : name.isLink ? redact(reference: value) : redact(text: value)
    }

    /// Returns the URL without its user and password, and without the secrets in its path, query and fragment.
    public func redact(_ url: URL) -> String {
        let text = url.absoluteString
        // Most URLs have nothing to redact.
        guard hasSecrets || text.utf8.contains(where: Self.isSuspicious) else { return text }
        return redact(reference: text)
    }

    /// Returns whether a URL with this character may hold a secret.
    private static func isSuspicious(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "?"), UInt8(ascii: "#"), UInt8(ascii: "@"), UInt8(ascii: ";"): true
        default: false
        }
    }

    package static let ellipsis = "…"
}

extension Redaction: Hashable {
    public static func == (left: Redaction, right: Redaction) -> Bool {
        left.shared === right.shared || left.rules == right.rules
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(rules)
    }
}

extension Redaction: DescribedOnly {
    /// The numbers of names and secrets.
    public var description: String {
        "redaction of \(rules.headers.count) headers, \(rules.queryItems.count) query items, "
            + "\(rules.fields.count) fields and \(rules.secrets.count) secrets"
    }
}

extension String {
    /// A Boolean value that indicates whether a field of this name holds a URL, or a path with a query.
    fileprivate var isLink: Bool {
        ["location", "content-location", "referer"].contains(lowercased())
    }
}
