extension Query: CustomStringConvertible {
    /// The query as in a URL, with the values of credentials redacted: `page=2&token=…`.
    public var description: String {
        // If a value cannot be encoded, the description contains only the names.
        let text = (try? encoded()) ?? fields.map(\.name).joined(separator: "&")
        return String(Redaction.standard.redact(reference: "?\(text)").dropFirst())
    }
}

extension Query.Field: CustomStringConvertible {
    /// The name and the value, which is redacted if it is a credential.
    public var description: String { Query(fields: [self]).description }
}
