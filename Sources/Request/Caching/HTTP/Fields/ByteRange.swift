/// The one range of bytes that a request asks for (RFC 9110, 14.1.2).
enum ByteRange: Hashable, Sendable {
    /// Up to the end where there is no last place. Both places are part of it.
    case from(Int, to: Int?)
    case suffix(Int)

    /// Reads `bytes=0-499`; nil for several ranges, other units, and what makes no sense.
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

    /// The places that are meant in a whole of so many bytes; empty where there are none.
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
