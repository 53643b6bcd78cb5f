/// The bytes of a file that are on the disk, as ranges.
struct FileRanges: Hashable, Sendable {
    /// In ascending order. No range is empty, and none touches another.
    private(set) var ranges: [Range<Int>] = []

    init(_ ranges: [Range<Int>] = []) {
        for range in ranges { insert(range) }
    }

    /// Creates the ranges of a record; nil if they are not those of a file with this number of bytes.
    init?(stored: [Range<Int>], size: Int) {
        self.init(stored)
        guard ranges == stored, ranges.first.map({ $0.lowerBound >= 0 }) ?? true,
            ranges.last.map({ $0.upperBound <= size }) ?? true
        else { return nil }
    }

    var count: Int { ranges.reduce(0) { $0 + $1.count } }

    mutating func insert(_ range: Range<Int>) {
        guard !range.isEmpty else { return }
        var merged = range
        ranges.removeAll { other in
            guard other.lowerBound <= range.upperBound, other.upperBound >= range.lowerBound else { return false }
            merged = min(merged.lowerBound, other.lowerBound)..<max(merged.upperBound, other.upperBound)
            return true
        }
        ranges.insert(merged, at: ranges.firstIndex { $0.lowerBound > merged.lowerBound } ?? ranges.endIndex)
    }

    /// Returns the ranges of a file that are not on the disk.
    func missing(of total: Int) -> [Range<Int>] {
        var missing: [Range<Int>] = []
        var start = 0
        for range in ranges where range.lowerBound < total {
            if start < range.lowerBound { missing.append(start..<range.lowerBound) }
            start = range.upperBound
        }
        if start < total { missing.append(start..<total) }
        return missing
    }
}
