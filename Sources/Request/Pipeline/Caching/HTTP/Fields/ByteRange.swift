/// The byte range of a `Range` field that has a single range (RFC 9110, 14.1.2).
enum ByteRange: Equatable, Sendable {
    /// The first and the last byte, both included. Without a last byte, the range extends to the end.
    case from(Int, to: Int?)
    /// The number of bytes at the end.
    case suffix(Int)

    /// Parses a value such as `bytes=0-499`. Returns nil for several ranges, other units and malformed text.
    init?(_ text: String) {
        let parts = Substring(text).withoutBlanks.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].lowercased() == "bytes" else { return nil }
        let elements = FieldList.elements(of: String(parts[1]))
        guard elements.count == 1 else { return nil }
        let ends = elements[0].split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2 else { return nil }
        if ends[0].isEmpty {
            guard let count = ContentRange.place(ends[1]) else { return nil }
            self = .suffix(count)
        } else {
            guard let first = ContentRange.place(ends[0]) else { return nil }
            guard !ends[1].isEmpty else {
                self = .from(first, to: nil)
                return
            }
            guard let last = ContentRange.place(ends[1]), last >= first else { return nil }
            self = .from(first, to: last)
        }
    }

    /// Returns the range within a body of `total` bytes, empty if the body has none of its bytes.
    func places(in total: Int) -> Range<Int> {
        switch self {
        case .from(let first, to: let last):
            guard first < total else { return 0..<0 }
            return first..<(min(last ?? total - 1, total - 1) + 1)
        case .suffix(let count):
            return max(total - count, 0)..<total
        }
    }
}
