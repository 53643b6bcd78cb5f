/// The secrets of messages, which servers and libraries may repeat in their texts.
extension Redaction {
    /// Returns the redaction with the secret values of these messages, so that a text which repeats one is redacted too.
    package func knowing(_ request: HTTPRequest?, _ response: HTTPResponse? = nil) -> Redaction {
        var values: [String] = []
        if let request {
            values += secretValues(of: request.headers) + secretValues(of: request.url.absoluteString)
        }
        if let response { values += secretValues(of: response.headers) + secretValues(of: response.trailers) }
        values = values.filter { $0.utf8.count >= SecretSearch.shortest }
        let known = values.isEmpty ? self : adding(values)
        return request.flatMap(SecretBody.init).map(known.adding) ?? known
    }

    // MARK: Headers

    /// Returns the credentials in the values of redacted fields.
    private func secretValues(of headers: Headers) -> [String] {
        headers.filter { hides(header: $0.name) }.flatMap { field -> [String] in
            if field.name.isSameField(as: "Cookie") || field.name.isSameField(as: "Set-Cookie") {
                let pairs =
                    field.name.utf8.count == 6 ? field.value.split(separator: ";") : [field.value.prefix { $0 != ";" }]
                // A cookie without a name has no equals sign.
                return pairs.map { Self.pair($0)?.value ?? $0.filter { $0 != " " } }.filter(\.isDistinct)
            }
            // `Bearer token`, `Basic base64`, `Digest name=value, name=value`
            let words = field.value.split(separator: " ", maxSplits: 1)
            guard words.count == 2 else { return [field.value] }
            let pairs = words[1].split(separator: ",").compactMap(Self.pair)
            let isList = pairs.count > 1 && words[1].contains("=\"") || pairs.contains { hides(field: $0.name) }
            if isList { return pairs.filter { hides(field: $0.name) || $0.name == "response" }.map(\.value) }
            return [String(words[1])] + Self.userAndPassword(String(words[1]))
        }
    }

    /// Returns the parts of `name=value`, without quotes.
    private static func pair(_ text: Substring) -> (name: String, value: String)? {
        guard let equals = text.firstIndex(of: "=") else { return nil }
        let value = text[text.index(after: equals)...].drop { $0 == "\"" || $0 == " " }.prefix { $0 != "\"" }
        return (text[..<equals].filter { $0 != " " }, String(value))
    }

    /// Returns the parts of the credentials of `Basic` authentication.
    private static func userAndPassword(_ text: String) -> [String] {
        guard let data = Data(base64Encoded: text), let pair = String(bytes: data, encoding: .utf8),
            let colon = pair.firstIndex(of: ":")
        else { return [] }
        return [pair, String(pair[pair.index(after: colon)...])]
    }

    // MARK: URLs

    /// Returns the password of a URL, or a user without one, and the values of its redacted items.
    private func secretValues(of url: String) -> [String] {
        var values: [String] = []
        if let start = url.firstRange(of: "://")?.upperBound {
            let authority = url[start...].prefix { !"/?#".contains($0) }
            if let at = authority.lastIndex(of: "@") {
                let parts = authority[..<at].split(separator: ":", maxSplits: 1)
                values += parts.suffix(1).map { PercentEncoding.decode($0) }
            }
        }
        for item in url.split(whereSeparator: { "?&#;".contains($0) }).dropFirst() {
            guard let equals = item.firstIndex(of: "=") else { continue }
            let name = PercentEncoding.decode(item[..<equals])
            guard hides(queryItem: name) else { continue }
            let value = PercentEncoding.decode(item[item.index(after: equals)...], plusAsSpace: true)
            // Such as `?state=closed` or `?code=DE`: names with other uses.
            if hides(field: name) || value.isDistinct { values.append(value) }
        }
        return values
    }
}

/// The body of a request, as far as it may have fields with secrets. A server may repeat them.
struct SecretBody: Hashable, Sendable {
    let data: Data
    let type: String?

    /// The highest number of bytes of a body that is searched.
    private static let limit = 256 * 1024

    /// Creates the body of a request; nil if it is not in memory, or too long.
    init?(_ request: HTTPRequest) {
        guard case .data(let data) = request.body.legible, !data.isEmpty, data.count <= Self.limit else { return nil }
        self.data = data
        type = request.headers["Content-Type"] ?? request.body.contentType
    }

    static func == (one: SecretBody, other: SecretBody) -> Bool {
        one.type == other.type && one.data.hasSameBytes(as: other.data)
    }
}

extension String {
    /// A Boolean value that indicates whether the value is too irregular for a word or a number, which other texts may
    /// contain by chance.
    package var isDistinct: Bool {
        let isWord = unicodeScalars.allSatisfy { $0.properties.isAlphabetic || "-_ .".unicodeScalars.contains($0) }
        let isNumber = utf8.count < 16 && utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        return !isWord && !isNumber
    }
}
