#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The fields of a JSON object, written as a literal of mixed values.
///
/// ```swift
/// let title = "Hello"
/// let score: Double? = nil
/// let fields: JSONFields = ["title": title, "tags": ["a"], "author": ["id": 1], "draft": nil, "score": score]
/// ```
///
/// A value may be anything Encodable, an enumeration with a raw value, and arrays, dictionaries and optionals of these, in
/// any nesting. One that is nil is sent as `null`; leave the name out to send nothing. Any other value is an error when the
/// object is encoded, which names the field.
///
/// Names keep the order in which they are written, and are never changed by the encoder's strategy for keys. If one occurs
/// twice, the later value counts, in the place of the first. Dictionaries among the values are sorted by name, so that the
/// same fields are the same bytes each time; write the literal of one `as JSONFields` to keep its order. The literals of
/// `.json([…])` and `JSONFields([…])` keep it by themselves where they can: see ``JSONLiteral``.
///
/// Values of a literal whose types are yours are read when the literal is made, so that they need not be Sendable.
public struct JSONFields: Sendable {
    struct Field: Sendable {
        let name: String
        var value: any Encodable & Sendable
    }

    private(set) var fields: [Field] = []

    /// An object without fields.
    public init() {}

    /// The same fields, for a literal: `JSONFields(["a": user])`.
    @_disfavoredOverload
    public init(_ fields: JSONFields) {
        self = fields
    }

    /// The fields of a literal that has others in it, in the order in which they are written at every level.
    public init(_ literal: Literal) {
        self = literal.fields
    }

    /// The entries of a dictionary, sorted by name.
    public init<Value: Encodable & Sendable>(sorting dictionary: [String: Value]) {
        fields = dictionary.sorted { $0.key < $1.key }.map { Field(name: $0.key, value: $0.value) }
    }

    init(pairs: some Sequence<(String, (any Encodable & Sendable)?)>) {
        for (name, value) in pairs { append(value, named: name) }
    }

    init(any pairs: some Sequence<(String, Any?)>) {
        self.init(pairs: pairs.lazy.map { ($0, JSONAny.value($1)) })
    }

    /// Adds a name at the end, or replaces its value. One that is nil is sent as `null`.
    public mutating func append(_ value: (any Encodable & Sendable)?, named name: String) {
        self[name] = value ?? JSONNull()
    }

    /// The value of a name, nil if it has none.
    ///
    /// Setting it replaces the value, or adds the name at the end; setting nil removes the name.
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
    /// The literal of an object, whose values are ``JSONConvertible``, and literals of mixed and nil values.
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
    /// The object as JSON, in the order of its fields, with the values as an encoder writes them: that of
    /// ``JSONCoding/default`` unless you give another.
    ///
    /// The encoder's formatting is followed too: its `sortedKeys` sorts the fields.
    ///
    /// - Throws: A ``RequestEncodingError`` that names the field whose value could not be encoded.
    public func encoded(by encoder: JSONEncoder = JSONCoding.default.encoder) throws -> Data {
        try JSONWriter.data(of: self, by: encoder)
    }
}
