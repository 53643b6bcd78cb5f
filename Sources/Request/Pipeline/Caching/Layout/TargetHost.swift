/// The host that a request is meant for, if its `Host` field names another one than its URL (RFC 9110, 7.1).
///
/// The host is part of every key, so that two tenants behind one address share no response.
enum TargetHost {
    /// Returns the normalised host; nil if the request has no `Host` field, or one that says the same as the URL.
    static func explicit(in headers: Headers, url: @autoclosure () -> String) -> String? {
        guard let value = headers["Host"] else { return nil }
        let parts = URLParts(url()[...])
        let host = normalized(value[...], scheme: parts.scheme)
        guard let authority = parts.authority else { return host }
        let own = authority.port.map { "\(authority.host):\($0)" } ?? String(authority.host)
        return host.hasSameBytes(as: normalized(own[...], scheme: parts.scheme)) ? nil : host
    }

    /// Returns whether two requests have the same `Host` field, or both have none.
    static func isSame(_ one: Headers, _ other: Headers) -> Bool {
        one["Host"].hasSameBytes(as: other["Host"])
    }

    /// Returns the host in lower case, without the port of its scheme. Text that cannot be a host is replaced by its
    /// digest.
    private static func normalized(_ text: Substring, scheme: Substring?) -> String {
        var host = text.withoutBlanks.lowercasedToken
        let port = scheme.map { String($0)[...].lowercasedToken == "https" ? ":443" : ":80" }
        if let port, host.hasSuffix(port) { host.removeLast(port.count) }
        if host.utf8.last == UInt8(ascii: ":") { host.removeLast() }
        let isPlain = host.utf8.allSatisfy { $0.isLetter || $0.isDigit || "-._:[]".utf8.contains($0) }
        return isPlain ? host : SHA256.hex(host.utf8)
    }
}
