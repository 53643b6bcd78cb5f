/// The value of one field in the response of an OAuth 2 server.
enum TokenResponseField: Decodable, Hashable, Sendable {
    case text(String)
    case number(Double)
    case list([String])
    /// A value of another kind, which OAuth 2 does not know.
    case other

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let text = try? container.decode(String.self) {
            self = .text(text)
        } else if let number = try? container.decode(Double.self) {
            self = .number(number)
        } else if let list = try? container.decode([String].self) {
            self = .list(list)
        } else {
            self = .other
        }
    }

    var text: String? {
        if case .text(let text) = self { text } else { nil }
    }

    /// A number of seconds, which some servers send as a text; nil if it is none. Negative numbers count as zero.
    var seconds: Double? {
        let number: Double? =
            switch self {
            case .number(let number): number
            case .text(let text): Self.number(text)
            case .list, .other: nil
            }
        guard let number, number.isFinite else { return nil }
        // Three hundred years, so that a date can be computed.
        return min(max(number, 0), 1e10)
    }

    /// The scopes: a text with spaces between them, or a list as some servers send it.
    var scopes: [String]? {
        switch self {
        case .text(let text): text.split(separator: " ").map(String.init)
        case .list(let list): list
        case .number, .other: nil
        }
    }

    /// Returns the number that a text consists of, without names such as `nan`, and without hexadecimal digits.
    private static func number(_ text: String) -> Double? {
        let allowed = text.utf8.allSatisfy { $0.isDigit || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-") }
        return allowed && text.utf8.count <= 30 ? Double(text) : nil
    }
}

extension TokenResponseField {
    /// Returns the fields of a body: a JSON object or a form. Returns nil if it is neither.
    static func fields(of response: HTTPResponse) -> [String: TokenResponseField]? {
        let body = response.body
        guard body.count <= TokenResponse.limit else { return nil }
        if let object = try? JSONDecoder().decode([String: TokenResponseField].self, from: body) { return object }
        guard isForm(response), !JSONPlace.looksLikeMarkup(body), let text = String(bytes: body, encoding: .utf8) else {
            return nil
        }
        let fields = Query(parsing: text).fields.compactMap { field -> (String, TokenResponseField)? in
            guard case .text(let value) = field.value else { return nil }
            return (field.name, .text(value))
        }
        return fields.isEmpty ? nil : Dictionary(fields) { first, _ in first }
    }

    private static func isForm(_ response: HTTPResponse) -> Bool {
        guard let type = response.headers["Content-Type"].flatMap({ MIMEType(parsing: $0) }) else { return false }
        return [MIMEType.form, MIMEType.text].contains { $0.essence == type.essence }
    }
}
