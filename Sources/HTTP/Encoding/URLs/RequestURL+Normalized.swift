extension RequestURL {
    /// Returns a text that is the same for all equivalent URLs, by RFC 3986 (6.2.2) and the rules of the scheme. Cache
    /// keys use it.
    ///
    /// Scheme and host are in lower case. `%XX` is in upper case, and only where it makes a difference. An empty path
    /// becomes `/`. The default port and the fragment, which is never sent, are removed. The order of a query, an empty
    /// query, empty segments and a final slash stay, because they make a difference to servers.
    ///
    /// Dot segments stay too, in plain and encoded form, because they are sent unchanged. A server may read
    /// `/files/../me` as `/me` or as something else. The URLs of endpoints have none: see ``RequestURL``.
    package static func normalized(_ url: URL) -> String {
        let text = url.absoluteString
        let parts = URLParts(text[...])
        var result = ""
        if let scheme = parts.scheme { result += scheme.lowercased() + ":" }
        if let authority = parts.authority {
            result += "//"
            if let userinfo = authority.userinfo { result += userinfo + "@" }
            result += authority.withoutDefaultPort(parts.scheme)
        }
        let path = withoutNeedlessEscapes(inPath: parts.path)
        result += path.isEmpty && parts.authority != nil ? "/" : path
        if let query = parts.query { result += "?" + withoutNeedlessEscapes(query) }
        return result
    }

    /// Normalises the escapes of a path. Encoded dot segments stay encoded.
    private static func withoutNeedlessEscapes(inPath path: Substring) -> String {
        guard path.utf8.contains(UInt8(ascii: "%")) else { return String(path) }
        let segments = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map { segment in
            let segment = Substring(segment)
            return isDots(segment) ? segment.replacing("%2e", with: "%2E") : withoutNeedlessEscapes(segment)[...]
        }
        return segments.joined(separator: "/")
    }

    /// Decodes characters that need no escape, and writes all other escapes in upper case.
    package static func withoutNeedlessEscapes(_ text: Substring) -> String {
        guard text.utf8.contains(UInt8(ascii: "%")) else { return String(text) }
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            if byte == UInt8(ascii: "%"), index + 2 < bytes.count, let high = bytes[index + 1].hexadecimalValue,
                let low = bytes[index + 2].hexadecimalValue
            {
                let value = high << 4 | low
                result += value.isUnreserved ? [value] : [byte, high.hexadecimalDigit, low.hexadecimalDigit]
                index += 3
            } else {
                result.append(byte)
                index += 1
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Resolves `.` and `..` (RFC 3986, 5.2.4).
    static func withoutDotSegments(_ path: String) -> String {
        guard path.utf8.first == UInt8(ascii: "/"), path.utf8.contains(UInt8(ascii: ".")) else { return path }
        let segments = path.utf8.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        var result: [Substring] = []
        for (index, segment) in segments.enumerated() {
            let isLast = index == segments.count - 1
            switch Substring(segment) {
            case ".": if isLast { result.append("") }
            case "..":
                _ = result.popLast()
                if isLast { result.append("") }
            case let other: result.append(other)
            }
        }
        return "/" + result.joined(separator: "/")
    }
}
