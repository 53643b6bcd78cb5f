/// A parser for fields whose value is a list (RFC 9110, 5.6.1). Commas separate the elements, except within quotes.
package enum FieldList {
    /// Returns the elements without surrounding blanks. Empty elements are left out.
    ///
    /// A quote that is never closed is an ordinary character, so that no later element is missed. A backslash in quotes
    /// escapes the next character, unless the quotes are those of entity tags. Parameters have another separator.
    package static func elements(
        of value: String, escapes: Bool = true, separator: UInt8 = UInt8(ascii: ",")
    ) -> [Substring] {
        let bytes = value.utf8
        var result: [Substring] = []
        var start = bytes.startIndex
        var place = start
        var quotesClose = true
        while place < bytes.endIndex {
            switch bytes[place] {
            case UInt8(ascii: "\"") where quotesClose:
                if let end = bytes.endOfQuoted(from: place, escapes: escapes) {
                    place = end
                    continue
                }
                quotesClose = false
            case separator:
                result.appendElement(value[start..<place])
                start = bytes.index(after: place)
            default: break
            }
            place = bytes.index(after: place)
        }
        result.appendElement(value[start...])
        return result
    }

    /// Returns the elements of several fields of one name, which form one list (RFC 9110, 5.3).
    package static func elements(of values: [String], escapes: Bool = true) -> [Substring] {
        values.flatMap { elements(of: $0, escapes: escapes) }
    }
}

extension [Substring] {
    fileprivate mutating func appendElement(_ text: Substring) {
        let element = text.withoutBlanks
        if !element.isEmpty { append(element) }
    }
}

extension Substring {
    /// The text without surrounding spaces and tabs: `OWS` of RFC 9110, 5.6.3.
    package var withoutBlanks: Substring {
        var rest = self
        while let first = rest.utf8.first, first.isFieldBlank { rest.removeFirstByte() }
        while let last = rest.utf8.last, last.isFieldBlank { rest.removeLastByte() }
        return rest
    }

    /// The text of a quoted string (RFC 9110, 5.6.4), or the text itself if it is not quoted.
    package var unquoted: String {
        let bytes = utf8
        guard bytes.count >= 2, bytes.first == UInt8(ascii: "\""), bytes.last == UInt8(ascii: "\"") else {
            return String(self)
        }
        var text: [UInt8] = []
        var isEscaped = false
        for byte in bytes.dropFirst().dropLast() {
            isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
            if !isEscaped { text.append(byte) }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The text with ASCII letters in lower case.
    package var lowercasedToken: String {
        guard utf8.contains(where: { $0.lowercasedASCII != $0 }) else { return String(self) }
        return String(decoding: utf8.map(\.lowercasedASCII), as: UTF8.self)
    }

    package var isToken: Bool { !isEmpty && utf8.allSatisfy(\.isTokenCharacter) }

    private mutating func removeFirstByte() {
        self = self[utf8.index(after: startIndex)...]
    }

    private mutating func removeLastByte() {
        self = self[..<utf8.index(before: endIndex)]
    }
}

extension String.UTF8View {
    /// Returns the position after a quoted string that begins at `start`; nil if the string does not end.
    fileprivate func endOfQuoted(from start: Index, escapes: Bool) -> Index? {
        var place = index(after: start)
        while place < endIndex {
            switch self[place] {
            case UInt8(ascii: "\""): return index(after: place)
            case UInt8(ascii: "\\") where escapes:
                place = index(after: place)
                guard place < endIndex else { return nil }
            default: break
            }
            place = index(after: place)
        }
        return nil
    }
}

extension UInt8 {
    /// A Boolean value that indicates whether the byte is a space or a tab: `OWS` of RFC 9110, 5.6.3.
    @inline(__always)
    package var isFieldBlank: Bool { self == 0x20 || self == 0x09 }

    /// The value of a decimal digit; nil for other characters.
    @inline(__always)
    package var decimalDigit: Int? {
        let value = self &- UInt8(ascii: "0")
        return value < 10 ? Int(value) : nil
    }
}

extension Headers {
    /// The encodings that change the bytes of the body, in lower case.
    package var contentEncodings: [String] {
        guard contains("Content-Encoding") else { return [] }
        return FieldList.elements(of: all("Content-Encoding")).map(\.lowercasedToken).filter { $0 != "identity" }
    }
}

extension UInt8 {
    /// A Boolean value that indicates whether a method or a field name may contain the character: `tchar` of RFC 9110,
    /// 5.6.2.
    @inline(__always)
    package var isTokenCharacter: Bool {
        // The table has one bit for each character below 128.
        let bits: UInt64 = self < 64 ? 0x03FF_6CFA_0000_0000 : 0x57FF_FFFF_C7FF_FFFE
        return self < 128 && (bits >> UInt64(self & 63)) & 1 == 1
    }

    /// The lower-case form of an ASCII letter. Other bytes stay the same.
    @inline(__always)
    package var lowercasedASCII: UInt8 {
        self &- UInt8(ascii: "A") < 26 ? self | 0x20 : self
    }
}

/// A set of field names, compared without regard to the case of ASCII letters.
///
/// A server may list thousands of names in one field of a response. The time of a lookup does not depend on their
/// number.
package struct FieldNames: Sendable {
    private var names: Set<ExactString> = []

    package init() {}

    package init(_ names: some Sequence<some StringProtocol>) {
        insert(names)
    }

    package var isEmpty: Bool { names.isEmpty }

    package mutating func insert(_ more: some Sequence<some StringProtocol>) {
        for name in more { names.insert(Self.form(String(name))) }
    }

    package func contains(_ name: String) -> Bool {
        !names.isEmpty && names.contains(Self.form(name))
    }

    private static func form(_ name: String) -> ExactString {
        ExactString(name[...].lowercasedToken)
    }
}
