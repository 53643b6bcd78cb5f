/// A parsed content type: `text/html; charset=utf-8`.
package struct MediaType: Hashable, Sendable {
    /// The type in lower case, without parameters.
    package let type: String
    package let subtype: String
    /// The `charset` parameter, without quotes.
    let charset: String?

    package init?(_ text: String) {
        let parts = Self.split(text)
        let names = parts[0].trimmedBlanks.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard names.count == 2, !names[0].isEmpty, !names[1].isEmpty else { return nil }
        type = names[0].lowercased()
        subtype = names[1].lowercased()
        charset =
            parts.dropFirst().lazy.compactMap { part -> String? in
                let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                guard pair.count == 2, pair[0].trimmedBlanks.lowercased() == "charset" else { return nil }
                let value = String(pair[1].trimmedBlanks).unquoted
                return value.isEmpty ? nil : value
            }.first
    }

    /// Returns whether a pattern such as `application/json`, `image/*` or `application/*+json` matches the type.
    func matches(_ pattern: MediaType) -> Bool {
        Self.matches(type, pattern.type) && Self.matches(subtype, pattern.subtype)
    }

    private static func matches(_ text: String, _ pattern: String) -> Bool {
        guard let star = pattern.firstIndex(of: "*") else { return text == pattern }
        let before = pattern[..<star]
        let after = pattern[pattern.index(after: star)...]
        return text.utf8.count >= before.utf8.count + after.utf8.count && text.hasPrefix(before)
            && text.hasSuffix(after)
    }

    /// Splits a text at semicolons that are not in quotes.
    private static func split(_ text: String) -> [Substring] {
        var isQuoted = false
        var isEscaped = false
        return text.split(omittingEmptySubsequences: false) { character in
            defer { isEscaped = isQuoted && character == "\\" && !isEscaped }
            if character == "\"", !isEscaped { isQuoted.toggle() }
            return character == ";" && !isQuoted
        }
    }
}

extension Substring {
    fileprivate var trimmedBlanks: Substring {
        var rest = self
        while let first = rest.first, first == " " || first == "\t" { rest.removeFirst() }
        while let last = rest.last, last == " " || last == "\t" { rest.removeLast() }
        return rest
    }
}

extension String {
    /// The text without surrounding quotes and escaping backslashes.
    fileprivate var unquoted: String {
        guard count >= 2, first == "\"", last == "\"" else { return self }
        var isEscaped = false
        return String(
            dropFirst().dropLast().filter { character in
                defer { isEscaped = character == "\\" && !isEscaped }
                return character != "\\" || isEscaped
            })
    }
}
