/// Which bytes of a whole a message has: `Content-Range` (RFC 9110, 14.4).
struct ContentRange: Hashable, Sendable {
    var bytes: Range<Int>
    /// How many bytes the whole has, where that is known.
    var total: Int?

    init(bytes: Range<Int>, total: Int?) {
        self.bytes = bytes
        self.total = total
    }

    /// Reads `bytes 0-499/1234`; nil for what makes no sense, and for units other than bytes.
    init?(_ text: String) {
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

    /// A number of digits, not so large that one could not count on.
    static func place(_ text: some StringProtocol) -> Int? {
        guard !text.isEmpty, text.utf8.count <= 18, text.utf8.allSatisfy({ $0.decimalDigit != nil }) else { return nil }
        return Int(text)
    }
}
