extension Query {
    /// Creates a query from the properties that a value encodes, in the same order.
    ///
    /// ```swift
    /// struct Filter: Encodable {
    ///     var author: Int?
    ///     var tags = ["a", "b"]
    ///     var range = ["from": 1, "to": 9]
    /// }
    /// let query = Query(encoding: Filter(author: 3))
    /// #expect(try query.encoded(QueryStyle(nesting: .dots)) == "author=3&tags=a&tags=b&range.from=1&range.to=9")
    /// ```
    ///
    /// Properties that are nil are nil in the query, and the style determines how they are written. Dates stay dates.
    /// URLs, UUIDs, decimals and data (as Base64) become text. Dictionaries are sorted by name.
    ///
    /// Errors are thrown when the query is written, which for an endpoint is when the request is sent. The reasons are:
    /// the value is an array or a single value and so has no names, it is nested in a cycle, or its `encode(to:)`
    /// throws.
    public init(encoding value: some Encodable) {
        do {
            let node = try ValueEncoder.encode(value)
            switch node.content {
            case .none, .fields:
                if case .fields(let query) = QueryValue(node) { self = query } else { self.init() }
            case .absent, .leaf, .array:
                self.init(
                    problem: RequestEncodingError(
                        .noNames,
                        "\(type(of: value)) encodes as a list or a single value, which has no name in a query: "
                            + "encode a type with properties, or write [\"name\": value]"))
            }
        } catch let error as RequestEncodingError {
            self.init(problem: error)
        } catch {
            self.init(
                problem: RequestEncodingError(
                    .unsupportedValue,
                    "\(type(of: value)) cannot be encoded as a query: check its encode(to:), which threw \(ErrorText.of(error))",
                    underlying: error))
        }
    }
}
