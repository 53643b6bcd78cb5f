extension Redaction {
    /// Returns whether a name consists of the words of one of the names, or contains them.
    static func covers(_ set: Set<String>, _ name: String) -> Bool {
        let words = words(of: name)
        if set.contains(words.joined()) { return true }
        for start in words.indices {
            var joined = ""
            for word in words[start...].prefix(3) {
                joined += word
                if set.contains(joined) { return true }
            }
        }
        return false
    }

    /// Returns the form in which names are compared: their words in lower case, without separators.
    static func form(_ name: String) -> String {
        words(of: name).joined()
    }

    /// Splits names such as `X-Amz-Signature`, `access_token` and `refreshToken` into words.
    private static func words(of name: String) -> [String] {
        var words: [String] = []
        var word = ""
        var wasLower = false
        for character in name.unicodeScalars {
            let properties = character.properties
            guard properties.isAlphabetic || character.isDigit else {
                if !word.isEmpty { words.append(word) }
                word = ""
                wasLower = false
                continue
            }
            if properties.isUppercase, wasLower {
                words.append(word)
                word = ""
            }
            word += properties.lowercaseMapping
            wasLower = properties.isLowercase || character.isDigit
        }
        if !word.isEmpty { words.append(word) }
        return words
    }
}

extension Unicode.Scalar {
    fileprivate var isDigit: Bool { ("0"..."9").contains(self) }
}
