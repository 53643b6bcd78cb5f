/// The parsed head of a response: the status line and the fields.
///
/// The parser accepts common deviations from the standard. Lines may end with a bare line feed. A field may be folded
/// over several lines, or have no space after its colon. A value may be in Latin-1. Lines that are not fields are
/// skipped.
package struct ResponseHead: Equatable, Sendable {
    package var version: HTTPVersion
    package var status: HTTPStatus
    /// The reason phrase after the code; empty if there is none.
    package var reason: String
    package var headers: Headers

    /// Parses a status line and the fields after it, up to an empty line or the end; nil if there is no status line.
    package init?(parsing bytes: UnsafeRawBufferPointer) {
        var lines = HeadLines(bytes)
        guard let first = lines.next(), let line = StatusLine(first) else { return nil }
        version = line.version
        status = line.status
        reason = line.reason
        headers = lines.readFields()
    }

    /// Parses fields without a status line, such as those after a body in chunks.
    package static func fields(parsing bytes: UnsafeRawBufferPointer) -> Headers {
        var lines = HeadLines(bytes)
        return lines.readFields()
    }
}

/// A status line without its line end, such as `HTTP/1.1 200 OK`.
private struct StatusLine {
    let version: HTTPVersion
    let status: HTTPStatus
    let reason: String

    init?(_ line: UnsafeRawBufferPointer) {
        // "HTTP/1 200" is the shortest status line.
        guard line.count >= 10, line[0] == UInt8(ascii: "H"), line[1] == UInt8(ascii: "T"),
            line[2] == UInt8(ascii: "T"), line[3] == UInt8(ascii: "P"), line[4] == UInt8(ascii: "/")
        else { return nil }
        guard let major = line[5].decimalDigit else { return nil }
        var place = 6
        var minor = 0
        if line[place] == UInt8(ascii: ".") {
            guard let digit = line[place + 1].decimalDigit else { return nil }
            minor = digit
            place += 2
        }
        guard line[place].isFieldBlank else { return nil }
        while place < line.count, line[place].isFieldBlank { place += 1 }
        guard line.count - place >= 3, let hundreds = line[place].decimalDigit, let tens = line[place + 1].decimalDigit,
            let ones = line[place + 2].decimalDigit
        else { return nil }
        place += 3
        guard place == line.count || line[place].isFieldBlank else { return nil }
        version = HTTPVersion(major: major, minor: minor)
        status = HTTPStatus(hundreds * 100 + tens * 10 + ones)
        reason = line.text(from: place, to: line.count)
    }
}

/// The lines of a head, read one after the other without a copy.
private struct HeadLines {
    private let bytes: UnsafeRawBufferPointer
    private var place = 0

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    /// Returns the next line without its line end; nil at the end of the bytes.
    @inline(__always)
    mutating func next() -> UnsafeRawBufferPointer? {
        guard place < bytes.count else { return nil }
        let start = place
        var end = bytes.lineFeed(from: start)
        place = end + 1
        if end > start, bytes[end - 1] == UInt8(ascii: "\r") { end -= 1 }
        return UnsafeRawBufferPointer(rebasing: bytes[start..<end])
    }

    mutating func readFields() -> Headers {
        var fields: [Headers.Field] = []
        fields.reserveCapacity(12)
        // True if the previous line was a field, which a line with a leading blank continues.
        var isFoldable = false
        while let line = next(), !line.isEmpty {
            if line[0].isFieldBlank {
                if isFoldable { fields[fields.count - 1].fold(line.text(from: 0, to: line.count)) }
                continue
            }
            var end = 0
            while end < line.count, line[end].isTokenCharacter { end += 1 }
            var colon = end
            while colon < line.count, line[colon].isFieldBlank { colon += 1 }
            isFoldable = end > 0 && colon < line.count && line[colon] == UInt8(ascii: ":")
            guard isFoldable else { continue }
            let name = String(decoding: UnsafeRawBufferPointer(rebasing: line[..<end]), as: UTF8.self)
            fields.append(Headers.Field(name: name, value: line.text(from: colon + 1, to: line.count)))
        }
        return Headers(fields: fields)
    }
}

extension Headers.Field {
    /// Appends a folded line to the value (RFC 9112, 5.2).
    fileprivate mutating func fold(_ more: String) {
        guard !more.isEmpty else { return }
        value = value.isEmpty ? more : value + " " + more
    }
}

extension UnsafeRawBufferPointer {
    /// Returns the position of the next line feed, or the end. It compares eight bytes at a time.
    @inline(__always)
    fileprivate func lineFeed(from start: Int) -> Int {
        let ones: UInt64 = 0x0101_0101_0101_0101
        var place = start
        while place + 8 <= count {
            let word = UInt64(littleEndian: loadUnaligned(fromByteOffset: place, as: UInt64.self)) ^ (ones &* 0x0A)
            let zeroes = (word &- ones) & ~word & (ones &* 0x80)
            if zeroes != 0 { return place + zeroes.trailingZeroBitCount / 8 }
            place += 8
        }
        while place < count, self[place] != UInt8(ascii: "\n") { place += 1 }
        return place
    }

    /// Returns a part as text without surrounding blanks. The text is UTF-8, or Latin-1 if it is not valid UTF-8.
    ///
    /// A carriage return or a null byte, which no value may contain, becomes a space (RFC 9110, 5.5).
    @inline(__always)
    fileprivate func text(from start: Int, to end: Int) -> String {
        var start = start
        var end = end
        while start < end, self[start].isFieldBlank { start += 1 }
        while end > start, self[end - 1].isFieldBlank { end -= 1 }
        guard start < end else { return "" }
        let part = UnsafeRawBufferPointer(rebasing: self[start..<end])
        return part.isPlain ? String(decoding: part, as: UTF8.self) : part.unusualText
    }

    /// A Boolean value that indicates whether all bytes are ASCII and none is a control character. It checks eight
    /// bytes at a time.
    @inline(__always)
    private var isPlain: Bool {
        let ones: UInt64 = 0x0101_0101_0101_0101
        var unusual: UInt64 = 0
        var place = 0
        while place + 8 <= count {
            let word = loadUnaligned(fromByteOffset: place, as: UInt64.self)
            unusual |= word | ((word &- ones &* 0x20) & ~word)
            place += 8
        }
        while place < count {
            if self[place] < 0x20 || self[place] > 0x7F { return false }
            place += 1
        }
        return unusual & (ones &* 0x80) == 0
    }

    @inline(never)
    private var unusualText: String {
        let harmless = map { $0 == 0 || $0 == 13 ? 32 : $0 }
        if let text = String(validating: harmless, as: UTF8.self) { return text }
        return String(String.UnicodeScalarView(harmless.map { Unicode.Scalar($0) }))
    }
}
