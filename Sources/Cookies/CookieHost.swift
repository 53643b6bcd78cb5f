/// The host of a request, as cookies see it. Names are compared by their bytes, in lower case.
struct CookieHost: Hashable, Sendable {
    let name: String
    /// A Boolean value that indicates whether the host is an address, which has no hosts above it.
    let isAddress: Bool
    /// A Boolean value that indicates whether secure cookies are sent to the host: over `https`, and to this device.
    let isSecure: Bool

    init(_ server: ServerAddress) {
        let address = HostName.address(server.host)
        isAddress = address != nil
        name = (address ?? server.host) + (server.zone.map { "%" + $0 } ?? "")
        isSecure = server.isSecure || server.isThisDevice
    }

    /// Creates the host of a URL; nil if no request can be sent to it.
    init?(_ url: URL) {
        guard let server = try? ServerAddress(url) else { return nil }
        self.init(server)
    }

    func matches(domain: String) -> Bool {
        name.hasSameBytes(as: domain) || !isAddress && Self.isDomain(name, below: domain)
    }

    /// Returns whether a name ends in a dot and a domain.
    static func isDomain(_ name: String, below domain: String) -> Bool {
        let (name, domain) = (name.utf8, domain.utf8)
        let difference = name.count - domain.count
        guard difference > 0, !domain.isEmpty else { return false }
        let end = name.dropFirst(difference - 1)
        return end.first == UInt8(ascii: ".") && end.dropFirst().elementsEqual(domain)
    }

    /// The domains whose cookies the host may get: its own name first.
    var domains: [String] { isAddress ? [name] : Self.domains(of: name) }

    /// Returns a name and the domains above it, from the longest to the shortest.
    static func domains(of name: String) -> [String] {
        var domains = [name]
        var rest = name.utf8[...]
        while let dot = rest.firstIndex(of: UInt8(ascii: ".")) {
            rest = rest[rest.index(after: dot)...]
            if !rest.isEmpty { domains.append(String(Substring(rest))) }
        }
        return domains
    }
}

/// The paths of cookies (RFC 6265bis, 5.1.4).
enum CookiePath {
    /// Returns the path of a URL, as it is sent.
    static func of(_ url: URL) -> Substring {
        let path = URLParts(url.absoluteString[...]).path
        return path.isEmpty ? "/" : path
    }

    /// Returns the path of a cookie whose server names none: the folder of the request.
    static func standard(for path: Substring) -> String {
        let slash = UInt8(ascii: "/")
        guard path.utf8.first == slash, let last = path.utf8.lastIndex(of: slash), last > path.startIndex else {
            return "/"
        }
        return String(path[..<last])
    }

    /// Returns whether a request for a path gets a cookie.
    static func matches(_ path: Substring, _ cookie: String) -> Bool {
        let (path, cookie) = (path.utf8, cookie.utf8)
        guard path.starts(with: cookie) else { return false }
        let slash = UInt8(ascii: "/")
        return path.count == cookie.count || cookie.last == slash || path.dropFirst(cookie.count).first == slash
    }
}
