extension JSONFields {
    /// Fields in whose literal others stand, with mixed and nil values on every level.
    ///
    /// ```swift
    /// let text = "query { user { name } }"
    /// let cursor: String? = nil
    /// let fields = JSONFields(["query": text, "variables": ["id": 1, "after": cursor, "in": [["q": "a", "n": 1]]]])
    /// ```
    ///
    /// The fields of an inner literal are sorted by name, because it is a dictionary, which has no order.
    public struct Literal: ExpressibleByDictionaryLiteral, Sendable {
        /// The fields.
        public let fields: JSONFields

        public init(dictionaryLiteral elements: (String, (any JSONConvertible)?)...) {
            fields = JSONFields(pairs: elements.lazy.map { ($0.0, $0.1?.jsonValue) })
        }
    }

    /// The fields of a literal in which others stand.
    @_disfavoredOverload
    public init(_ literal: Literal) {
        self = literal.fields
    }
}
