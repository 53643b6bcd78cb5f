/// The bytes of a body that are stored: all of them, or some parts.
struct StoredContent: Sendable {
    struct Part: Sendable {
        enum Place: Sendable {
            /// Beside the head.
            case here(Data)
            /// In an entry of its own, under a name that no other body has ever had.
            case apart(String)
        }

        /// The range of these bytes in the whole body.
        let bytes: Range<Int>
        let place: Place
    }

    /// The parts, in order and without overlap.
    private(set) var parts: [Part]
    /// The number of bytes in the whole body; nil if it is not known.
    private(set) var total: Int?
    /// The `Range` of the request whose response is the only part. The same request then gets the same response again.
    private(set) var asked: String?

    static let empty = StoredContent(parts: [], total: 0)

    init(parts: [Part], total: Int?, asked: String? = nil) {
        self.parts = parts.filter { !$0.bytes.isEmpty }
        self.total = total
        self.asked = asked
    }

    /// A whole body.
    init(_ data: Data) {
        self.init(parts: [Part(bytes: 0..<data.count, place: .here(data))], total: data.count)
    }

    var isComplete: Bool {
        guard let total else { return false }
        return total == 0 || parts.count == 1 && parts[0].bytes == 0..<total
            || parts.count > 1 && gaps.isEmpty
    }

    var count: Int { parts.reduce(0) { $0 + $1.bytes.count } }

    /// The ranges of the whole that are not stored. It is empty if the length is not known.
    var gaps: [Range<Int>] {
        guard let total else { return [] }
        var gaps: [Range<Int>] = []
        var place = 0
        for part in parts {
            if part.bytes.lowerBound > place { gaps.append(place..<part.bytes.lowerBound) }
            place = part.bytes.upperBound
        }
        if place < total { gaps.append(place..<total) }
        return gaps
    }

    /// Returns whether all bytes of a range are stored.
    func contains(_ range: Range<Int>) -> Bool {
        var place = range.lowerBound
        for part in parts where part.bytes.contains(place) {
            place = part.bytes.upperBound
            if place >= range.upperBound { return true }
        }
        return place >= range.upperBound
    }

    /// Returns this content combined with other parts of the same whole. Bytes that both have come from `other`. For
    /// that, parts beside the head are cut, and parts in entries of their own are left out.
    func combined(with other: StoredContent) -> StoredContent {
        var all = other.parts
        for part in parts {
            var rest = [part.bytes]
            for taken in other.parts { rest = rest.flatMap { $0.without(taken.bytes) } }
            if rest == [part.bytes] {
                all.append(part)
            } else if case .here(let data) = part.place {
                all += rest.map { bytes in
                    let start = bytes.lowerBound - part.bytes.lowerBound
                    return Part(bytes: bytes, place: .here(data[start..<(start + bytes.count)].copied()))
                }
            }
        }
        all = all.ordered { $0.bytes.lowerBound < $1.bytes.lowerBound }
        return StoredContent(parts: Self.merged(all), total: total ?? other.total)
    }

    /// Joins adjacent parts that are both beside the head.
    private static func merged(_ parts: [Part]) -> [Part] {
        var result: [Part] = []
        for part in parts {
            if let last = result.last, last.bytes.upperBound == part.bytes.lowerBound,
                case .here(let one) = last.place, case .here(let two) = part.place
            {
                let bytes = last.bytes.lowerBound..<part.bytes.upperBound
                result[result.count - 1] = Part(bytes: bytes, place: .here(one + two))
            } else {
                result.append(part)
            }
        }
        return result
    }

    /// The number of bytes beside the head.
    var bytesHere: Int {
        parts.reduce(0) { count, part in
            if case .here(let data) = part.place { count + data.count } else { count }
        }
    }

    /// Moves large parts from beside the head into entries of their own, and returns their names and bytes.
    mutating func moveLargeParts(above limit: Int) -> [(name: String, data: Data)] {
        var moved: [(name: String, data: Data)] = []
        parts = parts.map { part in
            guard case .here(let data) = part.place, data.count > limit else { return part }
            let name = Self.newName()
            moved.append((name, data))
            return Part(bytes: part.bytes, place: .apart(name))
        }
        return moved
    }

    /// Returns a name that no body has ever had.
    static func newName() -> String {
        String(UInt64.random(in: 0...UInt64.max), radix: 36) + String(UInt64.random(in: 0...UInt64.max), radix: 36)
    }

    /// The names of the bodies that are in entries of their own.
    var names: [String] {
        parts.compactMap { if case .apart(let name) = $0.place { name } else { nil } }
    }
}

extension Range<Int> {
    fileprivate func without(_ other: Range<Int>) -> [Range<Int>] {
        guard overlaps(other) else { return [self] }
        var rest: [Range<Int>] = []
        if lowerBound < other.lowerBound { rest.append(lowerBound..<other.lowerBound) }
        if upperBound > other.upperBound { rest.append(other.upperBound..<upperBound) }
        return rest
    }
}
