#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Which headers and query items hold credentials, so that no description, log or recording shows their values.
///
/// A name is compared word by word and without regard to case: `token` covers `access_token`, `X-Auth-Token` and
/// `refreshToken`, but not `tokenizer`. A name of several words, such as `api key`, covers `apiKey`, `api_key` and
/// `apikey`.
///
/// ```swift
/// var redaction = Redaction.standard
/// redaction.add(headers: ["X-Tenant"], queryItems: ["invitation"])
/// ```
public struct Redaction: Hashable, Sendable {
    private var headers: Set<String>
    private var queryItems: Set<String>

    /// Leaves out these values, and no others.
    public init(headers: some Sequence<String> = [], queryItems: some Sequence<String> = []) {
        self.headers = Set(headers.map(Self.form))
        self.queryItems = Set(queryItems.map(Self.form))
    }

    /// Credentials as they are commonly named.
    public static let standard = Redaction(
        headers: credentials + ["authorization", "authentication", "cookie", "cookie2"],
        queryItems: credentials + ["code", "key", "hmac", "state"])

    private static let credentials = [
        "access key", "access token", "api key", "assertion", "auth", "auth token", "bearer", "client secret",
        "credential", "credentials", "csrf", "csrf token", "id token", "jwt", "otp", "passphrase", "passwd", "password",
        "private key", "pwd", "refresh token", "secret", "secret key", "session", "session id", "session token", "sid",
        "sig", "signature", "subscription key", "token", "xsrf",
    ]

    /// Leaves out further values.
    public mutating func add(headers: some Sequence<String> = [], queryItems: some Sequence<String> = []) {
        self.headers.formUnion(headers.map(Self.form))
        self.queryItems.formUnion(queryItems.map(Self.form))
    }

    /// Whether the value of this header is left out.
    ///
    /// `Access-Control-Allow-Credentials`, which holds `true` and no credential, is not covered by `credentials`. To leave it
    /// out, add its whole name.
    public func hides(header name: String) -> Bool {
        name.isSameField(as: Self.flag) ? headers.contains(Self.form(name)) : Self.covers(headers, name)
    }

    private static let flag = "Access-Control-Allow-Credentials"

    /// Whether the value of this query item is left out.
    public func hides(queryItem name: String) -> Bool {
        Self.covers(queryItems, name)
    }

    /// The fields with what is secret replaced by an ellipsis.
    public func redact(_ headers: Headers) -> Headers {
        Headers(headers.map { ($0.name, redact($0.value, ofHeader: $0.name)) })
    }

    /// The value of a header, or an ellipsis in its place. URLs in it lose their secrets too.
    public func redact(_ value: String, ofHeader name: String) -> String {
        hides(header: name) ? Self.ellipsis : name.isLink ? redact(reference: value) : redact(text: value)
    }

    /// The URL without its user and password, and with what is secret in its query and fragment replaced.
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

    /// How names are compared: their words in lower case, without anything between.
    private static func form(_ name: String) -> String {
        words(of: name).joined()
    }

    /// Takes `X-Amz-Signature`, `access_token` and `refreshToken` apart.
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
    /// Whether a field of this name holds a URL, or a path with a query.
    fileprivate var isLink: Bool {
        ["location", "content-location", "referer"].contains(lowercased())
    }
}
