#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Makes the URL of a request of the base URL of its client, its path and its query.
///
/// - The path is put after the one of the base: `https://h/v1` and `/users` make `https://h/v1/users`, whether the base
///   ends with a slash and the path begins with one or not. An empty path leaves that of the base as it is, and `/` is
///   the least. A path that begins with `//` is a path like any other, so that no text put into a path names a host.
/// - A path with a scheme and `://` is a URL of its own, and the base is not used.
/// - A `?` in the path begins a query and a `#` a fragment, as in any URL. `PercentEncoding.path(segments:)` encodes
///   both, for text that comes from elsewhere.
/// - `%XX` in a path stays as it is; what a path cannot hold is encoded.
/// - A path with a segment `.` or `..`, as it is or encoded, is refused, because text that was put into it would lead out of its
///   folder. A URL of its own, such as a link, and the base have such segments resolved (RFC 3986, 5.2.4); encoded ones are
///   refused there too. So what is sent is what its response is cached under.
/// - The queries of the base and of the path come first, as they are written, then the query. Only the fragment of the
///   path is kept.
package enum RequestURL {
    /// The URL of a request.
    ///
    /// - Throws: A ``RequestEncodingError`` that says which part was wrong.
    package static func make(
        base: URL?, path: String, query: Query = [:], style: QueryStyle = QueryStyle()
    ) throws -> URL {
        let place = try isAbsolute(path) ? Place(whole: path) : Place(base: base, path: path)
        let text = try place.text(query: query.encoded(style))
        // The text is ASCII, and encoded where it must be, so that Foundation finds nothing to change.
        guard let url = URL(string: text, encodingInvalidCharacters: false), url.absoluteString == text else {
            throw RequestEncodingError(.badURL, "\(shown(text)) is not a URL.")
        }
        return url
    }

    /// Whether a path is a URL of its own.
    private static func isAbsolute(_ path: String) throws -> Bool {
        let parts = URLParts(path[...])
        let hasSlashes = parts.authority != nil
        switch parts.scheme?.lowercased() {
        case "http" where !hasSlashes, "https" where !hasSlashes:
            throw RequestEncodingError(.badHost, "\(shown(path)) has no host: two slashes come after the colon.")
        case .some:
            return hasSlashes
        case nil where path.utf8.starts(with: "://".utf8):
            throw RequestEncodingError(.noScheme, "\(shown(path)) has no scheme: is https missing at its beginning?")
        case nil:
            return false
        }
    }

    /// Text for an error message: without password and query, not endless, and with visible control characters.
    static func shown(_ text: String) -> String {
        var text = URLParts(path: text[...]).path
        let start = text.utf8.firstRange(of: "//".utf8)?.upperBound ?? text.startIndex
        let end = text.utf8[start...].firstIndex(of: UInt8(ascii: "/")) ?? text.endIndex
        if let at = text.utf8[start..<end].lastIndex(of: UInt8(ascii: "@")) {
            text = text[..<start] + "…" + text[at...]
        }
        return text.count > 200 ? (text.prefix(200) + "…").debugDescription : text.debugDescription
    }
}
