extension Redaction {
    /// Names whose values are secret.
    struct Names: Hashable, Sendable {
        /// The names that also cover longer ones, which contain their words.
        private var words: Set<String>
        /// The names that cover no longer ones, because their words have many other uses: `access` is a token, and
        /// `access_level` is none.
        private var whole: Set<String>

        init(_ words: some Sequence<String>, whole: Set<String> = []) {
            self.words = Set(words.map { Self.words(of: $0).joined() })
            self.whole = whole
        }

        var count: Int { words.count + whole.count }

        func adding(_ names: some Sequence<String>) -> Names {
            var result = self
            result.words.formUnion(Names(names).words)
            return result
        }

        /// Returns whether a name is one of the names, or contains the words of one.
        ///
        /// - Parameter asWords: False if only an equal name counts.
        func cover(_ name: String, asWords: Bool = true) -> Bool {
            let parts = Self.words(of: name)
            let joined = parts.joined()
            if words.contains(joined) || whole.contains(joined) { return true }
            guard asWords, parts.count > 1 else { return false }
            for start in parts.indices {
                var joined = ""
                for part in parts[start...].prefix(3) {
                    joined += part
                    if words.contains(joined) { return true }
                }
            }
            return false
        }

        /// Splits names such as `X-Amz-Signature`, `access_token`, `refreshToken` and `JWTToken` into words, in lower case.
        private static func words(of name: String) -> [String] {
            var words: [String] = []
            var word = ""
            var wasLower = false
            let scalars = Array(name.unicodeScalars)
            for (index, scalar) in scalars.enumerated() {
                guard scalar.isLetter || scalar.isDigit else {
                    if !word.isEmpty { words.append(word) }
                    word = ""
                    wasLower = false
                    continue
                }
                // The last capital of several belongs to the next word, unless that is a plural: `JWTToken`, `URLs`.
                let beginsWord =
                    scalar.isUppercase && !word.isEmpty
                    && (wasLower
                        || scalars.dropFirst(index + 1).prefix(2).allSatisfy(\.isLowercase)
                            && scalars.count > index + 2)
                if beginsWord {
                    words.append(word)
                    word = ""
                }
                scalar.appendLowercase(to: &word)
                wasLower = scalar.isLowercase || scalar.isDigit
            }
            if !word.isEmpty { words.append(word) }
            return words
        }
    }
}

extension Unicode.Scalar {
    fileprivate var isDigit: Bool { ("0"..."9").contains(self) }

    // Most names are ASCII. The properties of Unicode take twenty times as long.

    fileprivate var isUppercase: Bool { isASCII ? ("A"..."Z").contains(self) : properties.isUppercase }

    fileprivate var isLowercase: Bool { isASCII ? ("a"..."z").contains(self) : properties.isLowercase }

    fileprivate var isLetter: Bool { isASCII ? isUppercase || isLowercase : properties.isAlphabetic }

    fileprivate func appendLowercase(to text: inout String) {
        if isASCII {
            text.unicodeScalars.append(isUppercase ? Unicode.Scalar(UInt8(value) | 0x20) : self)
        } else {
            text += properties.lowercaseMapping
        }
    }
}
