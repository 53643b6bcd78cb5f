/// The keys of the responses that the HTTP cache stores.
///
/// The URL comes first, so that all responses of a URL can be removed together, whatever their owner. The owner comes
/// next.
enum HTTPCacheKey {
    private static let start = "http "

    /// Returns the key of the responses to GET and HEAD of a URL.
    ///
    /// - Parameter host: The host that the request is meant for, if it is not that of the URL.
    static func responses(to url: URL, host: String? = nil, of owner: String) -> CacheKey {
        var text = text(of: url, host, before: owner.utf8.count + 1)
        text += "\n"
        text += owner
        return CacheKey(text)
    }

    /// Returns the key of the responses to a request.
    ///
    /// - Parameter declared: The parts of the key that the request declares.
    static func of(
        _ request: HTTPRequest, identity: Identity, _ trust: ServerTrust, _ declared: DeclaredKey? = nil
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

    /// Returns the prefix of all keys of a URL.
    static func prefix(of url: URL, host: String? = nil) -> CacheKey {
        CacheKey(text(of: url, host) + "\n")
    }

    /// Returns the prefix of all keys of a scheme, host and port.
    static func prefix(ofSite url: URL, host: String? = nil) -> CacheKey? {
        guard let root = URL(string: "/", relativeTo: url)?.absoluteURL else { return nil }
        return CacheKey(text(of: root, host))
    }

    /// Returns the places of a response: those of its key, and those of its URL.
    static func places(of key: CacheKey, to request: HTTPRequest) -> [ChangeLog.Place] {
        let places = places(of: key)
        guard places.count == 1 else { return places }
        let host = request.explicitHost
        let site = prefix(ofSite: request.url, host: host).map { ChangeLog.Place.site($0) }
        return places + [.url(prefix(of: request.url, host: host))] + [site].compactMap(\.self)
    }

    /// Returns the places of a key: the key itself, its URL and its site.
    private static func places(of key: CacheKey) -> [ChangeLog.Place] {
        guard let text = key.text, let end = text.utf8.firstIndex(of: UInt8(ascii: "\n")),
            let scheme = text.utf8[..<end].firstRange(of: "://".utf8),
            let slash = text.utf8[scheme.upperBound..<end].firstIndex(of: UInt8(ascii: "/"))
        else { return [.key(key)] }
        return [.key(key), .url(CacheKey(String(text[...end]))), .site(CacheKey(String(text[...slash])))]
    }

    /// Returns the key of a body that has an entry of its own.
    static func body(_ name: String, of key: CacheKey) -> CacheKey {
        CacheKey((key.text ?? start) + "\n" + name)
    }

    /// Returns the text that a URL shares with all equivalent URLs. A user and a password in it are replaced by a
    /// digest.
    ///
    /// - Parameter count: The number of bytes that will follow. The text has room for them.
    private static func text(of url: URL, _ host: String?, before count: Int = 1) -> String {
        var address = url.absoluteString
        if !isNormal(address) { address = ResponseKey.plainURL(url) }
        var text = ""
        text.reserveCapacity(start.utf8.count + (host?.utf8.count ?? 0) + 1 + address.utf8.count + count)
        text += start
        if let host { text += "\(host) " }
        text += address
        return text
    }

    /// Returns true if a URL is certainly normalised, and has no user or password.
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
            // A colon before any slash ends the scheme. A colon after two slashes begins the port.
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
        // 80 and 443 may be the default port of the scheme, which a normalised URL omits.
        return slashes >= 3 && port != 0 && port != 80 && port != 443
    }

    /// Returns the owner of a response: the identity of the client, or without one the credentials of the request.
    /// Rules of trust are added if they are not those of the system.
    static func owner(_ identity: Identity, headers: Headers, trust: String?) -> String {
        let owner = identity.digest ?? Credentials.digest(of: headers) ?? ""
        return trust.map { "\(owner) trust=\($0)" } ?? owner
    }
}

extension HTTPRequest {
    /// The host that the request is meant for, if it is not that of its URL.
    var explicitHost: String? { TargetHost.explicit(in: headers, url: url.absoluteString) }
}
