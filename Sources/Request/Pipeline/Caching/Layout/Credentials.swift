import Synchronization

/// The credentials that a request carries: the header fields, and the parts of its URL, that ``Redaction`` counts as
/// secret.
///
/// If a client has no identity, the digest of these header fields is part of every key.
package enum Credentials {
    /// Returns the digest of all fields that hold credentials; nil if there are none.
    package static func digest(of headers: Headers) -> String? {
        let fields = fields(of: headers)
        guard !fields.isEmpty else { return nil }
        return SHA256.hex(fields.flatMap { Array("\($0.name)\u{0}\($0.value)\u{0}".utf8) })
    }

    /// Returns the digests of all fields that hold credentials, by their names in lower case and in alphabetical order.
    static func digests(of headers: Headers) -> [(name: String, digest: String)] {
        var result: [(name: String, digest: String)] = []
        for field in fields(of: headers) where result.last?.name != field.name {
            let value = headers.all(field.name).joined(separator: ",")
            result.append((field.name, String(SHA256.hex(value.utf8).prefix(32))))
        }
        return result
    }

    /// Returns whether two requests carry the same credentials.
    static func areSame(_ one: HTTPRequest, _ other: HTTPRequest) -> Bool {
        let (fields, others) = (fields(of: one.headers), fields(of: other.headers))
        guard fields.count == others.count,
            zip(fields, others).allSatisfy({ $0.name == $1.name && $0.value.hasSameBytes(as: $1.value) })
        else { return false }
        let (url, otherURL) = (one.url.absoluteString, other.url.absoluteString)
        guard !url.hasSameBytes(as: otherURL) else { return true }
        return secrets(of: url).elementsEqual(secrets(of: otherURL)) { $0.hasSameBytes(as: $1) }
    }

    /// Returns the fields that hold credentials, with their names in lower case and in alphabetical order.
    private static func fields(of headers: Headers) -> [Headers.Field] {
        var fields: [Headers.Field] = []
        for field in headers.fields where isCredential(field.name) {
            fields.append(Headers.Field(name: field.name[...].lowercasedToken, value: field.value))
        }
        // Sorting is stable: fields of one name stay in their order.
        return fields.count > 1 ? fields.ordered { $0.name < $1.name } : fields
    }

    /// Returns the user and password of a URL, and the items of its query that hold credentials.
    private static func secrets(of url: String) -> [String] {
        let parts = URLParts(url[...])
        let items = (parts.query ?? "").split(separator: "&").filter { item in
            Redaction.standard.hides(queryItem: PercentEncoding.decode(item.prefix { $0 != "=" }))
        }
        return [String(parts.authority?.userinfo ?? "")] + items.map(String.init)
    }

    // MARK: Names

    /// Returns whether a field holds credentials.
    static func isCredential(_ name: String) -> Bool {
        if let isKnown = isCommonCredential(name) { return isKnown }
        let key = ExactString(name)
        if let isKnown = known.withLock({ $0[key] }) { return isKnown }
        let isCredential = Redaction.standard.hides(header: name)
        known.withLock { known in
            if known.count >= limit { known = [:] }
            known[key] = isCredential
        }
        return isCredential
    }

    /// Returns whether a common field holds credentials; nil for any other field.
    private static func isCommonCredential(_ name: String) -> Bool? {
        switch name.utf8.count {
        case 4 where name.isSameField(as: "Host"): false
        case 5 where name.isSameField(as: "Range"): false
        case 6 where name.isSameField(as: "Accept"): false
        case 6 where name.isSameField(as: "Cookie"): true
        case 10 where name.isSameField(as: "User-Agent"): false
        case 12 where name.isSameField(as: "Content-Type"): false
        case 13 where name.isSameField(as: "Authorization"): true
        case 13 where name.isSameField(as: "Cache-Control"): false
        case 13 where name.isSameField(as: "If-None-Match"): false
        case 15 where name.isSameField(as: "Accept-Language"): false
        case 15 where name.isSameField(as: "Accept-Encoding"): false
        default: nil
        }
    }

    /// The names that were looked up. The check of a name takes longer than a response from memory.
    private static let known = Mutex<[ExactString: Bool]>([:])
    /// The highest number of remembered names. Once it is reached, all are removed: an application uses a few.
    private static let limit = 256
}
