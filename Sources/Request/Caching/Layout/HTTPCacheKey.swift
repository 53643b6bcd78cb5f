import TangoCache

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The keys of the responses that the HTTP cache stores.
///
/// The URL comes first, so that everything of it can be removed together, whoever it belongs to. The owner comes next.
enum HTTPCacheKey {
    private static let start = "http "

    /// The key of the responses to GET and HEAD of a URL.
    ///
    /// - Parameter host: The host that the request is meant for, if it is not that of the URL.
    static func responses(to url: URL, host: String? = nil, of owner: String) -> CacheKey {
        CacheKey(text(of: url, host) + "\n" + owner)
    }

    /// The key of the responses to a request.
    ///
    /// - Parameter declared: The parts of the key that the request declares.
    static func of(
        _ request: HTTPRequest, identity: String?, _ trust: ServerTrust, _ declared: DeclaredKey? = nil
    ) -> CacheKey {
        let trust = trust.digest(for: request.url.host)
        var owner = owner(identity, headers: request.headers, trust: trust)
        guard let declared else { return responses(to: request.url, host: request.explicitHost, of: owner) }
        if declared.schema != 0 { owner += " schema=\(declared.schema)" }
        guard let own = declared.own else {
            return responses(to: request.url, host: request.explicitHost, of: owner)
        }
        return CacheKey("\(start)own=\(SHA256.hex(own.bytes))\n\(owner)")
    }

    /// What all keys of a URL begin with.
    static func prefix(of url: URL, host: String? = nil) -> CacheKey {
        CacheKey(text(of: url, host) + "\n")
    }

    /// What all keys of a scheme, host and port begin with.
    static func prefix(ofSite url: URL, host: String? = nil) -> CacheKey? {
        guard let root = URL(string: "/", relativeTo: url)?.absoluteURL else { return nil }
        return CacheKey(text(of: root, host))
    }

    /// The places of a response: those of its key, and those of its URL.
    static func places(of key: CacheKey, to request: HTTPRequest) -> [ChangeLog.Place] {
        let places = places(of: key)
        guard places.count == 1 else { return places }
        let host = request.explicitHost
        let site = prefix(ofSite: request.url, host: host).map { ChangeLog.Place.site($0) }
        return places + [.url(prefix(of: request.url, host: host))] + [site].compactMap(\.self)
    }

    /// The places that a key is in: its own, that of its URL, and that of its site.
    private static func places(of key: CacheKey) -> [ChangeLog.Place] {
        guard let text = key.text, let end = text.utf8.firstIndex(of: UInt8(ascii: "\n")),
            let scheme = text.utf8[..<end].firstRange(of: "://".utf8),
            let slash = text.utf8[scheme.upperBound..<end].firstIndex(of: UInt8(ascii: "/"))
        else { return [.key(key)] }
        return [.key(key), .url(CacheKey(String(text[...end]))), .site(CacheKey(String(text[...slash])))]
    }

    /// The key of a body that is kept in an entry of its own.
    static func body(_ name: String, of key: CacheKey) -> CacheKey {
        CacheKey((key.text ?? start) + "\n" + name)
    }

    /// The one text of a URL and those that are the same, with a digest for a user and a password in it.
    private static func text(of url: URL, _ host: String?) -> String {
        let text = url.absoluteString
        return start + (host.map { $0 + " " } ?? "") + (isNormal(text) ? text : ResponseKey.plainURL(url))
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

    /// Whose responses these are: those of the identity of the client, or else of the credentials in the request itself; and by
    /// which rules of trust, where they are not the system's.
    static func owner(_ identity: String?, headers: Headers, trust: String?) -> String {
        let owner = identity.map { SHA256.hex($0.utf8) } ?? Credentials.digest(of: headers) ?? ""
        return trust.map { "\(owner) trust=\($0)" } ?? owner
    }
}

extension HTTPRequest {
    /// The host that the request is meant for, if it is not that of its URL.
    var explicitHost: String? { TargetHost.explicit(in: headers, url: url.absoluteString) }
}
