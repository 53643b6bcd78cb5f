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
