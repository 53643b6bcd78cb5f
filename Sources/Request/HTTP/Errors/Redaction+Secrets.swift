#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The secrets of a message, which servers and libraries may repeat in their texts.
extension Redaction {
    /// The length from which a secret is searched for in texts. Shorter ones would be found in unrelated words.
    private static let shortest = 6

    /// Returns the redaction with the secret values of these messages, so that a text which repeats one is redacted too.
    func knowing(_ request: HTTPRequest?, _ response: HTTPResponse? = nil) -> Redaction {
        var values: [String] = []
        if let request {
            values += secretValues(of: request.headers)
            values += secretValues(of: request.url.absoluteString)
        }
        if let response { values += secretValues(of: response.headers) + secretValues(of: response.trailers) }
        values = values.filter { $0.utf8.count >= Self.shortest }
        guard !values.isEmpty else { return self }
        var redaction = self
        redaction.add(secrets: values)
        return redaction
    }

    /// Returns the values of redacted fields: each value as a whole, and the credentials in it.
    private func secretValues(of headers: Headers) -> [String] {
        headers.filter { hides(header: $0.name) }.flatMap { field -> [String] in
            let value = field.value
            // `Bearer token`, `Basic base64`
            let words = value.split(separator: " ", maxSplits: 1)
            let credentials = words.count == 2 ? [String(words[1])] : []
            // `name=value; name=value`
            let pairs = value.split { $0 == ";" || $0 == "," }.compactMap(Self.value(of:))
            return [value] + credentials + credentials.flatMap(Self.userAndPassword) + pairs
        }
    }

    /// Returns the value of `name=value`, without quotes, unless it says when a cookie expires.
    private static func value(of pair: Substring) -> String? {
        guard let equals = pair.firstIndex(of: "=") else { return nil }
        let name = pair[..<equals].filter { $0 != " " }.lowercased()
        guard !["expires", "path", "domain", "samesite", "max-age", "realm", "algorithm"].contains(name) else {
            return nil
        }
        return String(pair[pair.index(after: equals)...].drop { $0 == "\"" }.prefix { $0 != "\"" })
    }

    /// Returns the parts of the credentials of `Basic` authentication.
    private static func userAndPassword(_ text: String) -> [String] {
        guard let data = Data(base64Encoded: text), let pair = String(bytes: data, encoding: .utf8),
            let colon = pair.firstIndex(of: ":")
        else { return [] }
        return [pair, String(pair[pair.index(after: colon)...])]
    }

    /// Returns the user information of a URL, and the values of its redacted items.
    private func secretValues(of url: String) -> [String] {
        var values: [String] = []
        if let start = url.firstRange(of: "://")?.upperBound {
            let authority = url[start...].prefix { !"/?#".contains($0) }
            if let at = authority.lastIndex(of: "@") {
                values += authority[..<at].split(separator: ":", maxSplits: 1).map { PercentEncoding.decode($0) }
            }
        }
        for item in url.split(whereSeparator: { "?&#;".contains($0) }).dropFirst() {
            guard let equals = item.firstIndex(of: "="), hides(queryItem: PercentEncoding.decode(item[..<equals]))
            else {
                continue
            }
            let value = item[item.index(after: equals)...]
            values += [String(value), PercentEncoding.decode(value)]
        }
        return values
    }

    /// Returns a text in which each secret is replaced, also where it is percent-encoded or escaped as in JSON.
    func redactSecrets(in text: String) -> String {
        guard !secrets.isEmpty else { return text }
        // A secret may contain another one.
        let forms = Set(secrets.filter { $0.utf8.count >= Self.shortest }.flatMap(Self.forms))
            .sorted { ($1.utf8.count, $0) < ($0.utf8.count, $1) }
        var bytes = Array(text.utf8)
        for form in forms { bytes.replace(Array(form.utf8), with: Array(Self.ellipsis.utf8)) }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns the forms in which a secret may occur in a text.
    private static func forms(of secret: String) -> [String] {
        [
            secret, PercentEncoding.encode(secret), PercentEncoding.encode(secret, spaceAsPlus: true),
            secret.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n"),
            secret.replacing("/", with: "\\/"), Data(secret.utf8).base64EncodedString(),
        ]
    }

    /// Returns whether a segment of a path is one of the secrets.
    func hides(segment: Substring) -> Bool {
        !secrets.isEmpty && (secrets.contains(String(segment)) || secrets.contains(PercentEncoding.decode(segment)))
    }
}
