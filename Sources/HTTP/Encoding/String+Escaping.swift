extension String {
    /// Returns the text with characters of ASCII replaced, such as the quotes of a shell or of HTML.
    ///
    /// Bytes are compared. For Swift, a `'` before a combining mark is another `Character`, and for a shell it is not.
    package func escaping(_ replacements: KeyValuePairs<Character, String>) -> String {
        let table = replacements.compactMap { key, text in key.asciiValue.map { ($0, text) } }
        guard utf8.contains(where: { byte in table.contains { $0.0 == byte } }) else { return self }
        var result: [UInt8] = []
        result.reserveCapacity(utf8.count + 16)
        for byte in utf8 {
            if let replacement = table.first(where: { $0.0 == byte }) {
                result += replacement.1.utf8
            } else {
                result.append(byte)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}
