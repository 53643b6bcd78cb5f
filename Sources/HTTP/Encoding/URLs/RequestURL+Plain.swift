extension RequestURL {
    /// The base URL of a client, validated once. The URL of most requests is then a concatenation.
    package struct PlainBase: Sendable {
        private let text: String
        /// The normalised base URL.
        private let normalized: String

        /// Creates a base; nil if it has a query, a fragment or a user, which must be processed for each request.
        package init?(_ base: URL?) {
            guard let base, let whole = try? RequestURL.make(base: base, path: "").absoluteString,
                !whole.utf8.contains(where: { "?#@".utf8.contains($0) })
            else { return nil }
            text = Self.withoutEnd(whole)
            normalized = URL(string: whole).map { Self.withoutEnd(RequestURL.normalized($0)) } ?? text
        }

        private static func withoutEnd(_ text: String) -> String {
            text.utf8.last == UInt8(ascii: "/") ? String(text.dropLast()) : text
        }

        /// Returns the normalised URL for a path without special characters, in two parts, of which the first need not
        /// be copied; nil for other paths.
        package func normalized(path: String, query: String) -> (base: String, rest: String)? {
            guard Self.isPlain(path) else { return nil }
            return (
                normalized, query.isEmpty ? path : "\(path)?\(RequestURL.withoutNeedlessEscapes(query[...]))"
            )
        }

        private static func isPlain(_ path: String) -> Bool {
            path.utf8.first == UInt8(ascii: "/") && path.utf8.dropFirst().first != UInt8(ascii: "/")
                && path.utf8.allSatisfy(\.isPlainInPath)
        }

        /// Returns the URL for a path without special characters; nil for other paths.
        package func url(path: String, query: String) -> URL? {
            guard Self.isPlain(path) else { return nil }
            return URL(
                string: query.isEmpty ? text + path : "\(text)\(path)?\(query)", encodingInvalidCharacters: false)
        }
    }
}

extension UInt8 {
    /// A Boolean value that indicates whether the character has no special meaning in a path, and cannot be part of a
    /// dot segment.
    fileprivate var isPlainInPath: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}

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
