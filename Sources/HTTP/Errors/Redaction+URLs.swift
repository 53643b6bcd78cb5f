extension Redaction {
    /// Returns a text with its secrets replaced, such as the message of an error from another library. These are the secrets
    /// that are known by value, and those in URLs.
    ///
    /// A URL ends at white space, at a double quote and at angle brackets. All other characters may be part of a URL,
    /// so a secret after a `]` or a `'` is found. A path with a query counts as a URL.
    public func redact(text: String) -> String {
        redactURLs(in: search.replacing(in: text))
    }

    private func redactURLs(in text: String) -> String {
        guard mayRedact(text) else { return text }
        var result = ""
        var rest = text[...]
        while let start = rest.firstIndex(where: { !$0.endsURL }) {
            result += rest[..<start]
            let end = rest[start...].firstIndex(where: \.endsURL) ?? rest.endIndex
            result += redact(word: rest[start..<end])
            rest = rest[end...]
        }
        return result + rest
    }

    /// Redacts a part of a text without white space, such as `see:https://example.com/?token=…,`.
    private func redact(word: Substring) -> String {
        guard word.utf8.contains(UInt8(ascii: "/")), mayRedact(word) else { return String(word) }
        // Punctuation after the URL belongs to the sentence.
        var end = word.endIndex
        while end > word.startIndex, word[word.index(before: end)].closesSentence { end = word.index(before: end) }
        let (url, marks) = (word[..<end], word[end...])
        guard let separator = url.firstRange(of: "://") else { return redact(reference: String(url)) + marks }
        let start =
            url[..<separator.lowerBound].lastIndex { !$0.isSchemeCharacter }.map { url.index(after: $0) }
            ?? url.startIndex
        return url[..<start] + redact(reference: String(url[start...])) + marks
    }

    /// Returns a URL, or a part of one such as `/path?query`, with its secrets replaced.
    package func redact(reference: String) -> String {
        let reference = search.replacing(in: reference)
        let fragment = reference.firstIndex(of: "#") ?? reference.endIndex
        let query = reference[..<fragment].firstIndex(of: "?") ?? fragment
        return redact(place: reference[..<query]) + redact(items: reference[query..<fragment])
            + redact(items: reference[fragment...])
    }

    /// Redacts the part before the query: `https://user:password@host/path;name=value`, or a part of that. The path may
    /// contain another URL.
    private func redact(place: Substring) -> String {
        var rest = place
        var result = ""
        while let slashes = rest.firstRange(of: "//") {
            let isAuthority = result.isEmpty && !rest[..<slashes.lowerBound].contains("/")
            let isURL = rest[..<slashes.lowerBound].last == ":"
            result += redact(path: rest[..<slashes.lowerBound]) + "//"
            rest = rest[slashes.upperBound...]
            let end = rest.firstIndex(of: "/") ?? rest.endIndex
            guard isAuthority || isURL, let at = rest[..<end].lastIndex(of: "@") else { continue }
            result += Self.ellipsis
            rest = rest[at...]
        }
        return result + redact(path: rest)
    }

    /// Redacts a path. Each segment may be a secret, or have parameters after semicolons.
    private func redact(path: Substring) -> String {
        guard hasSecrets || path.utf8.contains(UInt8(ascii: ";")) else { return String(path) }
        return path.split(separator: "/", omittingEmptySubsequences: false).map { segment in
            if hides(segment: segment) { return Self.ellipsis }
            return segment.utf8.contains(UInt8(ascii: ";")) ? redact(item: segment) : String(segment)
        }.joined(separator: "/")
    }

    /// Redacts `?name=value&…` or `#name=value&…`, including the first character.
    private func redact(items: Substring) -> String {
        guard let first = items.first else { return "" }
        let pairs = items.dropFirst().split(separator: "&", omittingEmptySubsequences: false).map(redact(item:))
        return String(first) + pairs.joined(separator: "&")
    }

    /// Redacts `name=value`, or several of them separated by semicolons, as some servers read them.
    ///
    /// A semicolon may also be part of a value, so all text after a redacted name is left out.
    private func redact(item: Substring) -> String {
        var start = item.startIndex
        while true {
            let end = item[start...].firstIndex(of: ";") ?? item.endIndex
            if let equals = item[start..<end].firstIndex(of: "="),
                hides(queryItem: PercentEncoding.decode(item[start..<equals]))
                    || holdsSecret(item[item.index(after: equals)..<end])
            {
                return item[...equals] + Self.ellipsis
            }
            guard end < item.endIndex else { return String(item) }
            start = item.index(after: end)
        }
    }

    /// Returns whether a value is a URL that contains secrets, as in `?next=https%3A%2F%2Fexample.com%2F%3Ftoken%3D…`.
    private func holdsSecret(_ value: Substring) -> Bool {
        let text = PercentEncoding.decode(value)
        return redact(word: text[...]) != text
    }
}

extension Character {
    fileprivate var isSchemeCharacter: Bool {
        isASCII && (isLetter || isNumber || self == "+" || self == "-" || self == ".")
    }

    fileprivate var endsURL: Bool {
        isWhitespace || self == "\"" || self == "<" || self == ">"
    }

    /// A Boolean value that indicates whether the character after a URL may be punctuation of a sentence.
    fileprivate var closesSentence: Bool {
        switch self {
        case "'", ")", "]", "}", ",", ".", ";", ":", "!": true
        default: false
        }
    }
}
