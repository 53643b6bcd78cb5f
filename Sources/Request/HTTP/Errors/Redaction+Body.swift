#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The bodies of messages as texts for logs and recordings.
extension Redaction {
    /// Returns the text of a body with its secrets replaced; nil if the body is binary.
    ///
    /// - Parameters:
    ///   - body: The bytes of the body, or the first of them.
    ///   - contentType: The `Content-Type` of the message; nil if it has none.
    public func text(of body: Data, contentType: String?) -> String? {
        let type = contentType.flatMap(MediaType.init)
        guard let text = BodyText.of(body, type) else { return nil }
        switch (type?.type, type?.subtype) {
        case ("application", "x-www-form-urlencoded"): return redact(form: text)
        case ("multipart", _): return redact(multipart: text)
        case (_, let subtype?) where subtype == "json" || subtype.hasSuffix("+json"): return redact(json: text)
        case (_, let subtype?) where subtype == "xml" || subtype.hasSuffix("+xml"): return redact(xml: text)
        default:
            // Servers often send JSON without its type.
            return text.first { !$0.isWhitespace } == "{" ? redact(json: text) : redact(text: text)
        }
    }

    /// Redacts the fields of a form: `name=value&name=value`.
    func redact(form text: String) -> String {
        text.split(separator: "&", omittingEmptySubsequences: false).map { pair in
            guard let equals = pair.firstIndex(of: "=") else { return redact(text: String(pair)) }
            let name = PercentEncoding.decode(pair[..<equals], plusAsSpace: true)
            let value = String(pair[pair.index(after: equals)...])
            let isSecret =
                hides(field: name) || hides(queryItem: name)
                || redact(text: PercentEncoding.decode(value, plusAsSpace: true))
                    != PercentEncoding.decode(value, plusAsSpace: true)
            return "\(pair[..<equals])=\(isSecret ? Self.ellipsis : value)"
        }.joined(separator: "&")
    }

    /// Redacts the parts of a form with files. The boundary is in the first line.
    func redact(multipart text: String) -> String {
        guard text.hasPrefix("--"), let line = text.firstRange(of: "\r\n") else { return redact(text: text) }
        let boundary = text[..<line.lowerBound]
        return text.components(separatedByText: boundary).map { part -> String in
            guard let head = part.firstRange(of: "\r\n\r\n") else { return String(part) }
            let fields = redact(text: String(part[..<head.lowerBound]))
            let name = part[..<head.lowerBound].firstRange(of: " name=\"").map { start in
                String(part[start.upperBound...].prefix { $0 != "\"" })
            }
            let content = part[head.upperBound...]
            let end = content.hasSuffix("\r\n") ? "\r\n" : ""
            let isSecret = name.map { hides(field: $0) || hides(queryItem: $0) } ?? false
            let body = isSecret ? Self.ellipsis + end : redactPart(String(content), fields: part[..<head.lowerBound])
            return fields + "\r\n\r\n" + body
        }.joined(separator: String(boundary))
    }

    private func redactPart(_ content: String, fields: Substring) -> String {
        fields.lowercased().contains("json") ? redact(json: content) : redact(text: content)
    }

    /// Redacts the contents of elements with redacted names, besides the secrets that texts have.
    func redact(xml text: String) -> String {
        var result = ""
        var rest = text[...]
        while let open = rest.firstIndex(of: "<"), let close = rest[open...].firstIndex(of: ">") {
            let next = rest.index(after: close)
            result += rest[..<next]
            let name = rest[rest.index(after: open)..<close].prefix { !$0.isWhitespace && $0 != "/" }
            rest = rest[next...]
            guard !name.isEmpty, hides(field: String(name.split(separator: ":").last ?? name)) else { continue }
            let end = rest.firstRange(of: "</\(name)")?.lowerBound ?? rest.endIndex
            result += Self.ellipsis
            rest = rest[end...]
        }
        return redact(text: result + rest)
    }
}

extension String {
    /// Splits a text at each occurrence of another one.
    fileprivate func components(separatedByText separator: Substring) -> [Substring] {
        var parts: [Substring] = []
        var rest = self[...]
        while let place = rest.firstRange(of: separator) {
            parts.append(rest[..<place.lowerBound])
            rest = rest[place.upperBound...]
        }
        return parts + [rest]
    }
}
