#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension RequestURL {
    /// What stands before the paths of a client, looked at once, so that most URLs need no more than being put together.
    struct PlainBase: Sendable {
        private let text: String

        /// Nil where the base has anything that has to be taken apart each time.
        init?(_ base: URL?) {
            guard let base, let whole = try? RequestURL.make(base: base, path: "").absoluteString,
                !whole.utf8.contains(where: { "?#@".utf8.contains($0) })
            else { return nil }
            text = whole.utf8.last == UInt8(ascii: "/") ? String(whole.dropLast()) : whole
        }

        /// The URL of a path that stays as it is; nil for all others.
        func url(path: String, query: String) -> URL? {
            guard path.utf8.first == UInt8(ascii: "/"), path.utf8.dropFirst().first != UInt8(ascii: "/"),
                path.utf8.allSatisfy(\.isPlainInPath)
            else { return nil }
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
