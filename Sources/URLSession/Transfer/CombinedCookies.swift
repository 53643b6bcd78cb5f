/// Splits `Set-Cookie` fields that were joined to one. Commas may not separate these fields (RFC 6265, 3).
enum CombinedCookies {
    /// Returns the fields in order. A comma ends a field if a name and an equals sign follow. In a date, they do not
    /// follow.
    static func separate(_ value: String) -> [String] {
        let bytes = Array(value.utf8)
        var fields: [String] = []
        var start = 0
        for place in bytes.indices where bytes[place] == UInt8(ascii: ",") {
            var next = place + 1
            while next < bytes.count, bytes[next] == 0x20 { next += 1 }
            guard next > place + 1, begins(bytes[next...]) else { continue }
            fields.append(String(decoding: bytes[start..<place], as: UTF8.self))
            start = next
        }
        fields.append(String(decoding: bytes[start...], as: UTF8.self))
        return fields
    }

    private static func begins(_ bytes: ArraySlice<UInt8>) -> Bool {
        let name = bytes.prefix { $0.isTokenCharacter }
        return !name.isEmpty && bytes.dropFirst(name.count).first == UInt8(ascii: "=")
    }
}
