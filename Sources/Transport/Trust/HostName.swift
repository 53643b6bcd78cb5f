import TangoPlatform

/// The name of a host in its canonical form: in lower case and without a final dot. Addresses are written as the system
/// writes them, without their zone.
package struct HostName: Hashable, Sendable {
    let text: String
    let isAddress: Bool

    package init(_ text: String) {
        var name = text.utf8.map(\.lowercasedASCII)[...]
        if name.first == UInt8(ascii: "["), name.last == UInt8(ascii: "]") { name = name.dropFirst().dropLast() }
        if name.count > 1, name.last == UInt8(ascii: ".") { name = name.dropLast() }
        // The zone names the local network interface for an address. The rules are the same for all zones.
        if name.contains(UInt8(ascii: ":")) { name = name.prefix { $0 != UInt8(ascii: "%") } }
        let plain = String(decoding: name, as: UTF8.self)
        let address = Self.address(plain)
        self.text = address ?? plain
        isAddress = address != nil
    }

    /// Returns an address as the system writes it, or nil if the text is not an address.
    ///
    /// All forms of an address are equal: `127.1` and `127.0.0.1`, `::1` and `0:0::1`, and IPv4 addresses mapped to
    /// IPv6.
    package static func address(_ text: String) -> String? {
        if text.utf8.contains(UInt8(ascii: ":")) {
            var address = in6_addr()
            guard inet_pton(AF_INET6, text, &address) == 1 else { return nil }
            guard let text = written(AF_INET6, &address) else { return nil }
            let mapped = "::ffff:"
            guard text.hasPrefix(mapped) else { return text }
            let rest = String(text.dropFirst(mapped.utf8.count))
            return rest.utf8.contains(UInt8(ascii: ".")) ? rest : text
        }
        var address = in_addr()
        // `inet_aton` ignores everything after a blank.
        guard !text.utf8.contains(UInt8(ascii: " ")), inet_aton(text, &address) != 0 else { return nil }
        return written(AF_INET, &address)
    }

    private static func written(_ family: Int32, _ address: UnsafeRawPointer) -> String? {
        var text = [CChar](repeating: 0, count: 64)
        guard inet_ntop(family, address, &text, 64) != nil else { return nil }
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}

extension HostName {
    /// Returns what is wrong with the host of a URL, or nil if all libraries read it as the same host.
    ///
    /// ```text
    /// host                                         decision
    /// example.com  EXAMPLE.com  a_b.example        sent as it is; rules know it in lower case
    /// example.com.                                 sent as it is; rules are those of example.com
    /// xn--bcher-kva.example                        sent as it is
    /// bücher.example                               refused: write it as xn--…
    /// %6cocalhost  b%C3%BCcher.example             refused: nothing is encoded in a host
    /// a..b  .a  a b  a*b  a,b                      refused
    /// 127.0.0.1                                    sent as it is
    /// 127.1  0x7f.1  2130706433  0177.0.0.1        refused: write it as 127.0.0.1
    /// 127.0.0.1.  1.2.3.256  example.123           refused: only addresses end in a number
    /// [::1]  [0:0::1]  [::ffff:127.0.0.1]          sent as it is; rules know one form, the last as 127.0.0.1
    /// [fe80::1%25eth0]                             sent as it is; rules are those of fe80::1
    /// [v1.x]  [::1%eth0]  [::1%25]  [127.0.0.1]    refused
    /// ```
    ///
    /// Before a look-up, libraries decode and map names, each in its own way, and some depending on the locale. So a
    /// full-width `ｌ` or an ideographic full stop could lead to a host for which other rules apply.
    static func problem(inHost host: Substring) -> String? {
        if host.utf8.first == UInt8(ascii: "[") { return problem(inLiteral: host) }
        let ascii = "write it in ASCII, with xn-- for an international name"
        if host.utf8.contains(UInt8(ascii: "%")) { return "has encoded characters: \(ascii)" }
        guard host.utf8.allSatisfy({ $0 < 0x80 }) else { return "has characters that are not ASCII: \(ascii)" }
        guard host.utf8.allSatisfy({ $0.isInHostName }) else {
            return "has an invalid character: use letters, digits, hyphens, underscores and dots"
        }
        var labels = host.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let endsInDot = labels.count > 1 && labels.last?.isEmpty == true
        if endsInDot { labels.removeLast() }
        guard labels.allSatisfy({ !$0.isEmpty }), let last = labels.last else {
            return "has an empty part before, between or after its dots: remove a dot"
        }
        guard last.isNumber else { return nil }
        let isPlain = !endsInDot && labels.count == 4 && labels.allSatisfy(\.isPlainByte)
        if isPlain { return nil }
        let name = Substring(host.utf8.dropLast(endsInDot ? 1 : 0))
        guard let address = Self.address(String(name)) else {
            return "ends in a number but is not an address: write an address of four numbers, or a name"
        }
        return "is another form of the address \(address): write that form"
    }

    private static func problem(inLiteral host: Substring) -> String? {
        let text = Substring(host.utf8.dropFirst().dropLast())
        guard host.utf8.last == UInt8(ascii: "]"), text.utf8.contains(UInt8(ascii: ":")) else {
            return "is not an IPv6 address: use brackets for those only"
        }
        let address = Substring(text.utf8.prefix { $0 != UInt8(ascii: "%") })
        guard Self.address(String(address)) != nil else { return "is not an IPv6 address: write it as in [::1]" }
        let zone = text.utf8.dropFirst(address.utf8.count)
        let isZone = zone.starts(with: "%25".utf8) && zone.count > 3 && zone.dropFirst(3).allSatisfy(\.isUnreserved)
        return zone.isEmpty || isZone ? nil : "has an invalid zone: write it as %25eth0"
    }
}

extension Collection<UInt8> {
    /// A Boolean value that indicates whether the part is a decimal or hexadecimal number, as at the end of an address.
    fileprivate var isNumber: Bool {
        if allSatisfy(\.isDigit) { return true }
        guard count >= 2, first == UInt8(ascii: "0"), dropFirst().first?.lowercasedASCII == UInt8(ascii: "x") else {
            return false
        }
        return dropFirst(2).allSatisfy { $0.hexadecimalValue != nil }
    }
}
