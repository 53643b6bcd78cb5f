/// The server of a request, read from the text of the URL that is sent.
///
/// Everything that depends on the host, such as the rules of trust, uses this type. It refuses a host that an
/// underlying library would read differently: see ``HostName/problem(inHost:)``.
package struct ServerAddress: Sendable {
    package struct Problem: Error {
        let text: String
    }

    package let isSecure: Bool
    /// In lower case, without brackets, and without the zone of an address.
    package let host: String
    /// The zone of an address, such as `eth0`.
    package let zone: String?
    package let port: Int
    /// A Boolean value that indicates whether the text has the port. Addresses that differ only in this are equal.
    package let namesPort: Bool

    package init(_ url: URL) throws(Problem) {
        try self.init(url.absoluteString)
    }

    package init(_ text: String) throws(Problem) {
        var text = text
        self = try text.withUTF8 { url in Result { () throws(Problem) in try Self(url) } }.get()
    }

    /// Splits bytes as ``URLParts`` splits a text. That is faster, and each request does it several times.
    private init(_ url: Bytes) throws(Problem) {
        let beforePath = url.prefix { $0 != UInt8(ascii: "#") && $0 != UInt8(ascii: "?") }
        let scheme = beforePath.prefix { $0 != UInt8(ascii: ":") }
        isSecure = try Self.isSecure(scheme: scheme.count < beforePath.count ? Bytes(rebasing: scheme) : nil)
        let hierarchy = beforePath.dropFirst(scheme.count + 1)
        let isHost = hierarchy.starts(with: "//".utf8)
        let authority = hierarchy.dropFirst(2).prefix { isHost && $0 != UInt8(ascii: "/") }
        let user = authority.lastIndex(of: UInt8(ascii: "@")).map { authority[..<$0] }
        let named = Bytes(rebasing: user.map { authority[($0.endIndex + 1)...] } ?? authority)
        let hostEnd = named.lastIndex(of: UInt8(ascii: "]")) ?? 0
        let colon = named[hostEnd...].firstIndex(of: UInt8(ascii: ":")) ?? named.count
        let name = Bytes(rebasing: named[..<colon])
        guard !name.isEmpty else {
            throw Problem(text: "the URL has no host: write it as in https://example.com")
        }
        (host, zone) = try Self.host(name)
        // If these characters are not encoded, libraries disagree about where the host begins.
        guard user?.allSatisfy(\.isInUserinfo) ?? true else {
            throw Problem(text: "the user in the URL has characters that must be encoded: write @ as %40, for example")
        }
        namesPort = colon + 1 < named.count
        port = try namesPort ? Self.port(Bytes(rebasing: named[(colon + 1)...])) : isSecure ? 443 : 80
    }

    private typealias Bytes = UnsafeBufferPointer<UInt8>

    private static func isSecure(scheme: Bytes?) throws(Problem) -> Bool {
        // Almost all URLs have a scheme in lower case.
        if let scheme {
            let bytes = UnsafeRawBufferPointer(scheme)
            if bytes.count == 5, bytes.holds("https") { return true }
            if bytes.count == 4, bytes.holds("http") { return false }
        }
        guard let scheme, scheme.isScheme else {
            throw Problem(text: "the URL has no scheme: it must begin with http:// or https://")
        }
        let name = String(decoding: scheme.map(\.lowercasedASCII), as: UTF8.self)
        if name == "https" { return true }
        if name == "http" { return false }
        throw Problem(
            text: "the URL has the scheme \(name.debugDescription): it must begin with http:// or https://")
    }

    private static func host(_ name: Bytes) throws(Problem) -> (host: String, zone: String?) {
        if Self.isUsual(name) { return (lowercased(name[...]), nil) }
        let text = String(decoding: name, as: UTF8.self)
        if let problem = HostName.problem(inHost: text[...]) {
            throw Problem(text: "the host \(text.debugDescription) \(problem)")
        }
        guard name.first == UInt8(ascii: "[") else { return (lowercased(name[...]), nil) }
        let literal = name.dropFirst().dropLast()
        let address = literal.prefix { $0 != UInt8(ascii: "%") }
        let zone = literal.dropFirst(address.count + 3)
        return (lowercased(address), address.count < literal.count ? String(decoding: zone, as: UTF8.self) : nil)
    }

    private static func lowercased(_ text: Slice<Bytes>) -> String {
        String(unsafeUninitializedCapacity: text.count) { lowercased in
            lowercased.initialize(fromContentsOf: text.lazy.map(\.lowercasedASCII))
        }
    }

    private static func port(_ text: Bytes) throws(Problem) -> Int {
        let port = String(decoding: text, as: UTF8.self)
        guard text.allSatisfy(\.isDigit), let number = UInt16(port) else {
            throw Problem(text: "the port \(port.debugDescription) is invalid: use a number up to 65535")
        }
        return Int(number)
    }

    /// The host as it is written in a URL, in brackets if it needs them, without its zone.
    package var bracketed: String { host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host }

    /// The key of limits for each host.
    package var origin: String { "\(isSecure ? "https" : "http"):\(host):\(port)" }
}

extension ServerAddress: Hashable {
    package static func == (one: Self, other: Self) -> Bool {
        one.port == other.port && one.isSecure == other.isSecure && one.host == other.host && one.zone == other.zone
    }

    package func hash(into hasher: inout Hasher) {
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

extension ServerAddress {
    /// A Boolean value that indicates whether the host is this device, which needs no network.
    package var isThisDevice: Bool { Self.isThisDevice(host) }

    /// Returns whether a host, in lower case and without brackets, is this device.
    package static func isThisDevice(_ host: String) -> Bool {
        // With a dot at the end, libcurl asks a name server for it.
        if host == "localhost" || host.hasSuffix(".localhost") { return true }
        guard let address = HostName.address(host) else { return false }
        return address.hasPrefix("127.") || ["::1", "::", "0.0.0.0"].contains(address)
    }
}

extension ServerAddress {
    /// Returns whether a host is a name or an IPv4 address as almost all URLs have it. ``HostName/problem(inHost:)`` is nil for
    /// these, and takes longer.
    static func isUsual(_ host: UnsafeBufferPointer<UInt8>) -> Bool {
        guard host.allSatisfy(\.isInHostName) else { return false }
        var (labels, numbers, start, endsInName) = (0, 0, 0, false)
        for end in 0...host.count where end == host.count || host[end] == UInt8(ascii: ".") {
            let label = host[start..<end]
            guard let first = label.first else { return false }
            labels += 1
            numbers += label.isPlainByte ? 1 : 0
            endsInName = first.isLetter
            start = end + 1
        }
        return endsInName || labels == 4 && numbers == 4
    }
}

extension UInt8 {
    /// A Boolean value that indicates whether the character may be part of a name or of an IPv4 address.
    var isInHostName: Bool {
        isLetter || isDigit || self == UInt8(ascii: "-") || self == UInt8(ascii: "_") || self == UInt8(ascii: ".")
    }
}

extension Collection<UInt8> {
    /// A Boolean value that indicates whether the part is a number from 0 to 255 without leading zeros.
    var isPlainByte: Bool {
        guard 1...3 ~= count, allSatisfy(\.isDigit), count == 1 || first != UInt8(ascii: "0") else { return false }
        return reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) } <= 255
    }
}
