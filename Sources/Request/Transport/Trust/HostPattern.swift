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
                && label.utf8.allSatisfy {
                    $0.isLetter || $0.isDigit || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_")
                }
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
