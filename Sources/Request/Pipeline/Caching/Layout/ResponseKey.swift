/// The key of a cached response, made of everything that selects the response to a request.
///
/// Its text reads `user=… 3 GET https://api.example.com/users/1 accept-language=de body=… model=…`. Most keys have only
/// the scope, the method and the URL. Users, credentials and bodies are in it as digests. Nothing else in it is secret,
/// apart from the query of the URL.
package struct ResponseKey: Sendable {
    /// The beginning of all keys of the user: see ``Identity/scope``.
    var scope: String
    var schema = 0
    var method: HTTPMethod
    /// The beginning of the normalised URL, if it is that of all URLs of the client.
    var base = ""
    /// The rest of the normalised URL.
    var url: String
    /// The headers by which the server selects a response, as text.
    var negotiation = ""
    /// The digest of the body.
    var body: String?
    /// The name of the request type and of its serializer, if a model is stored.
    var model: String?
    /// The key that the request declares. It replaces the method, the URL, the body and all headers but the
    /// credentials.
    var custom: CacheKey?

    var key: CacheKey {
        var text = ""
        text.reserveCapacity(
            scope.utf8.count + base.utf8.count + url.utf8.count + negotiation.utf8.count + (model?.utf8.count ?? 0)
                + 32)
        text += scope
        if schema != 0 { text += "\(schema) " }
        if let custom {
            if !negotiation.isEmpty { text += "\(negotiation.dropFirst()) " }
            if let model { text += "model=\(model) " }
            return CacheKey(bytes: Array((text + "own=").utf8) + custom.bytes)
        }
        text += method.rawValue
        text += " "
        text += base
        text += url
        text += negotiation
        if let body { text += " body=\(body)" }
        if let model {
            text += " model="
            text += model
        }
        return CacheKey(text)
    }
}

extension ResponseKey {
    /// Returns the headers by which a server selects a response: the accepted languages and types, the depth of a
    /// `PROPFIND`, the range and the target host. Credentials are added, unless the client has an identity, which stands for them.
    ///
    /// - Parameters:
    ///   - client: The headers of the client.
    ///   - request: The headers of the request, which replace those of the client.
    ///   - endpoint: The headers of the endpoint, which replace both.
    ///   - url: The URL, whose host is not repeated.
    ///   - hasIdentity: A Boolean value that indicates whether the client has an identity.
    ///   - isNamed: A Boolean value that indicates whether the request has a key of its own. Then only its credentials
    ///     and the coding of the body are added.
    static func negotiation(
        in client: Headers, _ request: Headers, _ endpoint: Headers, url: @autoclosure () -> String = "",
        hasIdentity: Bool, isNamed: Bool = false
    ) -> String {
        guard !client.isEmpty || !request.isEmpty || !endpoint.isEmpty else { return "" }
        var headers = client
        if !request.isEmpty { headers.merge(request) }
        if !endpoint.isEmpty { headers.merge(endpoint) }
        var text = ""
        for name in negotiated(isNamed: isNamed) where headers.contains(name) {
            let value = headers.all(name).joined(separator: ",").utf8
            let bytes = value.filter { !$0.isFieldBlank }.map(\.lowercasedASCII)
            text += " \(name)=\(String(decoding: bytes, as: UTF8.self))"
        }
        if !isNamed, let host = TargetHost.explicit(in: headers, url: url()) { text += " host=\(host)" }
        if !hasIdentity {
            for (name, digest) in Credentials.digests(of: headers) { text += " \(name)=\(digest)" }
        }
        return text
    }

    /// Returns the names of the headers by which a key selects a response, in lower case.
    ///
    /// A body is delivered as it was received if the request itself has an `Accept-Encoding`, and decoded otherwise.
    static func negotiated(isNamed: Bool) -> [String] { isNamed ? coding : all }

    private static let coding = ["accept-encoding"]
    private static let all = ["accept", "accept-encoding", "accept-language", "depth", "range"]

    /// Returns the digest of a body; nil if it is not known before the body is sent.
    ///
    /// The digest of JSON is that of its sorted fields, because fields made of a dictionary come in any order.
    static func digest(of body: Body) -> String? {
        switch body.content {
        case .none: ""
        case .data(let data): SHA256.hex(sorted(data, type: body.contentType) ?? data)
        case .file, .stream: nil
        }
    }

    private static func sorted(_ data: Data, type: String?) -> Data? {
        guard type.flatMap({ MIMEType(parsing: $0) })?.isJSON == true, data.count <= 64 << 10,
            let value = try? JSONDecoder().decode(JSONValue.self, from: data), value.isExact,
            // Decoding keeps only one of several fields with the same name.
            value.fieldCount == fieldCount(data)
        else { return nil }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return try? encoder.encode(value)
    }

    /// Returns the number of fields in a JSON document, with duplicates: that of its colons outside of strings.
    private static func fieldCount(_ document: Data) -> Int {
        var count = 0
        var isInString = false
        var isEscaped = false
        for byte in document {
            switch byte {
            case _ where isEscaped: isEscaped = false
            case UInt8(ascii: "\\") where isInString: isEscaped = true
            case UInt8(ascii: "\""): isInString.toggle()
            case UInt8(ascii: ":") where !isInString: count += 1
            default: break
            }
        }
        return count
    }

    /// Returns a normalised URL. A user and a password in it are replaced by a digest.
    package static func plainURL(_ url: URL) -> String {
        let text = RequestURL.normalized(url)
        guard let authority = URLParts(text[...]).authority, let user = authority.userinfo else { return text }
        return text.replacing("//\(user)@", with: "//\(SHA256.hex(user.utf8).prefix(32))@", maxReplacements: 1)
    }
}

extension JSONValue {
    /// A Boolean value that indicates whether the decoded value is exact, so that different documents stay different.
    fileprivate var isExact: Bool {
        switch self {
        case .number(let number): abs(number) < 0x1p53
        case .array(let elements): elements.allSatisfy(\.isExact)
        case .object(let fields): fields.values.allSatisfy(\.isExact)
        default: true
        }
    }

    fileprivate var fieldCount: Int {
        switch self {
        case .array(let elements): elements.reduce(0) { $0 + $1.fieldCount }
        case .object(let fields): fields.values.reduce(fields.count) { $0 + $1.fieldCount }
        default: 0
        }
    }
}
