/// The bodies of messages, as texts for logs and recordings.
extension Redaction {
    /// The names and values of secret fields.
    package typealias SecretFields = [(name: String, value: String)]

    /// Returns the text of a body with its secrets replaced; nil if the body is binary.
    ///
    /// - Parameters:
    ///   - body: The bytes of the body, or the first of them.
    ///   - contentType: The `Content-Type` of the message; nil if it has none.
    public func text(of body: Data, contentType: String?) -> String? {
        BodyText.of(body, contentType.flatMap { MIMEType(parsing: $0) }).map { text in
            String(decoding: redacted(Data(text.utf8), contentType: contentType), as: UTF8.self)
        }
    }

    /// Returns a body for a recording, with its secrets replaced: as a text, or in base64 if a text would not give back the
    /// same bytes.
    package func recorded(_ body: Data, contentType: String) -> (text: String, encoding: String?) {
        let shown = Data(redacted(body, contentType: contentType))
        if let text = BodyText.of(body, MIMEType(parsing: contentType)), Data(text.utf8) == body {
            return (String(decoding: shown, as: UTF8.self), nil)
        }
        return (shown.base64EncodedString(), "base64")
    }

    /// Returns the bytes of a body with its secrets replaced. A binary body is searched for known secrets only.
    package func redacted(_ body: Data, contentType: String?) -> [UInt8] {
        var found: SecretFields = []
        return redacted(body, contentType: contentType, found: &found)
    }

    /// Returns the fields of a body whose values are secret because of their place.
    package func secretFields(of body: Data, contentType: String?) -> SecretFields {
        var found: SecretFields = []
        _ = redacted(body, contentType: contentType, found: &found)
        return found
    }

    private func redacted(_ body: Data, contentType: String?, found: inout SecretFields) -> [UInt8] {
        let type = contentType.flatMap { MIMEType(parsing: $0) }
        let bytes = Array(body)
        switch (type?.type, type?.subtype) {
        case ("application", "x-www-form-urlencoded"): return redact(form: bytes, &found)
        case ("multipart", _): return redact(multipart: bytes, &found)
        case (_, let subtype?) where subtype.hasSuffix("json"): return redact(json: bytes, found: &found)
        case (_, let subtype?) where subtype == "xml" || subtype.hasSuffix("+xml"): return redact(xml: bytes, &found)
        default:
            // Servers often send JSON without its type.
            let first = bytes.first { $0 > UInt8(ascii: " ") }
            let isJSON = first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
            return isJSON ? redact(json: bytes, found: &found) : redact(plain: bytes)
        }
    }

    /// Redacts a text without structure, or binary bytes.
    private func redact(plain bytes: [UInt8]) -> [UInt8] {
        if let text = String(validating: bytes, as: UTF8.self) { return Array(redact(text: text).utf8) }
        return bytes.withUnsafeBufferPointer { search.replacing(in: $0) } ?? bytes
    }

    /// Redacts the fields of a form: `name=value&name=value`.
    private func redact(form bytes: [UInt8], _ found: inout SecretFields) -> [UInt8] {
        let pairs = bytes.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
        return Array(
            pairs.map { pair -> [UInt8] in
                guard let equals = pair.firstIndex(of: UInt8(ascii: "=")) else { return redact(plain: Array(pair)) }
                let name = Self.decoded(pair[..<equals])
                let value = Self.decoded(pair[pair.index(after: equals)...])
                if hides(field: name) || hides(queryItem: name) {
                    found.append((name, value))
                } else if redact(text: value).hasSameBytes(as: value) {
                    return Array(pair)
                }
                return Array(pair[...equals]) + Self.ellipsis.utf8
            }.joined(separator: [UInt8(ascii: "&")]))
    }

    private static func decoded(_ bytes: ArraySlice<UInt8>) -> String {
        PercentEncoding.decode(String(decoding: bytes, as: UTF8.self), plusAsSpace: true)
    }

    /// Redacts the parts of a form with files, each by its own type. The boundary is in the first line.
    private func redact(multipart bytes: [UInt8], _ found: inout SecretFields) -> [UInt8] {
        guard bytes.starts(with: "--".utf8), let line = bytes.firstRange(of: Array("\r\n".utf8)) else {
            return redact(plain: bytes)
        }
        let boundary = bytes[..<line.lowerBound]
        return Array(
            bytes.split(separator: boundary, omittingEmptySubsequences: false).map { part in
                guard let head = part.firstRange(of: Array("\r\n\r\n".utf8)) else { return Array(part) }
                let fields = String(decoding: part[..<head.lowerBound], as: UTF8.self)
                var content = part[head.upperBound...]
                let end = content.suffix(2).elementsEqual("\r\n".utf8) ? content.suffix(2) : []
                content = content.dropLast(end.count)
                let name = Self.parameter("name", in: fields)
                var body = Array(Self.ellipsis.utf8)
                if hides(field: name) || hides(queryItem: name) {
                    found.append((name, String(decoding: content, as: UTF8.self)))
                } else {
                    body = redacted(Data(content), contentType: Self.type(in: fields), found: &found)
                }
                return Array(redact(text: fields).utf8) + "\r\n\r\n".utf8 + body + end
            }.joined(separator: boundary))
    }

    private static func parameter(_ name: String, in fields: String) -> String {
        fields.firstRange(of: " \(name)=\"").map { String(fields[$0.upperBound...].prefix { $0 != "\"" }) } ?? ""
    }

    private static func type(in fields: String) -> String? {
        fields.split(separator: "\r\n").first { $0.lowercased().hasPrefix("content-type:") }
            .map { String($0.dropFirst("content-type:".count).drop { $0 == " " }) }
    }

    /// Redacts the contents of elements with redacted names, besides the secrets that texts have.
    private func redact(xml bytes: [UInt8], _ found: inout SecretFields) -> [UInt8] {
        guard let text = String(validating: bytes, as: UTF8.self) else { return redact(plain: bytes) }
        var result = ""
        var rest = text[...]
        while let open = rest.firstIndex(of: "<"), let close = rest[open...].firstIndex(of: ">") {
            let next = rest.index(after: close)
            result += rest[..<next]
            let name = rest[rest.index(after: open)..<close].prefix { !$0.isWhitespace && $0 != "/" }
            rest = rest[next...]
            guard !name.isEmpty, hides(field: String(name.split(separator: ":").last ?? name)) else { continue }
            let end = rest.firstRange(of: "</\(name)")?.lowerBound ?? rest.endIndex
            found.append((String(name), String(rest[..<end])))
            result += Self.ellipsis
            rest = rest[end...]
        }
        return Array(redact(text: result + rest).utf8)
    }
}
