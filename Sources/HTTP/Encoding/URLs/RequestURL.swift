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
    /// - Throws: A ``RequestEncodingError`` that names the invalid part.
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
