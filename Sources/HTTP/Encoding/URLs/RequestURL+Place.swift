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
