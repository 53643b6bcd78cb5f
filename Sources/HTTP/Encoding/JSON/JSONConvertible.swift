/// A type whose values can be combined with values of other types in the literal of a JSON body, at any depth.
///
/// Numbers, text, Booleans, dates, URLs, UUIDs and data conform, and so do arrays and optionals of these. A type of
/// yours must be Encodable and Sendable. It needs no conformance to be a value in a literal. With a conformance, the
/// compiler checks the literal as a whole, and dictionaries beside the value keep their order. Without a conformance,
/// they are sorted by name.
///
/// ```swift
/// struct Place: Codable, Sendable, JSONConvertible { var city = "Rome" }
///
/// let body = Body.json(["at": Place(), "by": ["name": "Ada", "id": 1, "from": Place()]])
/// ```
public typealias JSONConvertible = JSONListConvertible & JSONMixedConvertible

/// The half of ``JSONConvertible`` for literals whose arrays have elements of one type, such as variables.
public protocol JSONListConvertible {
    /// The value that is encoded.
    var jsonValue: any Encodable & Sendable { get }
}

/// The half of ``JSONConvertible`` for literals whose arrays have elements of several types, such as `[1, "a"]`.
public protocol JSONMixedConvertible {
    /// The value that is encoded.
    var mixedJSONValue: any Encodable & Sendable { get }
}

extension JSONListConvertible where Self: Encodable & Sendable {
    public var jsonValue: any Encodable & Sendable { self }
}

extension JSONMixedConvertible where Self: Encodable & Sendable {
    public var mixedJSONValue: any Encodable & Sendable { self }
}

extension Int: JSONConvertible {}
extension Int8: JSONConvertible {}
extension Int16: JSONConvertible {}
extension Int32: JSONConvertible {}
extension Int64: JSONConvertible {}
extension Int128: JSONConvertible {}
extension UInt: JSONConvertible {}
extension UInt8: JSONConvertible {}
extension UInt16: JSONConvertible {}
extension UInt32: JSONConvertible {}
extension UInt64: JSONConvertible {}
extension UInt128: JSONConvertible {}
extension Double: JSONConvertible {}
extension Float: JSONConvertible {}
extension Decimal: JSONConvertible {}
extension Bool: JSONConvertible {}
extension String: JSONConvertible {}
extension Date: JSONConvertible {}
extension UUID: JSONConvertible {}
extension URL: JSONConvertible {}
extension Data: JSONConvertible {}
extension JSONFields: JSONConvertible {}
extension JSONValue: JSONConvertible {}

extension Substring: JSONConvertible {
    public var jsonValue: any Encodable & Sendable { String(self) }
    public var mixedJSONValue: any Encodable & Sendable { String(self) }
}

extension Optional: JSONListConvertible where Wrapped: JSONListConvertible {
    public var jsonValue: any Encodable & Sendable { self?.jsonValue ?? JSONNull() }
}

extension Optional: JSONMixedConvertible where Wrapped: JSONMixedConvertible {
    public var mixedJSONValue: any Encodable & Sendable { self?.mixedJSONValue ?? JSONNull() }
}

extension Array: JSONListConvertible where Element: JSONListConvertible {
    public var jsonValue: any Encodable & Sendable { JSONList(map(\.jsonValue)) }
}

// The three conformances below each have one fixed type of elements or values. The compiler therefore accepts a literal
// of mixed values inside another literal.

extension Array: JSONMixedConvertible where Element == (any JSONMixedConvertible)? {
    public var mixedJSONValue: any Encodable & Sendable { JSONList(map { $0?.mixedJSONValue ?? JSONNull() }) }
}

extension Dictionary: JSONListConvertible where Key == JSONLiteral.Name, Value == (any JSONListConvertible)? {
    public var jsonValue: any Encodable & Sendable { JSONFields(ordered: self) { $0?.jsonValue } }
}

extension Dictionary: JSONMixedConvertible where Key == JSONLiteral.Name, Value == (any JSONMixedConvertible)? {
    public var mixedJSONValue: any Encodable & Sendable { JSONFields(ordered: self) { $0?.mixedJSONValue } }
}

extension JSONFields {
    fileprivate init<Value>(
        ordered dictionary: [JSONLiteral.Name: Value], _ value: (Value) -> (any Encodable & Sendable)?
    ) {
        let sorted = dictionary.ordered { $0.key.place < $1.key.place }
        self.init(pairs: sorted.map { ($0.key.text, value($0.value)) })
    }
}

/// A list of values.
struct JSONList: Encodable, Sendable {
    let elements: [any Encodable & Sendable]

    init(_ elements: [any Encodable & Sendable]) {
        self.elements = elements
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        for element in elements { try container.encode(element) }
    }
}

/// The value that encodes nil.
struct JSONNull: Encodable, Sendable {
    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encodeNil()
    }
}
