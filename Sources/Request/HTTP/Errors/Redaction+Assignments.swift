/// Names with values in texts that are no URLs, such as log lines, error messages and JSON inside of strings.
extension Redaction {
    /// Returns a text with the values of redacted names replaced: `password=1234`, `"token": "1234"`, `Cookie: a=b`.
    func redactAssignments(in text: String) -> String {
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        var start = 0
        var place = 0
        while let separator = bytes[place...].firstIndex(where: { $0 == UInt8(ascii: "=") || $0 == UInt8(ascii: ":") })
        {
            place = separator + 1
            guard let name = Self.name(before: separator, in: bytes, from: start), hides(name: name),
                let value = Self.value(
                    after: separator, in: bytes,
                    isField: bytes[separator] == UInt8(ascii: ":") && Self.covers(Self.credentialFields, name))
            else { continue }
            result += bytes[start..<value.lowerBound]
            result += Self.ellipsis.utf8
            start = value.upperBound
            place = max(place, start)
        }
        return start == 0 ? text : String(decoding: result + bytes[start...], as: UTF8.self)
    }

    /// The headers whose values have several words.
    private static let credentialFields: Set<String> = ["authorization", "authentication", "cookie", "cookie2"]

    private func hides(name: String) -> Bool {
        hides(field: name) || hides(header: name)
    }

    /// Returns the name before a separator, which may be in quotes, with or without backslashes.
    private static func name(before separator: Int, in bytes: [UInt8], from start: Int) -> String? {
        var end = separator
        while end > start, bytes[end - 1].isBlank { end -= 1 }
        while end > start, bytes[end - 1].isQuote || bytes[end - 1] == UInt8(ascii: "\\") { end -= 1 }
        var first = end
        while first > start, end - first < 64, bytes[first - 1].isName { first -= 1 }
        return first < end ? String(decoding: bytes[first..<end], as: UTF8.self) : nil
    }

    /// Returns the place of the value after a separator, without its quotes; nil if there is none.
    ///
    /// - Parameter isField: A Boolean value that indicates whether the name is that of a header with several words, whose
    ///   value ends with the line.
    private static func value(after separator: Int, in bytes: [UInt8], isField: Bool) -> Range<Int>? {
        var start = separator + 1
        // The scheme of a URL is no name: `auth://host`.
        if bytes[start...].starts(with: "//".utf8) { return nil }
        while start < bytes.count, bytes[start].isBlank { start += 1 }
        let quotes = bytes[start...].prefix { $0 == UInt8(ascii: "\\") }.count
        if start + quotes < bytes.count, bytes[start + quotes].isQuote {
            let closing = Array(bytes[start...(start + quotes)])
            start += closing.count
            return start..<end(of: closing, in: bytes, from: start)
        }
        var end = bytes[start...].firstIndex { isField ? $0.isLineEnd : $0.endsValue } ?? bytes.count
        if Substring(decoding: bytes[start..<end], as: UTF8.self).isScheme, end < bytes.count, bytes[end].isBlank {
            end = bytes[(end + 1)...].firstIndex(where: \.endsValue) ?? bytes.count
        }
        // `the password: choose another one` is a sentence.
        let isProse =
            bytes[separator] == UInt8(ascii: ":") && end < bytes.count && bytes[end].isBlank
            && bytes[start..<end].allSatisfy { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }
        return start < end && !isProse ? start..<end : nil
    }

    /// Returns the place of the closing quote, with as many backslashes as the opening one; the end if there is none.
    private static func end(of closing: [UInt8], in bytes: [UInt8], from start: Int) -> Int {
        var place = start
        while place < bytes.count {
            let backslashes = bytes[place...].prefix { $0 == UInt8(ascii: "\\") }.count
            guard place + backslashes < bytes.count else { break }
            if bytes[place + backslashes] == closing[closing.count - 1], backslashes == closing.count - 1 {
                return place
            }
            place += backslashes + 1
        }
        return bytes.count
    }
}

extension Redaction {
    /// Returns a text without the credentials of authentication schemes and without JSON web tokens.
    func redactCredentials(in text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: " ")) || text.contains("eyJ") else { return text }
        var result = ""
        var rest = text[...]
        var previous = Substring()
        while let start = rest.firstIndex(where: { $0.isTokenCharacter }) {
            result += rest[..<start]
            let gap = rest[..<start]
            let end = rest[start...].firstIndex { !$0.isTokenCharacter } ?? rest.endIndex
            let word = rest[start..<end]
            let follows = !gap.isEmpty && gap.allSatisfy { $0 == " " } && previous.isScheme
            result += follows && word.isCredential || word.isWebToken ? Self.ellipsis : String(word)
            previous = word
            rest = rest[end...]
        }
        return result + rest
    }
}

extension Substring {
    /// A Boolean value that indicates whether credentials follow the word.
    fileprivate var isScheme: Bool { ["bearer", "basic", "dpop", "negotiate", "token"].contains(lowercased()) }

    /// A Boolean value that indicates whether the word is too irregular for one of a sentence.
    fileprivate var isCredential: Bool {
        utf8.count >= 8 && (contains { $0.isNumber || $0 == "=" } || dropFirst().contains(where: \.isUppercase))
    }

    /// A Boolean value that indicates whether the word is a JSON web token.
    fileprivate var isWebToken: Bool { hasPrefix("eyJ") && utf8.count >= 20 && contains(".") }
}

extension Character {
    /// A Boolean value that indicates whether the character may be part of credentials (RFC 9110, 11.2).
    fileprivate var isTokenCharacter: Bool {
        isASCII && (isLetter || isNumber || "-._~+/=".contains(self))
    }
}

extension UInt8 {
    fileprivate var isBlank: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") }
    fileprivate var isQuote: Bool { self == UInt8(ascii: "\"") || self == UInt8(ascii: "'") }
    fileprivate var isLineEnd: Bool { self == UInt8(ascii: "\n") || self == UInt8(ascii: "\r") }

    /// A Boolean value that indicates whether the byte may be part of a name.
    fileprivate var isName: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "["), UInt8(ascii: "]"):
            true
        default: self >= 0x80
        }
    }

    /// A Boolean value that indicates whether a value without quotes ends before the byte.
    fileprivate var endsValue: Bool {
        isBlank || isLineEnd || isQuote
            || [",", ";", "&", ")", "]", "}", "<", ">"].contains { self == UInt8(ascii: $0) }
    }
}
