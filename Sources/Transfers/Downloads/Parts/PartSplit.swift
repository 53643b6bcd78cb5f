/// The decision into which parts the missing bytes of a file are split.
enum PartSplit {
    /// Returns the parts, in ascending order.
    ///
    /// Each missing range is at least one part. While there are fewer parts than connections, the range with the
    /// largest parts gets one more, unless they would have fewer bytes than the minimum. The parts of a range have equal
    /// sizes.
    static func parts(of missing: [Range<Int>], _ wanted: DownloadParts) -> [Range<Int>] {
        let ranges = missing.filter { !$0.isEmpty }
        var counts = Array(repeating: 1, count: ranges.count)
        for _ in 0..<max(0, wanted.count - ranges.count) {
            let largest = ranges.indices
                .filter { ranges[$0].count / (counts[$0] + 1) >= max(1, wanted.minimumSize) }
                .max { ranges[$0].count / counts[$0] < ranges[$1].count / counts[$1] }
            guard let largest else { break }
            counts[largest] += 1
        }
        return zip(ranges, counts).flatMap { equal($0, $1) }
    }

    /// Returns the parts of a file whose response has just begun; nil to load it over one connection.
    ///
    /// ```text
    /// status 200, Accept-Ranges: bytes, a strong validator, a total for two parts    the parts
    /// anything else                                                                  nil
    /// ```
    static func parts(
        of total: Int?, _ status: HTTPStatus, _ headers: Headers, validator: ResumeValidator?, _ wanted: DownloadParts
    ) -> [Range<Int>]? {
        guard status == .ok, let total, validator != nil, wanted.count > 1,
            FieldList.elements(of: headers.all("Accept-Ranges")).contains(where: { $0.lowercasedToken == "bytes" })
        else { return nil }
        let parts = parts(of: [0..<total], wanted)
        return parts.count > 1 ? parts : nil
    }

    private static func equal(_ range: Range<Int>, _ count: Int) -> [Range<Int>] {
        // The first parts have the bytes that are left over.
        let (size, more) = range.count.quotientAndRemainder(dividingBy: count)
        var start = range.lowerBound
        return (0..<count).map { number in
            let end = start + size + (number < more ? 1 : 0)
            defer { start = end }
            return start..<end
        }
    }
}
