/// The position of a value in the text of a JSON document. Decoders report only the names on the path to it.
package struct JSONPlace {
    let start: Int
    /// The kind of the value, for error messages.
    let kind: String

    /// Finds the value at a path; nil if the document is not JSON or has no such value.
    init?(of way: [any CodingKey], in body: Data) {
        var scanner = JSONScanner([UInt8](body))
        for key in way {
            let isThere = key.intValue.map { scanner.enter(element: $0) } ?? scanner.enter(field: key.stringValue)
            guard isThere else { return nil }
        }
        guard let first = scanner.peek() else { return nil }
        start = scanner.place
        switch first {
        case UInt8(ascii: "{"): kind = "an object"
        case UInt8(ascii: "["): kind = "an array"
        case UInt8(ascii: "\""): kind = "a string"
        case UInt8(ascii: "t"), UInt8(ascii: "f"): kind = "a bool"
        case UInt8(ascii: "n"): kind = "null"
        default: kind = "a number"
        }
    }

    package static func looksLikeMarkup(_ body: Data) -> Bool {
        body.first { $0 > 0x20 && $0 < 0x80 } == UInt8(ascii: "<")
    }

    /// Returns at most 200 characters of the text, some of them before the place.
    static func excerpt(of body: Data, around place: Int) -> String {
        let start = max(0, place - 60)
        let text = String(decoding: body.dropFirst(start).prefix(800), as: UTF8.self)
        let hasMore = text.count > 198 || start + 800 < body.count
        return (start > 0 ? "…" : "") + text.prefix(198) + (hasMore ? "…" : "")
    }
}

/// Moves through JSON without decoding it.
private struct JSONScanner {
    private let bytes: [UInt8]
    private(set) var place = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { place = 3 }
    }

    /// Returns the next byte that is not white space.
    mutating func peek() -> UInt8? {
        while place < bytes.count, bytes[place] <= 0x20 { place += 1 }
        return place < bytes.count ? bytes[place] : nil
    }

    mutating func enter(element wanted: Int) -> Bool {
        guard take("[") else { return false }
        for _ in 0..<max(wanted, 0) {
            guard skipValue(), take(",") else { return false }
        }
        return peek() != UInt8(ascii: "]")
    }

    mutating func enter(field name: String) -> Bool {
        guard take("{") else { return false }
        while peek() == UInt8(ascii: "\"") {
            let start = place + 1
            guard skipString() else { return false }
            let key = JSONKey(stringValue: String(decoding: bytes[start..<place - 1], as: UTF8.self))
            guard take(":") else { return false }
            if key.stringValue == name || key.camelCased.stringValue == name { return true }
            guard skipValue(), take(",") else { return false }
        }
        return false
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard peek() == UInt8(ascii: character) else { return false }
        place += 1
        return true
    }

    private mutating func skipString() -> Bool {
        place += 1
        while place < bytes.count, bytes[place] != UInt8(ascii: "\"") {
            place += bytes[place] == UInt8(ascii: "\\") ? 2 : 1
        }
        place += 1
        return place <= bytes.count
    }

    /// Skips a value with all nested values, at any depth.
    private mutating func skipValue() -> Bool {
        var depth = 0
        while let byte = peek() {
            switch byte {
            case UInt8(ascii: "\""):
                guard skipString() else { return false }
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                place += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                guard depth > 0 else { return true }
                depth -= 1
                place += 1
            case UInt8(ascii: ","):
                if depth == 0 { return true }
                place += 1
                continue
            default:
                place += 1
                continue
            }
            if depth == 0 { return true }
        }
        return false
    }
}
