import TangoCache

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Everything that makes an answer the answer to a request, and the name under which it is kept.
///
/// It reads `user=… 3 GET https://api.example.com/users/1 accept-language=de body=… model=…`, of which most have the method
/// and the URL alone. Nothing secret is in it but what a URL has in its query: users, credentials and bodies are there by
/// their digests.
struct ResponseKey: Hashable, Sendable {
    /// What the names of all answers to a user begin with, and no others.
    static func scope(of identity: String?) -> String {
        guard let identity else { return "anyone " }
        return "user=\(SHA256.hex(identity.utf8).prefix(32)) "
    }

    var scope: String
    var schema = 0
    var method: HTTPMethod
    /// The normalised URL.
    var url: String
    /// What else the server goes by.
    var negotiation = ""
    /// The digest of the body.
    var body: String?
    /// Where a model is kept: of which kind of request.
    var model: String?
    /// What the request calls itself, instead of all that the server is told but on whose behalf it comes.
    var custom: CacheKey?

    var key: CacheKey {
        var text = ""
        text.reserveCapacity(
            scope.utf8.count + url.utf8.count + negotiation.utf8.count + (model?.utf8.count ?? 0) + 32)
        text += scope
        if schema != 0 { text += "\(schema) " }
        if let custom {
            if !negotiation.isEmpty { text += "\(negotiation.dropFirst()) " }
            if let model { text += "model=\(model) " }
            return CacheKey(bytes: Array((text + "own=").utf8) + custom.bytes)
        }
        text += method.rawValue
        text += " "
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
    /// What a server selects by among several responses: the languages and types that a request accepts, the range, the host
    /// that it is meant for; and its credentials, unless its client has an identity, which stands for them.
    ///
    /// - Parameters:
    ///   - client: The headers that are declared, from those that give way to the others to those that do not.
    ///   - url: The URL, of which the host need not be repeated.
    ///   - hasIdentity: Whether the client has one.
    ///   - isNamed: Whether the request has a key of its own, so that only its credentials make a difference.
    static func negotiation(
        in client: Headers, _ request: Headers, _ endpoint: Headers, url: String = "", hasIdentity: Bool,
        isNamed: Bool = false
    ) -> String {
        guard !client.isEmpty || !request.isEmpty || !endpoint.isEmpty else { return "" }
        var headers = client
        if !request.isEmpty { headers.merge(request) }
        if !endpoint.isEmpty { headers.merge(endpoint) }
        var text = ""
        if !isNamed {
            for name in negotiated where headers.contains(name) {
                let value = headers.all(name).joined(separator: ",").utf8
                let bytes = value.filter { !$0.isFieldBlank }.map(\.lowercasedASCII)
                text += " \(name)=\(String(decoding: bytes, as: UTF8.self))"
            }
            if let host = TargetHost.explicit(in: headers, url: url) { text += " host=\(host)" }
        }
        if !hasIdentity {
            for (name, digest) in Credentials.digests(of: headers) { text += " \(name)=\(digest)" }
        }
        return text
    }

    private static let negotiated = ["accept", "accept-language", "range"]

    /// The digest of a body; nil where it cannot be known without sending it.
    ///
    /// Of JSON, whose fields come in any order when they are made of a dictionary, it is that of the sorted fields.
    static func digest(of body: Body) -> String? {
        switch body.content {
        case .none: ""
        case .data(let data): SHA256.hex(sorted(data, type: body.contentType) ?? data)
        case .file, .stream: nil
        }
    }

    private static func sorted(_ data: Data, type: String?) -> Data? {
        guard let type = type.flatMap(MediaType.init), type.subtype == "json" || type.subtype.hasSuffix("+json"),
            data.count <= 64 << 10, let value = try? JSONDecoder().decode(JSONValue.self, from: data), value.isExact,
            // Of several fields of one name, decoding leaves one.
            value.fieldCount == fieldCount(data)
        else { return nil }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return try? encoder.encode(value)
    }

    /// The number of fields in a JSON document, those of one name each counted: that of its colons outside of strings.
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

    /// A normalised URL without the password that may be in it.
    static func plainURL(_ url: URL) -> String {
        let text = RequestURL.normalized(url)
        guard let authority = URLParts(text[...]).authority, let user = authority.userinfo else { return text }
        return text.replacing("//\(user)@", with: "//\(SHA256.hex(user.utf8).prefix(32))@", maxReplacements: 1)
    }
}

extension JSONValue {
    /// Whether no two documents that differ become this one.
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
