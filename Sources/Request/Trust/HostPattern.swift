#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The name of a host, in the one form in which names are compared: in lower case, without a dot at the end, and addresses
/// as the system writes them.
struct HostName: Hashable, Sendable {
    let text: String
    let isAddress: Bool

    init(_ text: String) {
        var name = text.lowercased()
        if name.hasPrefix("["), name.hasSuffix("]") { name = String(name.dropFirst().dropLast()) }
        if name.hasSuffix("."), name != "." { name = String(name.dropLast()) }
        let address = Self.address(name)
        self.text = address ?? name
        isAddress = address != nil
    }

    /// An address, however it is written: `127.1` and `127.0.0.1` are one.
    private static func address(_ text: String) -> String? {
        if text.utf8.contains(UInt8(ascii: ":")) {
            var address = in6_addr()
            guard inet_pton(AF_INET6, text, &address) == 1 else { return nil }
            return written(AF_INET6, &address)
        }
        var address = in_addr()
        // It takes whatever follows a blank for nothing.
        guard !text.utf8.contains(UInt8(ascii: " ")), inet_aton(text, &address) != 0 else { return nil }
        return written(AF_INET, &address)
    }

    private static func written(_ family: Int32, _ address: UnsafeRawPointer) -> String? {
        var text = [CChar](repeating: 0, count: 64)
        guard inet_ntop(family, address, &text, 64) != nil else { return nil }
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}

/// Which hosts a rule is for: one, or with a star all below a name.
struct HostPattern: Hashable, Sendable, Comparable, CustomStringConvertible {
    struct Bad: Error {
        let text: String
    }

    let name: String
    let isWildcard: Bool

    static func parse(_ text: String) -> Result<HostPattern, Bad> {
        func bad(_ reason: String) -> Result<HostPattern, Bad> {
            .failure(Bad(text: "\(text.debugDescription) is not the name of a host: \(reason)"))
        }
        guard !text.contains("/") else { return bad("write it without https:// and without a path") }
        let isWildcard = text.hasPrefix("*.")
        let host = HostName(isWildcard ? String(text.dropFirst(2)) : text)
        guard !host.text.isEmpty else { return bad("it is empty") }
        guard !host.text.contains("*") else {
            return bad("a star may stand only at its beginning, as in *.example.com")
        }
        if host.isAddress {
            return isWildcard ? bad("addresses have no names below them") : .success(HostPattern(host.text, false))
        }
        guard !host.text.contains(":") else { return bad("a rule is for all ports of a host, so write none") }
        guard host.text.utf8.allSatisfy({ $0 < 0x80 }) else {
            return bad("write it as it is sent, in letters of ASCII, which begins with xn--")
        }
        let labels = host.text.split(separator: ".", omittingEmptySubsequences: false)
        let isName = labels.allSatisfy { label in
            !label.isEmpty
                && label.utf8.allSatisfy { $0.isLetterOrDigit || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
        }
        guard isName else { return bad("it has other characters than letters, digits, hyphens and dots") }
        return .success(HostPattern(host.text, isWildcard))
    }

    private init(_ name: String, _ isWildcard: Bool) {
        self.name = name
        self.isWildcard = isWildcard
    }

    func matches(_ host: HostName) -> Bool {
        guard isWildcard else { return host.text == name }
        return !host.isAddress && host.text.hasSuffix(".\(name)") && host.text.utf8.count > name.utf8.count + 1
    }

    /// The closer of two that match the same host comes last.
    static func < (first: HostPattern, second: HostPattern) -> Bool {
        guard first.isWildcard == second.isWildcard else { return first.isWildcard }
        return first.name.utf8.count < second.name.utf8.count
    }

    var description: String { isWildcard ? "*.\(name)" : name }
}

extension UInt8 {
    fileprivate var isLetterOrDigit: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: false
        }
    }
}
