/// A `Content-Range`: the bytes of a complete body that a message has (RFC 9110, 14.4).
package struct ContentRange: Equatable, Sendable {
    package var bytes: Range<Int>
    /// The number of bytes of the complete body, if known.
    package var total: Int?

    init(bytes: Range<Int>, total: Int?) {
        self.bytes = bytes
        self.total = total
    }

    /// Parses a value such as `bytes 0-499/1234`. Returns nil for malformed text and for other units.
    package init?(_ text: String) {
        let parts = Substring(text).withoutBlanks.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bytes" else { return nil }
        let halves = parts[1].split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard halves.count == 2 else { return nil }
        let ends = halves[0].withoutBlanks.split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = Self.place(ends[0]), let last = Self.place(ends[1]), first <= last else {
            return nil
        }
        bytes = first..<(last + 1)
        let whole = halves[1].withoutBlanks
        guard whole != "*" else { return }
        guard let total = Self.place(whole), total > last else { return nil }
        self.total = total
    }

    var text: String {
        "bytes \(bytes.lowerBound)-\(bytes.upperBound - 1)/\(total.map(String.init) ?? "*")"
    }

    /// Parses a number of at most 18 digits, so that arithmetic with it cannot overflow.
    package static func place(_ text: some StringProtocol) -> Int? {
        guard !text.isEmpty, text.utf8.count <= 18, text.utf8.allSatisfy({ $0.decimalDigit != nil }) else { return nil }
        return Int(text)
    }
}
