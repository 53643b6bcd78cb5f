extension Query {
    /// The names and values that a type encodes, in the order in which it encodes them.
    ///
    /// ```swift
    /// struct Filter: Encodable {
    ///     var author: Int?
    ///     var tags = ["a", "b"]
    ///     var range = ["from": 1, "to": 9]
    /// }
    /// let query = try Query(encoding: Filter(author: 3))
    /// #expect(try query.encoded(QueryStyle(nesting: .dots)) == "author=3&tags=a&tags=b&range.from=1&range.to=9")
    /// ```
    ///
    /// Properties that are nil are nil in the query too, for its style to decide. Dates stay dates, and URLs, UUIDs,
    /// decimals and data (as Base64) become text. Dictionaries are sorted by name.
    ///
    /// - Throws: A ``RequestEncodingError`` if the value has no names, because it is an array or a single value, or is
    ///   nested in a circle; and what the value's own `encode(to:)` throws.
    public init(encoding value: some Encodable) throws {
        switch try QueryEncoder.encode(value) {
        case .fields(let query): self = query
        case .unsupported(let reason):
            throw RequestEncodingError(.unsupportedValue, "The value to be encoded is \(reason).")
        case .null, .bool, .text, .date, .array:
            throw RequestEncodingError(
                .noNames,
                "\(type(of: value)) encodes as a list or a single value, which has no name in a query. "
                    + "Encode a type with properties, or write [\"name\": value].")
        }
    }
}
