#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The server of a request, read from the text of the URL that is sent.
///
/// Everything that depends on the host, such as the rules of trust, uses this type. It refuses a host that an
/// underlying library would read differently: see ``HostName/problem(inHost:)``.
struct ServerAddress: Sendable {
    struct Problem: Error {
        let text: String
    }

    let isSecure: Bool
    /// In lower case, without brackets, and without the zone of an address.
    let host: String
    /// The zone of an address, such as `eth0`.
    let zone: String?
    let port: Int
    /// A Boolean value that indicates whether the text has the port. Addresses that differ only in this are equal.
    let namesPort: Bool

    init(_ url: URL) throws(Problem) {
        try self.init(url.absoluteString)
    }

    init(_ text: String) throws(Problem) {
        let parts = URLParts(text[...])
        switch parts.scheme?.utf8.map(\.lowercasedASCII) {
        case Array("https".utf8): isSecure = true
        case Array("http".utf8): isSecure = false
        case let scheme?:
            throw Problem(
                text: "the URL has the scheme \(String(decoding: scheme, as: UTF8.self).debugDescription): "
                    + "it must begin with http:// or https://")
        case nil: throw Problem(text: "the URL has no scheme: it must begin with http:// or https://")
        }
        guard let authority = parts.authority, !authority.host.isEmpty else {
            throw Problem(text: "the URL has no host: write it as in https://example.com")
        }
        if let problem = HostName.problem(inHost: authority.host) {
            throw Problem(text: "the host \(String(authority.host).debugDescription) \(problem)")
        }
        // If these characters are not encoded, libraries disagree about where the host begins.
        guard authority.userinfo?.utf8.allSatisfy(\.isInUserinfo) ?? true else {
            throw Problem(text: "the user in the URL has characters that must be encoded: write @ as %40, for example")
        }
        let literal = authority.host.utf8.first == UInt8(ascii: "[")
        let name = literal ? authority.host.utf8.dropFirst().dropLast() : authority.host.utf8[...]
        let plain = literal ? name.prefix { $0 != UInt8(ascii: "%") } : name
        host = String(decoding: plain.lazy.map(\.lowercasedASCII), as: UTF8.self)
        zone = plain.count < name.count ? String(Substring(name.dropFirst(plain.count + 3))) : nil
        guard let port = authority.port, !port.isEmpty else {
            namesPort = false
            self.port = isSecure ? 443 : 80
            return
        }
        guard port.utf8.allSatisfy(\.isDigit), let number = UInt16(port) else {
            throw Problem(text: "the port \(String(port).debugDescription) is invalid: use a number up to 65535")
        }
        namesPort = true
        self.port = Int(number)
    }

    /// The host as it is written in a URL, in brackets if it needs them, without its zone.
    var bracketed: String { host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host }

    /// The key of limits for each host.
    var origin: String { "\(isSecure ? "https" : "http"):\(host):\(port)" }
}

extension ServerAddress: Hashable {
    static func == (one: Self, other: Self) -> Bool {
        one.port == other.port && one.isSecure == other.isSecure && one.host == other.host && one.zone == other.zone
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(port)
        hasher.combine(isSecure)
        hasher.combine(host)
        hasher.combine(zone)
    }
}

extension UInt8 {
    /// `userinfo` of RFC 3986, 3.2.1.
    fileprivate var isInUserinfo: Bool { isUnreserved || "%!$&'()*+,;=:".utf8.contains(self) }
}
