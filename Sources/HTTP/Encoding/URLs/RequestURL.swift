/// Builds the URL of a request from the base URL of its client, its path and its query.
///
/// - The path is appended to that of the base URL, with one slash between: `https://h/v1` and `/users` make
///   `https://h/v1/users`. An empty path keeps the path of the base URL, which is at least `/`. A path that begins with
///   `//` is an ordinary path, so text in a path cannot set the host.
/// - A path with a scheme and `://` is a whole URL, and the base URL is not used.
/// - A `?` in the path begins a query and a `#` a fragment, as in any URL. `PercentEncoding.path(segments:)` encodes
///   both, for text that comes from outside.
/// - `%XX` in a path stays as it is. Characters that a path cannot contain are encoded.
/// - A path with a segment `.` or `..`, plain or encoded, is rejected, because text in it would lead out of its folder.
///   In a whole URL and in the base URL, plain segments are resolved (RFC 3986, 5.2.4), and encoded ones are rejected.
///   So a response is cached under the URL that was sent.
/// - The queries of the base URL and of the path come first, unchanged, then the query. Only the fragment of the path
///   remains.
package enum RequestURL {
    /// Returns the URL of a request.
    ///
    /// - Throws: An error that names the invalid part.
    package static func make(
        base: URL?, path: String, query: Query = [:], style: QueryStyle = QueryStyle()
    ) throws -> URL {
        let place = try isAbsolute(path) ? Place(whole: path) : Place(base: base, path: path)
        let text = try place.text(query: query.encoded(style))
        // The text is encoded ASCII, so Foundation must not change it.
        guard let url = URL(string: text, encodingInvalidCharacters: false), url.absoluteString == text else {
            throw RequestEncodingError(
                .badURL, "\(shown(text)) is not a URL: encode text from outside with PercentEncoding")
        }
        return url
    }

    /// Returns whether a path is a whole URL.
    private static func isAbsolute(_ path: String) throws -> Bool {
        let parts = URLParts(path[...])
        let hasSlashes = parts.authority != nil
        switch parts.scheme?.lowercased() {
        case "http" where !hasSlashes, "https" where !hasSlashes:
            throw RequestEncodingError(.badHost, "\(shown(path)) has no host: write two slashes after the colon")
        case .some:
            return hasSlashes
        case nil where path.utf8.starts(with: "://".utf8):
            throw RequestEncodingError(.noScheme, "\(shown(path)) has no scheme: begin it with https:// or http://")
        case nil:
            return false
        }
    }

    /// Returns a text for an error message: shortened, without password and query, and with visible control characters.
    package static func shown(_ text: String) -> String {
        var text = URLParts(path: text[...]).path
        let start = text.utf8.firstRange(of: "//".utf8)?.upperBound ?? text.startIndex
        let end = text.utf8[start...].firstIndex(of: UInt8(ascii: "/")) ?? text.endIndex
        if let at = text.utf8[start..<end].lastIndex(of: UInt8(ascii: "@")) {
            text = text[..<start] + "…" + text[at...]
        }
        return text.count > 200 ? (text.prefix(200) + "…").debugDescription : text.debugDescription
    }
}

extension RequestURL {
    /// A URL without the query of the request.
    struct Place {
        /// The scheme, user, host and port.
        private let origin: String
        private let path: String
        private let queries: [Substring]
        private let fragment: Substring?
    }
}

extension RequestURL.Place {
    /// Parses a whole URL.
    init(whole text: String) throws {
        try RequestURL.check(text, "the URL")
        let parts = URLParts(text[...])
        origin = try RequestURL.origin(of: parts, in: text, "the URL")
        try RequestURL.checkDots(parts.path, plain: false)
        path = parts.path.isEmpty ? "/" : RequestURL.withoutDotSegments(String(parts.path))
        queries = [parts.query].compactMap(\.self)
        fragment = parts.fragment
    }

    /// Appends a path to a base URL.
    init(base: URL?, path: String) throws {
        try RequestURL.check(path, "the path")
        guard let base else {
            throw RequestEncodingError(
                .noBase,
                "the path \(RequestURL.shown(path)) is relative, and the client has no base URL: "
                    + "create the client with one, or write a whole URL, with https://")
        }
        let text = base.absoluteString
        try RequestURL.check(text, "the base URL")
        let start = URLParts(text[...])
        let end = URLParts(path: path[...])
        origin = try RequestURL.origin(of: start, in: text, "the base URL")
        try RequestURL.checkDots(start.path, plain: false)
        try RequestURL.checkDots(end.path, plain: true)
        self.path = Self.join(RequestURL.withoutDotSegments(String(start.path))[...], end.path)
        queries = [start.query, end.query].compactMap(\.self)
        fragment = end.fragment
    }

    /// Returns the URL, in ASCII, with the encoded query of the request.
    func text(query: String) throws -> String {
        let path = PercentEncoding.complete(path, .strictPath)
        var text = origin + path
        var separator = "?"
        for part in queries.map({ PercentEncoding.complete(String($0), .strictQuery) }) + (query.isEmpty ? [] : [query])
        {
            text += separator + part
            separator = part.isEmpty || part.utf8.last == UInt8(ascii: "&") ? "" : "&"
        }
        if let fragment { text += "#" + PercentEncoding.complete(String(fragment), .strictFragment) }
        return text
    }

