extension Query: CustomStringConvertible {
    /// The query as it stands in a URL, with the values of credentials left out: `page=2&token=…`.
    public var description: String {
        // What cannot be sent has no such form: then only the names are shown.
        let text = (try? encoded()) ?? fields.map(\.name).joined(separator: "&")
        return String(Redaction.standard.redact(reference: "?\(text)").dropFirst())
    }
}

extension Query.Field: CustomStringConvertible {
    /// The name and the value, which is left out if it is a credential.
    public var description: String { Query(fields: [self]).description }
}
