#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The names of headers, query items and fields that hold credentials, and further secret texts. Descriptions, logs and
/// recordings redact their values.
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
    private var rules: Rules

    private final class Rules: Hashable, Sendable {
        let headers: Set<String>
        let queryItems: Set<String>
        let fields: Set<String>
        let secrets: Set<String>

        init(headers: Set<String>, queryItems: Set<String>, fields: Set<String>, secrets: Set<String>) {
            self.headers = headers
            self.queryItems = queryItems
            self.fields = fields
            self.secrets = secrets
        }

        static func == (left: Rules, right: Rules) -> Bool {
            left === right
                || left.headers == right.headers && left.queryItems == right.queryItems && left.fields == right.fields
                    && left.secrets == right.secrets
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(headers)
            hasher.combine(queryItems)
            hasher.combine(fields)
            hasher.combine(secrets)
        }
    }

    /// Creates a redaction of these names only.
    ///
    /// - Parameters:
    ///   - headers: The names of headers.
    ///   - queryItems: The names of items in the query or fragment of a URL, and in forms.
    ///   - fields: The names of fields in JSON bodies, in forms, and in texts such as `password=1234`.
    public init(
        headers: some Sequence<String> = [], queryItems: some Sequence<String> = [], fields: some Sequence<String> = []
    ) {
        rules = Rules(
            headers: Set(headers.map(Self.form)), queryItems: Set(queryItems.map(Self.form)),
            fields: Set(fields.map(Self.form)), secrets: [])
    }

    /// The common names of credentials.
    public static let standard = Redaction(
        headers: credentials + ["authorization", "authentication", "cookie", "cookie2"],
        queryItems: credentials + ["code", "key", "hmac", "state"],
        fields: credentials + [
            "authorization", "card number", "code verifier", "cookie", "cvc", "cvv", "device code", "pin", "user code",
        ])

    private static let credentials = [
        "access key", "access token", "api key", "assertion", "auth", "auth token", "bearer", "client secret",
        "credential", "credentials", "csrf", "csrf token", "id token", "jwt", "otp", "passphrase", "passwd", "password",
        "private key", "pwd", "refresh token", "secret", "secret key", "session", "session id", "session token", "sid",
        "sig", "signature", "subscription key", "token", "xsrf",
    ]

    /// Adds names.
    ///
    /// - Parameters:
    ///   - headers: The names of headers.
    ///   - queryItems: The names of items in the query or fragment of a URL, and in forms.
    ///   - fields: The names of fields in JSON bodies, in forms, and in texts such as `password=1234`.
    public mutating func add(
        headers: some Sequence<String> = [], queryItems: some Sequence<String> = [], fields: some Sequence<String> = []
    ) {
        rules = Rules(
            headers: rules.headers.union(headers.map(Self.form)),
            queryItems: rules.queryItems.union(queryItems.map(Self.form)),
            fields: rules.fields.union(fields.map(Self.form)), secrets: rules.secrets)
    }

    /// Adds texts that are redacted wherever they occur, such as the key of the application.
    ///
    /// In a path, a segment is redacted if it equals one of them. Elsewhere, texts of fewer than six characters are too
    /// common to be found reliably, and are ignored.
    public mutating func add(secrets: some Sequence<String>) {
        let added = secrets.filter { !$0.isEmpty }
        guard !added.isEmpty else { return }
        rules = Rules(
            headers: rules.headers, queryItems: rules.queryItems, fields: rules.fields,
            secrets: rules.secrets.union(added))
    }

    /// Returns the redaction with further secrets.
    func adding(_ secrets: [String]) -> Redaction {
        var redaction = self
        redaction.add(secrets: secrets)
        return redaction
    }

    /// The texts that are redacted wherever they occur.
    var secrets: Set<String> { rules.secrets }

    /// Returns whether the value of this header is redacted.
    ///
    /// The word `credentials` does not cover `Access-Control-Allow-Credentials`, because that header holds `true` and
    /// no credential. To redact it, add its whole name.
    public func hides(header name: String) -> Bool {
        name.isSameField(as: Self.flag) ? rules.headers.contains(Self.form(name)) : Self.covers(rules.headers, name)
    }

    private static let flag = "Access-Control-Allow-Credentials"

    /// Returns whether the value of this query item is redacted.
    public func hides(queryItem name: String) -> Bool {
        Self.covers(rules.queryItems, name)
    }

    /// Returns whether the value of this field of a JSON body or a text is redacted.
    public func hides(field name: String) -> Bool {
        Self.covers(rules.fields, name)
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
        guard !secrets.isEmpty || text.utf8.contains(where: Self.isSuspicious) else { return text }
        return redact(reference: text)
    }

    /// Returns whether a URL with this character may hold a secret.
    private static func isSuspicious(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "?"), UInt8(ascii: "#"), UInt8(ascii: "@"), UInt8(ascii: ";"): true
        default: false
        }
    }

    static let ellipsis = "…"
}

extension Redaction: Hashable {}

extension Redaction: CustomStringConvertible, CustomReflectable {
    /// The numbers of names and secrets.
    public var description: String {
        "redaction of \(rules.headers.count) headers, \(rules.queryItems.count) query items, "
            + "\(rules.fields.count) fields and \(rules.secrets.count) secrets"
    }

    public var customMirror: Mirror { Mirror(self, children: ["redaction": description]) }
}

extension String {
    /// A Boolean value that indicates whether a field of this name holds a URL, or a path with a query.
    fileprivate var isLink: Bool {
        ["location", "content-location", "referer"].contains(lowercased())
    }
}
