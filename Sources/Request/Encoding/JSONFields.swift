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
/// A value is whatever is Encodable and Sendable: text, numbers, arrays, types of yours. One that is nil is sent as
/// `null`; leave the name out to send nothing. Names keep the order in which they are written, and are never changed by
/// the encoder's strategy for keys. If one occurs twice, the later value counts, in the place of the first.
/// Dictionaries among the values are sorted by name, so that the same fields are the same bytes each time.
///
/// A literal inside this one must be of one type of values. Where they are mixed in there too, and all values are
/// ``JSONConvertible``, write a ``Literal``, which is what `.json([...])` takes as well; or write the inner one
/// `as JSONFields`.
public struct JSONFields: Sendable {
    struct Field: Sendable {
        let name: String
        var value: any Encodable & Sendable
    }

    private(set) var fields: [Field] = []

    /// An object without fields.
    public init() {}

    /// The same fields, for a literal: `JSONFields(["a": 1])`.
    public init(_ fields: JSONFields) {
        self = fields
    }

    /// The entries of a dictionary, sorted by name.
    public init<Value: Encodable & Sendable>(sorting dictionary: [String: Value]) {
        fields = dictionary.sorted { $0.key < $1.key }.map { Field(name: $0.key, value: $0.value) }
    }

    init(pairs: some Sequence<(String, (any Encodable & Sendable)?)>) {
        for (name, value) in pairs { append(value, named: name) }
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
    public init(dictionaryLiteral elements: (String, (any Encodable & Sendable)?)...) {
        self.init(pairs: elements)
    }
}

extension JSONFields: Encodable {
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Name.self)
        for field in fields { try container.encode(field.value, forKey: Name(stringValue: field.name)) }
    }

    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
}

extension JSONFields {
    /// The object as JSON, in the order of its fields, with the values as an encoder writes them.
    ///
    /// The encoder's formatting is followed too: its `sortedKeys` sorts the fields.
    ///
    /// - Throws: A ``RequestEncodingError`` that names the field whose value could not be encoded.
    public func encoded(by encoder: JSONEncoder = JSONEncoder()) throws -> Data {
        var writer = JSONWriter(encoder: encoder)
        try writer.write(self)
        return writer.data
    }
}

/// What stands for nil.
struct JSONNull: Encodable, Sendable {
    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encodeNil()
    }
}
