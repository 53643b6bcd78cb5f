/// The name in a `Content-Disposition` (RFC 6266). It comes from the server: see ``SafeFileName``.
struct ContentDisposition: Hashable, Sendable {
    /// The name of the file, from `filename*`, or else from `filename`; nil if there is none.
    let name: String?

    /// Parses a value such as `attachment; filename="a.txt"; filename*=UTF-8''%C3%A4.txt`.
    ///
    /// A `filename*` that is not valid is ignored. Parameters that come twice count once, the first one.
    init(_ text: String) {
        var plain: String?
        var extended: String?
        // The first part is the type.
        let parameters = text.utf8.firstIndex(of: UInt8(ascii: ";")).map { String(text[text.utf8.index(after: $0)...]) }
        for part in FieldList.elements(of: parameters ?? "", separator: UInt8(ascii: ";")) {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard pair.count == 2 else { continue }
            let value = pair[1].withoutBlanks
            switch pair[0].withoutBlanks.lowercasedToken {
            case "filename": plain = plain ?? value.unquoted
            case "filename*": extended = extended ?? Self.extended(value)
            default: break
            }
        }
        name = extended ?? plain
    }

    /// Decodes a value such as `UTF-8'en'%e2%82%ac` (RFC 8187); nil if it is malformed or in another charset.
    private static func extended(_ text: Substring) -> String? {
        let parts = text.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        var bytes: [UInt8] = []
        var rest = parts[2].utf8
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%") {
                guard let high = rest.popFirst()?.hexadecimalValue, let low = rest.popFirst()?.hexadecimalValue else {
                    return nil
                }
                bytes.append(high << 4 | low)
            } else if byte.isTokenCharacter, byte != UInt8(ascii: "*") {
                bytes.append(byte)
            } else {
                return nil
            }
        }
        switch parts[0].lowercasedToken {
        case "utf-8": return String(validating: bytes, as: UTF8.self)
        case "iso-8859-1": return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
        default: return nil
        }
    }
}
