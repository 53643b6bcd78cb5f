/// The fields of a JSON object, written as a literal of mixed values.
///
/// ```swift
/// let title = "Hello"
/// let score: Double? = nil
/// let fields: JSONFields = ["title": title, "tags": ["a"], "author": ["id": 1], "draft": nil, "score": score]
/// ```
///
/// A value may be of any Encodable type, an enumeration with a raw value, or an array, dictionary or optional of these,
/// in any nesting. A value of nil is sent as `null`; to send nothing, leave out its name. Any other value is an error
/// when the object is encoded. The error names the field.
///
/// Names keep their order, and the encoder's strategy for keys never changes them. If a name occurs twice, the later
/// value replaces the first, in the same position. Dictionaries among the values are sorted by name, so that the same
/// fields always have the same bytes. To keep the order of an inner literal, write it `as JSONFields`. The literals of
/// `.json([…])` and `JSONFields([…])` keep the order of most inner literals: see ``JSONLiteral``.
///
/// Values of your own types need not be Sendable, because they are read when the literal is created.
public struct JSONFields: Sendable {
    struct Field: Sendable {
        let name: String
        var value: any Encodable & Sendable
    }

    private(set) var fields: [Field] = []

    /// Creates an object without fields.
    public init() {}

    /// Creates an object with the same fields, for a literal: `JSONFields(["a": user])`.
    @_disfavoredOverload
    public init(_ fields: JSONFields) {
        self = fields
    }

    /// Creates an object from a literal with inner literals. The order is preserved at every level.
    public init(_ literal: Literal) {
        self = literal.fields
    }

    /// Creates an object with the entries of a dictionary, sorted by name.
    public init<Value: Encodable & Sendable>(sorting dictionary: [String: Value]) {
        fields = dictionary.sortedByName.map { Field(name: $0, value: $1) }
    }

    init(pairs: some Sequence<(String, (any Encodable & Sendable)?)>) {
        for (name, value) in pairs { append(value, named: name) }
    }

    init(any pairs: some Sequence<(String, Any?)>) {
        self.init(pairs: pairs.lazy.map { ($0, JSONAny.value($1)) })
    }

    /// Adds a field at the end, or replaces its value. A value of nil is sent as `null`.
    public mutating func append(_ value: (any Encodable & Sendable)?, named name: String) {
        self[name] = value ?? JSONNull()
    }

    /// The value of a field; nil if there is no such field.
    ///
    /// Setting a value replaces the old one or adds a field at the end. Setting nil removes the field.
    public subscript(name: String) -> (any Encodable & Sendable)? {
        get { fields.first { $0.name == name }?.value }
        set {
            let index = fields.firstIndex { $0.name == name }
            switch (index, newValue) {
            case (let index?, let value?): fields[index].value = value
            case (let index?, nil): fields.remove(at: index)
            case (nil, let value?): fields.append(Field(name: name, value: value))
            case (nil, nil): break
            }
        }
    }

    /// The names, in order.
    public var names: [String] { fields.map(\.name) }
}

extension JSONFields: ExpressibleByDictionaryLiteral {
    public init(dictionaryLiteral elements: (String, Any?)...) {
        self.init(any: elements)
    }
}

extension JSONFields {
    /// The literal of an object. Its values are ``JSONConvertible`` or literals, which may mix types and contain nil.
    ///
    /// ```swift
    /// let text = "query { user { name } }"
    /// let cursor: String? = nil
    /// let fields = JSONFields(["query": text, "variables": ["id": 1, "after": cursor, "in": [["q": "a", "n": 1]]]])
    /// ```
    public struct Literal: ExpressibleByDictionaryLiteral, Sendable {
        /// The fields.
        public let fields: JSONFields

        public init(dictionaryLiteral elements: (String, (any JSONListConvertible)?)...) {
            fields = JSONFields(pairs: elements.lazy.map { ($0.0, $0.1?.jsonValue) })
        }
    }
}

extension JSONFields: Encodable {
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: JSONKey.self)
        for field in fields { try container.encode(field.value, forKey: JSONKey(stringValue: field.name)) }
    }
}

extension JSONFields {
    /// Returns the object as JSON, in the order of its fields. The encoder writes the values.
    ///
    /// The encoder's output formatting also applies: `sortedKeys` sorts the fields.
    ///
    /// - Parameter encoder: The encoder, by default that of ``JSONCoding/default``.
    /// - Throws: An error that names the field whose value could not be encoded.
    public func encoded(by encoder: JSONEncoder = JSONCoding.default.encoder) throws -> Data {
        try JSONWriter.data(of: self, by: encoder)
    }
}
