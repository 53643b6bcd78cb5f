/// The hosts to which a rule applies: one host, or all hosts below a name.
package struct HostPattern: Hashable, Sendable, Comparable, CustomStringConvertible {
    package struct Bad: Error {
        package let text: String
    }

    let name: String
    let isWildcard: Bool

    package static func parse(_ text: String) -> Result<HostPattern, Bad> {
        func bad(_ reason: String) -> Result<HostPattern, Bad> {
            .failure(Bad(text: "\(text.debugDescription) is not the name of a host: \(reason)"))
        }
        guard !text.contains("/") else { return bad("write it without https:// and without a path") }
        let isWildcard = text.hasPrefix("*.")
        let host = HostName(isWildcard ? String(text.dropFirst(2)) : text)
        guard !host.text.isEmpty else { return bad("write a name or an address") }
        guard !host.text.contains("*") else {
            return bad("write a star only at the beginning, as in *.example.com")
        }
        if host.isAddress {
            return isWildcard
                ? bad("remove the star, because an address cannot have one") : .success(HostPattern(host.text, false))
        }
        guard !host.text.contains(":") else { return bad("remove the port, because a rule applies to all ports") }
        guard host.text.utf8.allSatisfy({ $0 < 0x80 }) else {
            return bad("write it in ASCII, with xn-- for an international name")
        }
        let labels = host.text.split(separator: ".", omittingEmptySubsequences: false)
        let isName = labels.allSatisfy { label in
            !label.isEmpty
                && label.utf8.allSatisfy {
                    $0.isLetter || $0.isDigit || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_")
                }
        }
        guard isName else { return bad("use only letters, digits, hyphens, underscores and dots") }
        return .success(HostPattern(host.text, isWildcard))
    }

    private init(_ name: String, _ isWildcard: Bool) {
        self.name = name
        self.isWildcard = isWildcard
    }

    package func matches(_ host: HostName) -> Bool {
        guard isWildcard else { return host.text == name }
        return !host.isAddress && host.text.hasSuffix(".\(name)") && host.text.utf8.count > name.utf8.count + 1
    }

    /// Orders patterns by specificity: the most specific of several matching patterns comes last.
    package static func < (first: HostPattern, second: HostPattern) -> Bool {
        guard first.isWildcard == second.isWildcard else { return first.isWildcard }
        return first.name.utf8.count < second.name.utf8.count
    }

    package var description: String { isWildcard ? "*.\(name)" : name }
}