    /// Joins two paths, with one slash between them.
    private static func join(_ base: Substring, _ path: Substring) -> String {
        let slash = UInt8(ascii: "/")
        if path.isEmpty { return base.isEmpty ? "/" : String(base) }
        let start = base.utf8.last == slash ? Substring(base.utf8.dropLast()) : base
        let end = path.utf8.first == slash ? Substring(path.utf8.dropFirst()) : path
        return "\(start)/\(end)"
    }
}

extension RequestURL {
    /// Throws if a text contains a control character. A line break, for example, could end the first line of a request.
    static func check(_ text: String, _ what: String) throws {
        guard text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7f }) else { return }
        throw RequestEncodingError(
            .controlCharacter,
            "\(what) \(shown(text)) contains a control character: remove it, or encode text from outside with "
                + "PercentEncoding.path(segments:)")
    }

    /// Returns whether a segment of a path is `.` or `..`, in plain or encoded form.
    static func isDots(_ segment: some StringProtocol) -> Bool {
        guard segment.utf8.count <= 6, let first = segment.utf8.first,
            first == UInt8(ascii: ".") || first == UInt8(ascii: "%")
        else { return false }
        let text = String(segment)[...].lowercasedToken.replacing("%2e", with: ".")
        return text == "." || text == ".."
    }

    /// Throws if a path has a segment `.` or `..`, because such text would change which resource the path names.
    ///
    /// - Parameter plain: A Boolean value that indicates whether segments in plain form are rejected as well as encoded
    ///   ones.
    static func checkDots(_ path: Substring, plain: Bool) throws {
        guard path.utf8.contains(where: { $0 == UInt8(ascii: "%") || plain && $0 == UInt8(ascii: ".") }) else { return }
        for segment in path.utf8.split(separator: UInt8(ascii: "/")).map({ Substring($0) }) where isDots(segment) {
            guard plain || segment.utf8.contains(UInt8(ascii: "%")) else { continue }
            throw RequestEncodingError(
                .dotSegment,
                "the path \(shown(String(path))) has the segment \(String(segment).debugDescription), which leads out of its "
                    + "folder: remove it, and check text that you put into paths")
        }
    }

    /// Validates and returns the scheme, user, host and port of a URL.
    static func origin(of parts: URLParts, in text: String, _ what: String) throws -> String {
        guard let scheme = parts.scheme else {
            throw RequestEncodingError(
                .noScheme, "\(what) \(shown(text)) has no scheme: begin it with https:// or http://")
        }
        guard ["http", "https"].contains(scheme.lowercased()) else {
            let advice = parts.authority == nil ? "begin it with https:// or http://" : "use http or https"
            throw RequestEncodingError(
                .unsupportedScheme, "\(what) \(shown(text)) has the scheme “\(scheme)”: \(advice)")
        }
        guard let authority = parts.authority, !authority.host.isEmpty else {
            throw RequestEncodingError(
                .badHost, "\(what) \(shown(text)) has no host: write it as in https://example.com")
        }
        guard authority.hasValidHost else {
            let host = String(authority.host).debugDescription
            throw RequestEncodingError(
                .badHost,
                "\(what) has the invalid host \(host): write an address, or a name in ASCII, which begins with xn-- for others"
            )
        }
        var origin = "\(scheme)://"
        if let userinfo = authority.userinfo {
            origin += PercentEncoding.complete(String(userinfo), .strictUserinfo) + "@"
        }
        origin += authority.host
        guard let port = authority.port else { return origin }
        guard port.isEmpty || (port.utf8.allSatisfy(\.isDigit) && (UInt16(port) ?? 0) > 0) else {
            throw RequestEncodingError(
                .badPort, "\(what) has the invalid port \(String(port).debugDescription): use a number from 1 to 65535")
        }
        return "\(origin):\(port)"
    }
}

extension URLParts.Authority {
    /// A Boolean value that indicates whether the host is a name in ASCII, an IPv4 address, or an IPv6 address in
    /// brackets.
    package var hasValidHost: Bool {
        let bytes = host.utf8
        guard bytes.first == UInt8(ascii: "[") else {
            return bytes.contains { $0.isLetter || $0.isDigit }
                && bytes.allSatisfy { $0.isLetter || $0.isDigit || "-._".utf8.contains($0) }
        }
        guard bytes.last == UInt8(ascii: "]") else { return false }
        let address = bytes.dropFirst().dropLast()
        let end = address.firstIndex(of: UInt8(ascii: "%")) ?? address.endIndex
        return address[..<end].count(where: { $0 == UInt8(ascii: ":") }) >= 2
            && address[..<end].allSatisfy {
                $0.hexadecimalValue != nil || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".")
            }
            && address[end...].allSatisfy { $0.isUnreserved || $0 == UInt8(ascii: "%") }
    }
}
