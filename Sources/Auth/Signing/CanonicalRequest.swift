/// The text of a request that a signature of version 4 covers: a pure function.
struct CanonicalRequest {
    let text: String
    /// The names of the signed headers.
    let names: String

    /// - Parameters:
    ///   - payload: The SHA-256 of the body, or the text that stands for it.
    ///   - signsSentPath: A Boolean value that indicates whether the path is signed as it is sent. Most services sign it
    ///     encoded once more.
    init(_ request: HTTPRequest, payload: String, signsSentPath: Bool) {
        let parts = URLParts(request.url.absoluteString[...])
        let fields = Self.fields(of: request, parts)
        names = fields.map(\.name).joined(separator: ";")
        let lines = [
            request.method.rawValue, Self.path(parts.path, asSent: signsSentPath), Self.query(parts.query ?? ""),
            fields.map { "\($0.name):\($0.value)\n" }.joined(), names, payload,
        ]
        text = lines.joined(separator: "\n")
    }

    // MARK: The URL

    private static func path(_ path: Substring, asSent: Bool) -> String {
        guard !path.isEmpty else { return "/" }
        guard !asSent else { return String(path) }
        // Empty segments are left out, as the signers of AWS do.
        let segments = path.utf8.split(separator: UInt8(ascii: "/")).map { encoded($0) }
        let isFolder = path.utf8.last == UInt8(ascii: "/") && !segments.isEmpty
        return "/" + segments.joined(separator: "/") + (isFolder ? "/" : "")
    }

    private static func query(_ query: Substring) -> String {
        let items = query.utf8.split(separator: UInt8(ascii: "&")).map { item -> (name: String, value: String) in
            let equals = item.firstIndex(of: UInt8(ascii: "=")) ?? item.endIndex
            return (encoded(decoded(item[..<equals])), encoded(decoded(item[equals...].dropFirst())))
        }
        return items.sorted { one, other in
            one.name.hasSameBytes(as: other.name)
                ? one.value.utf8.lexicographicallyPrecedes(other.value.utf8)
                : one.name.utf8.lexicographicallyPrecedes(other.name.utf8)
        }.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
    }

    private static func encoded(_ bytes: some Sequence<UInt8>) -> String { bytes.map(\.percentEncoded).joined() }

    private static func decoded(_ text: Substring.UTF8View) -> [UInt8] {
        // The bytes need not be UTF-8.
        PercentEncoding.bytes(decoding: Substring(text), plusAsSpace: false) ?? Array(text)
    }

    // MARK: The headers

    /// The headers that proxies and transports change or add, so that they are not signed.
    private static let unsigned: Set = [
        "accept-encoding", "authorization", "connection", "content-length", "expect", "proxy-authorization", "te",
        "traceparent", "tracestate", "trailer", "transfer-encoding", "upgrade", "user-agent", "via", "x-amzn-trace-id",
    ]

    private static func fields(of request: HTTPRequest, _ parts: URLParts) -> [(name: String, value: String)] {
        var values: [String: [String]] = [:]
        for field in request.headers {
            let name = field.name[...].lowercasedToken
            if !unsigned.contains(name) { values[name, default: []].append(trimmed(field.value)) }
        }
        if values["host"] == nil { values["host"] = [host(of: request.url, parts)] }
        if values["content-type"] == nil, let type = request.body.contentType {
            values["content-type"] = [trimmed(type)]
        }
        return values.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
            .map { ($0.key, $0.value.joined(separator: ",")) }
    }

    /// The host as it is sent: with the port, unless it is that of the scheme.
    private static func host(of url: URL, _ parts: URLParts) -> String {
        let host = parts.authority.map { String($0.host) } ?? ""
        guard let address = try? ServerAddress(url), address.port != (address.isSecure ? 443 : 80) else { return host }
        return "\(host):\(address.port)"
    }

    /// The value without blanks around it, and with one space for several within it.
    private static func trimmed(_ value: String) -> String {
        value.split(whereSeparator: { $0 == " " || $0 == "\t" }).joined(separator: " ")
    }
}

extension UInt8 {
    /// The byte as text, as `%XX` unless it may be anywhere in a URL.
    var percentEncoded: String { isUnreserved ? String(Unicode.Scalar(self)) : "%" + [self].hexadecimal.uppercased() }
}
