import TangoCache

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Under which names what is known of a URL is kept.
///
/// The URL comes first, so that everything of it can be removed together, whoever it belongs to; whose it is comes next.
enum HTTPCacheKey {
    private static let start = "http "

    /// The key of the responses to GET and HEAD of a URL.
    static func responses(to url: URL, of owner: String) -> CacheKey {
        CacheKey(start + RequestURL.normalized(url) + "\n" + owner)
    }

    /// What all keys of a URL begin with.
    static func prefix(of url: URL) -> CacheKey {
        CacheKey(start + RequestURL.normalized(url) + "\n")
    }

    /// What all keys of a scheme, host and port begin with.
    static func prefix(ofSite url: URL) -> CacheKey? {
        guard let root = URL(string: "/", relativeTo: url)?.absoluteURL else { return nil }
        return CacheKey(start + RequestURL.normalized(root))
    }

    /// The key of a body that is kept in an entry of its own.
    static func body(_ name: String, of key: CacheKey) -> CacheKey {
        CacheKey((key.text ?? start) + "\n" + name)
    }

    /// Whose answers these are: of the identity of the client, or else of the credentials in the request itself.
    static func owner(_ identity: String?, headers: Headers) -> String {
        if let identity { return identity }
        return headers["Authorization"].map { SHA256.hex($0.utf8) } ?? ""
    }
}
