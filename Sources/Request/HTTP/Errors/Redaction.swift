#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The names of headers and query items that hold credentials. Descriptions, logs and recordings redact their values.
///
/// Names are compared word by word, ignoring case: `token` covers `access_token`, `X-Auth-Token` and `refreshToken`,
/// but not `tokenizer`. A name of several words, such as `api key`, covers `apiKey`, `api_key` and `apikey`.
///
/// ```swift
/// var redaction = Redaction.standard
/// redaction.add(headers: ["X-Tenant"], queryItems: ["invitation"])
/// ```
public struct Redaction: Hashable, Sendable {
    private var headers: Set<String>
    private var queryItems: Set<String>

    /// Creates a redaction of these names only.
    public init(headers: some Sequence<String> = [], queryItems: some Sequence<String> = []) {
        self.headers = Set(headers.map(Self.form))
        self.queryItems = Set(queryItems.map(Self.form))
    }

    /// The common names of credentials.
    public static let standard = Redaction(
        headers: credentials + ["authorization", "authentication", "cookie", "cookie2"],
        queryItems: credentials + ["code", "key", "hmac", "state"])

    private static let credentials = [
        "access key", "access token", "api key", "assertion", "auth", "auth token", "bearer", "client secret",
        "credential", "credentials", "csrf", "csrf token", "id token", "jwt", "otp", "passphrase", "passwd", "password",
        "private key", "pwd", "refresh token", "secret", "secret key", "session", "session id", "session token", "sid",
        "sig", "signature", "subscription key", "token", "xsrf",
    ]

    /// Adds names.
    public mutating func add(headers: some Sequence<String> = [], queryItems: some Sequence<String> = []) {
        self.headers.formUnion(headers.map(Self.form))
        self.queryItems.formUnion(queryItems.map(Self.form))
    }

    /// Returns whether the value of this header is redacted.
    ///
    /// The word `credentials` does not cover `Access-Control-Allow-Credentials`, because that header holds `true` and
    /// no credential. To redact it, add its whole name.
    public func hides(header name: String) -> Bool {
        name.isSameField(as: Self.flag) ? headers.contains(Self.form(name)) : Self.covers(headers, name)
    }

    private static let flag = "Access-Control-Allow-Credentials"

    /// Returns whether the value of this query item is redacted.
    public func hides(queryItem name: String) -> Bool {
        Self.covers(queryItems, name)
    }

    /// Returns the fields, with an ellipsis instead of each secret.
    public func redact(_ headers: Headers) -> Headers {
        Headers(headers.map { ($0.name, redact($0.value, ofHeader: $0.name)) })
    }

    /// Returns the value of a header, or an ellipsis. Secrets of URLs in the value are replaced too.
    public func redact(_ value: String, ofHeader name: String) -> String {
        hides(header: name) ? Self.ellipsis : name.isLink ? redact(reference: value) : redact(text: value)
    }

    /// Returns the URL without its user and password, and without the secrets in its query and fragment.
    public func redact(_ url: URL) -> String {
        redact(reference: url.absoluteString)
    }

    static let ellipsis = "…"
}

extension Redaction {
    private static func covers(_ set: Set<String>, _ name: String) -> Bool {
        let words = words(of: name)
        if set.contains(words.joined()) { return true }
        for start in words.indices {
            var joined = ""
            for word in words[start...].prefix(3) {
                joined += word
                if set.contains(joined) { return true }
            }
        }
        return false
    }

    /// Returns the form in which names are compared: their words in lower case, without separators.
    private static func form(_ name: String) -> String {
        words(of: name).joined()
    }

    /// Splits names such as `X-Amz-Signature`, `access_token` and `refreshToken` into words.
    private static func words(of name: String) -> [String] {
        var words: [String] = []
        var word = ""
        var wasLower = false
        for character in name.unicodeScalars {
            let properties = character.properties
            guard properties.isAlphabetic || character.isDigit else {
                if !word.isEmpty { words.append(word) }
                word = ""
                wasLower = false
                continue
            }
            if properties.isUppercase, wasLower {
                words.append(word)
                word = ""
            }
            word += properties.lowercaseMapping
            wasLower = properties.isLowercase || character.isDigit
        }
        if !word.isEmpty { words.append(word) }
        return words
    }
}

extension Unicode.Scalar {
    fileprivate var isDigit: Bool { ("0"..."9").contains(self) }
}

extension String {
    /// A Boolean value that indicates whether a field of this name holds a URL, or a path with a query.
    fileprivate var isLink: Bool {
        ["location", "content-location", "referer"].contains(lowercased())
    }
}
