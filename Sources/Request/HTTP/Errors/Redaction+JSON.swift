/// The values of redacted fields in JSON, which may be cut off.
extension Redaction {
    /// Returns a JSON text with the values of redacted fields replaced. Values may be strings, numbers, objects or lists.
    ///
    /// The text is not parsed as a whole, so that it may be invalid, or only the beginning of a text.
    func redact(json text: String) -> String {
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var place = 0
        while place < bytes.count {
            guard bytes[place] == UInt8(ascii: "\"") else {
                result.append(bytes[place])
                place += 1
                continue
            }
            let end = Self.endOfString(in: bytes, from: place)
            let string = bytes[place..<end]
            result += string
            place = end
            // A string before a colon is the name of a field.
            let blanks = bytes[place...].prefix(while: \.isJSONBlank)
            guard blanks.endIndex < bytes.count, bytes[blanks.endIndex] == UInt8(ascii: ":"),
                hides(field: Self.text(of: string))
            else { continue }
            let gap = bytes[(blanks.endIndex + 1)...].prefix(while: \.isJSONBlank)
            result += bytes[place..<gap.endIndex]
            place = Self.endOfValue(in: bytes, from: gap.endIndex)
            result += "\"\(Self.ellipsis)\"".utf8
        }
        return redact(text: String(decoding: result, as: UTF8.self))
    }

    /// Returns the place after a string that begins at a quote.
    private static func endOfString(in bytes: [UInt8], from start: Int) -> Int {
        var place = start + 1
        while place < bytes.count {
            switch bytes[place] {
            case UInt8(ascii: "\\"): place += 2
            case UInt8(ascii: "\""): return place + 1
            default: place += 1
            }
        }
        return bytes.count
    }

    /// Returns the place after a value.
    private static func endOfValue(in bytes: [UInt8], from start: Int) -> Int {
        var place = start
        var depth = 0
        while place < bytes.count {
            switch bytes[place] {
            case UInt8(ascii: "\""):
                place = endOfString(in: bytes, from: place)
                if depth == 0 { return place }
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                // The end of the object around a number.
                guard depth > 0 else { return place }
                depth -= 1
                if depth == 0 { return place + 1 }
            case UInt8(ascii: ","), UInt8(ascii: "\n"):
                if depth == 0 { return place }
            default: break
            }
            place += 1
        }
        return bytes.count
    }

    /// Returns the text of a string with quotes, in which characters may be escaped.
    private static func text(of string: ArraySlice<UInt8>) -> String {
        var result = ""
        var rest = String(decoding: string.dropFirst().dropLast(), as: UTF8.self)[...]
        while let escape = rest.firstIndex(of: "\\") {
            result += rest[..<escape]
            rest = rest[escape...].dropFirst()
            guard let kind = rest.popFirst() else { break }
            guard kind == "u" else {
                result.append(kind)
                continue
            }
            if let code = UInt32(rest.prefix(4), radix: 16), let scalar = Unicode.Scalar(code) {
                result.unicodeScalars.append(scalar)
            }
            rest = rest.dropFirst(4)
        }
        return result + rest
    }
}

extension UInt8 {
    fileprivate var isJSONBlank: Bool {
        self == UInt8(ascii: " ") || self == UInt8(ascii: "\n") || self == UInt8(ascii: "\r")
            || self == UInt8(ascii: "\t")
    }
}
