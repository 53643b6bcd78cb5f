#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension RequestURL {
    /// What stands before the paths of a client, looked at once, so that most URLs need no more than being put together.
    struct PlainBase: Sendable {
        private let text: String
        /// The same, normalised.
        private let normalized: String

        /// Nil where the base has anything that has to be taken apart each time.
        init?(_ base: URL?) {
            guard let base, let whole = try? RequestURL.make(base: base, path: "").absoluteString,
                !whole.utf8.contains(where: { "?#@".utf8.contains($0) })
            else { return nil }
            text = Self.withoutEnd(whole)
            normalized = URL(string: whole).map { Self.withoutEnd(RequestURL.normalized($0)) } ?? text
        }

        private static func withoutEnd(_ text: String) -> String {
            text.utf8.last == UInt8(ascii: "/") ? String(text.dropLast()) : text
        }

        /// The normalised URL of a path that stays as it is, as text; nil for all others.
        func normalized(path: String, query: String) -> String? {
            guard Self.isPlain(path) else { return nil }
            return query.isEmpty
                ? normalized + path : "\(normalized)\(path)?\(RequestURL.withoutNeedlessEscapes(query[...]))"
        }

        private static func isPlain(_ path: String) -> Bool {
            path.utf8.first == UInt8(ascii: "/") && path.utf8.dropFirst().first != UInt8(ascii: "/")
                && path.utf8.allSatisfy(\.isPlainInPath)
        }

        /// The URL of a path that stays as it is; nil for all others.
        func url(path: String, query: String) -> URL? {
            guard Self.isPlain(path) else { return nil }
            return URL(
                string: query.isEmpty ? text + path : "\(text)\(path)?\(query)", encodingInvalidCharacters: false)
        }
    }
}

extension UInt8 {
    /// Whether a character means nothing but itself in a path, not even part of a dot segment.
    fileprivate var isPlainInPath: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
