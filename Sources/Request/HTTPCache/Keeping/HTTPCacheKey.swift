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
        CacheKey(start + text(of: url) + "\n" + owner)
    }

    /// What all keys of a URL begin with.
    static func prefix(of url: URL) -> CacheKey {
        CacheKey(start + text(of: url) + "\n")
    }

    /// What all keys of a scheme, host and port begin with.
    static func prefix(ofSite url: URL) -> CacheKey? {
        guard let root = URL(string: "/", relativeTo: url)?.absoluteURL else { return nil }
        return CacheKey(start + text(of: root))
    }

    /// The key of a body that is kept in an entry of its own.
    static func body(_ name: String, of key: CacheKey) -> CacheKey {
        CacheKey((key.text ?? start) + "\n" + name)
    }

    /// The one text of a URL and those that are the same, with a digest for a user and a password in it.
    private static func text(of url: URL) -> String {
        let text = url.absoluteString
        return isNormal(text) ? text : AnswerKey.plainURL(url)
    }

    /// Whether a URL is certainly normalised as it is: nothing in it has a second form, and it has no password.
    static func isNormal(_ text: String) -> Bool {
        var slashes = 0
        var last: UInt8 = 0
        var isInQuery = false
        var port: Int?
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "%"), UInt8(ascii: "#"), UInt8(ascii: "@"), UInt8(ascii: "["), UInt8(ascii: "\\"):
                return false
            case UInt8(ascii: "/"): slashes += 1
            case UInt8(ascii: "?"):
                if slashes < 3 { return false }
                isInQuery = true
            case UInt8(ascii: ".") where last == UInt8(ascii: "/") && !isInQuery: return false
            // The end of the scheme comes before the host, and that of the host before a port.
            case UInt8(ascii: ":") where slashes == 2:
                guard port == nil else { return false }
                port = 0
            case UInt8(ascii: ":") where slashes == 1: return false
            case UInt8(ascii: "0")...UInt8(ascii: "9") where slashes == 2 && port != nil:
                let digit = Int(byte - UInt8(ascii: "0"))
                guard let number = port, number + digit > 0, number < 6_553 else { return false }
                port = number * 10 + digit
            case UInt8(ascii: "A")...UInt8(ascii: "Z") where slashes < 3: return false
            case 0x80...: return false
            case _ where slashes == 2 && port != nil: return false
            default: break
            }
            last = byte
        }
        // It might be the one that goes without saying.
        return slashes >= 3 && port != 0 && port != 80 && port != 443
    }

    /// Whose answers these are: of the identity of the client, or else of the credentials in the request itself; and by which
    /// rules of trust, where it is not the system's.
    static func owner(_ identity: String?, headers: Headers, trust: String?) -> String {
        let owner = identity ?? headers["Authorization"].map { SHA256.hex($0.utf8) } ?? ""
        return trust.map { "\(owner) trust=\($0)" } ?? owner
    }
}
