#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Redaction {
    /// A text with the secrets of each URL in it replaced: for the words of errors from elsewhere, which like to name
    /// one.
    public func redact(text: String) -> String {
        var result = ""
        var rest = text[...]
        while let separator = rest.firstRange(of: "://") {
            let start =
                rest[..<separator.lowerBound].lastIndex { !$0.isSchemeCharacter }
                .map { rest.index(after: $0) } ?? rest.startIndex
            let end = rest[separator.upperBound...].firstIndex { $0.endsURL } ?? rest.endIndex
            result += rest[..<start] + redact(reference: String(rest[start..<end]))
            rest = rest[end...]
        }
        return result + rest
    }

    /// A URL, or a part of one such as `/path?query`, with its secrets replaced.
    func redact(reference: String) -> String {
        var rest = reference[...]
        var result = ""
        if let authority = rest.firstRange(of: "//"), !rest[..<authority.lowerBound].contains(where: \.endsAuthority) {
            result += rest[..<authority.upperBound]
            rest = rest[authority.upperBound...]
            let end = rest.firstIndex(where: \.endsAuthority) ?? rest.endIndex
            if let at = rest[..<end].lastIndex(of: "@") {
                result += Self.ellipsis
                rest = rest[at...]
            }
        }
        let fragment = rest.firstIndex(of: "#") ?? rest.endIndex
        let query = rest[..<fragment].firstIndex(of: "?") ?? fragment
        result += rest[..<query]
        result += redact(items: rest[query..<fragment])
        result += redact(items: rest[fragment...])
        return result
    }

    /// `?name=value&…` or `#name=value&…`, with its first character.
    private func redact(items: Substring) -> String {
        guard let first = items.first else { return "" }
        let pairs = items.dropFirst().split(separator: "&", omittingEmptySubsequences: false).map { item in
            guard let equals = item.firstIndex(of: "=") else { return String(item) }
            let name = String(item[..<equals])
            guard hides(queryItem: name.decodedPercents) else { return String(item) }
            return name + "=" + Self.ellipsis
        }
        return String(first) + pairs.joined(separator: "&")
    }
}

extension String {
    /// `access%5Ftoken` as `access_token`: a name is found however it is written.
    fileprivate var decodedPercents: String {
        guard utf8.contains(UInt8(ascii: "%")) else { return self }
        var bytes: [UInt8] = []
        var rest = utf8[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), let code = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) {
                bytes.append(code)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension Character {
    fileprivate var isSchemeCharacter: Bool {
        isASCII && (isLetter || isNumber || self == "+" || self == "-" || self == ".")
    }

    fileprivate var endsURL: Bool {
        isWhitespace || self == "\"" || self == "<" || self == ">" || self == "'" || self == ")" || self == "]"
    }

    fileprivate var endsAuthority: Bool {
        self == "/" || self == "?" || self == "#"
    }
}
