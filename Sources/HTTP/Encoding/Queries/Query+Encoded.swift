extension Query {
    /// Returns the query as in a URL, without the `?`.
    ///
    /// - Throws: A ``RequestEncodingError`` for a value that cannot be written, such as a number that is not finite.
    public func encoded(_ style: QueryStyle = QueryStyle()) throws -> String {
        try encoded(style, set: .component, spaceAsPlus: style.spaces == .plus)
    }

    /// Returns the query as the body of a form: `application/x-www-form-urlencoded`, with `+` for a space.
    ///
    /// - Throws: A ``RequestEncodingError`` for a value that cannot be written, such as a number that is not finite.
    public func formEncoded(_ style: QueryStyle = QueryStyle()) throws -> String {
        try encoded(style, set: .form, spaceAsPlus: true)
    }

    private func encoded(_ style: QueryStyle, set: PercentEncodeSet, spaceAsPlus: Bool) throws -> String {
        if let problem { throw problem.error }
        guard !fields.isEmpty else { return "" }
        var writer = QueryWriter(style: style, set: set, spaceAsPlus: spaceAsPlus)
        for field in fields {
            try writer.write(field.value, name: field.name, depth: 0)
        }
        return writer.text
    }

    /// Parses a query or the body of a form.
    ///
    /// The rules are those of browsers: a `+` is a space, a name without `=` has an empty value, empty parts are
    /// skipped, and malformed escapes stay unchanged. All values are text. Brackets and dots in names are not
    /// interpreted.
    ///
    /// ```swift
    /// let query = Query(parsing: "q=caf%C3%A9+bar&tag=a&tag=b")
    /// #expect(query["q"] == "café bar")
    /// #expect(query.all("tag") == ["a", "b"])
    /// ```
    ///
    /// - Parameters:
    ///   - text: The text after the `?` of a URL, or a whole form.
    ///   - plusAsSpace: A Boolean value that indicates whether a `+` is a space. Pass `false` if the server reads
    ///     it as `+`.
    public init(parsing text: some StringProtocol, plusAsSpace: Bool = true) {
        let parts = Substring(text).utf8.split(separator: UInt8(ascii: "&"))
        self.init(
            fields: parts.map { part in
                let end = part.firstIndex(of: UInt8(ascii: "=")) ?? part.endIndex
                let name = PercentEncoding.decode(Substring(part[..<end]), plusAsSpace: plusAsSpace)
                let value = PercentEncoding.decode(Substring(part[end...].dropFirst()), plusAsSpace: plusAsSpace)
                return Field(name: name, value: .text(value))
            })
    }
}

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
