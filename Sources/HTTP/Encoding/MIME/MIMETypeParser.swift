/// Parses a MIME type by the WHATWG MIME sniffing standard (4.4).
enum MIMETypeParser {
    static func parse(_ text: some StringProtocol) -> MIMEType? {
        var rest = trimmed(Array(text.utf8)[...])
        guard let slash = rest.firstIndex(of: UInt8(ascii: "/")) else { return nil }
        let type = rest[..<slash]
        rest = rest[(slash + 1)...]
        let end = rest.firstIndex(of: UInt8(ascii: ";")) ?? rest.endIndex
        let subtype = trimmedAtEnd(rest[..<end])
        guard isToken(type), isToken(subtype) else { return nil }
        var result = MIMEType(valid: lowercased(type), lowercased(subtype))
        rest = rest[end...]
        while !rest.isEmpty {
            guard let (name, value) = parameter(&rest) else { continue }
            guard isToken(name), value.allSatisfy(\.isQuotable) else { continue }
            let key = lowercased(name)
            if result[key] == nil { result = result.with(key, String(decoding: value, as: UTF8.self)) }
        }
        return result
    }

    /// Removes the text up to the next semicolon from `rest`. Returns nil if it is not a name with a value.
    private static func parameter(_ rest: inout ArraySlice<UInt8>) -> (name: ArraySlice<UInt8>, value: [UInt8])? {
        rest = rest.dropFirst().drop(while: isSpace)
        let name = rest.prefix { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: "=") }
        rest = rest[name.endIndex...]
        guard rest.first == UInt8(ascii: "=") else { return nil }
        rest = rest.dropFirst()
        if rest.first == UInt8(ascii: "\"") {
            let value = quoted(&rest)
            rest = rest.drop { $0 != UInt8(ascii: ";") }
            return (name, value)
        }
        let value = rest.prefix { $0 != UInt8(ascii: ";") }
        rest = rest[value.endIndex...]
        let trimmed = trimmedAtEnd(value)
        return trimmed.isEmpty ? nil : (name, Array(trimmed))
    }

    /// Removes a quoted string from `rest`. The closing quotation mark may be missing.
    private static func quoted(_ rest: inout ArraySlice<UInt8>) -> [UInt8] {
        var value: [UInt8] = []
        rest = rest.dropFirst()
        while let byte = rest.popFirst(), byte != UInt8(ascii: "\"") {
            value.append(byte == UInt8(ascii: "\\") ? rest.popFirst() ?? byte : byte)
        }
        return value
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0a || byte == 0x0d
    }

    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        trimmedAtEnd(bytes.drop(while: isSpace))
    }

    private static func trimmedAtEnd(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        bytes.prefix((bytes.lastIndex { !isSpace($0) } ?? bytes.startIndex - 1) + 1 - bytes.startIndex)
    }

    private static func isToken(_ bytes: ArraySlice<UInt8>) -> Bool {
        !bytes.isEmpty && bytes.allSatisfy(\.isTokenCharacter)
    }

    @inline(never)
    private static func lowercased(_ bytes: ArraySlice<UInt8>) -> String {
        String(decoding: bytes.map(\.lowercasedASCII), as: UTF8.self)
    }
}
