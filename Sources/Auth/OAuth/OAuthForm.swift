/// The fields of a request to an OAuth 2 server, in order, each once.
struct OAuthForm: Sendable, ExpressibleByDictionaryLiteral {
    private(set) var fields: [(name: String, value: String)]

    /// Creates a form. Fields whose value is nil are left out.
    init(dictionaryLiteral fields: (String, String?)...) {
        self.fields = fields.compactMap { name, value in value.map { (name, $0) } }
    }

    /// Adds a field, unless there is one of this name.
    mutating func append(_ name: String, _ value: String) {
        guard !fields.contains(where: { $0.name.hasSameBytes(as: name) }) else { return }
        fields.append((name, value))
    }

    /// Adds fields in the order of their names. Fields that the form has already keep their values.
    mutating func append(_ others: [String: String]) {
        for (name, value) in others.sorted(by: { $0.key < $1.key }) { append(name, value) }
    }

    subscript(name: String) -> String? { fields.first { $0.name.hasSameBytes(as: name) }?.value }

    var query: Query { Query(pairs: fields.map { ($0.name, $0.value) }) }

    /// The values that no output may contain.
    var secrets: [String] {
        fields.filter { Redaction.standard.hides(field: $0.name) || Redaction.standard.hides(queryItem: $0.name) }
            .map(\.value)
    }
}

extension [String] {
    /// The scopes as one value; nil if there are none.
    var scope: String? { isEmpty ? nil : joined(separator: " ") }
}
