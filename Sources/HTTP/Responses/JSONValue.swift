/// A JSON value of any kind, for documents of unknown structure.
///
/// ```swift
/// let value: JSONValue = ["id": 7, "tags": ["new", nil]]
/// let tag = value["tags"]?[0]?.string
/// ```
public enum JSONValue: Hashable, Sendable {
    /// `null`, which differs from a missing field.
    case null
    /// `true` or `false`
    case bool(Bool)
    /// A number without a fraction that fits into an `Int`.
    case integer(Int)
    /// Any other number.
    case number(Double)
    /// A string, without its quotation marks.
    case string(String)
    /// An array.
    case array([JSONValue])
    /// An object, whose fields have no order.
    case object([String: JSONValue])

    // Written out, because the compiler would make a copy of the synthesised comparison for each level of nesting.
    @inline(never)
    public static func == (one: JSONValue, other: JSONValue) -> Bool {
        switch (one, other) {
        case (.null, .null): true
        case (.bool(let one), .bool(let other)): one == other
        case (.integer(let one), .integer(let other)): one == other
        case (.number(let one), .number(let other)): one == other
        case (.string(let one), .string(let other)): one == other
        case (.array(let one), .array(let other)): one == other
        case (.object(let one), .object(let other)): one == other
        default: false
        }
    }
}

extension JSONValue {
    /// The field of an object; nil if there is no such field, or if the value is not an object.
    public subscript(name: String) -> JSONValue? {
        if case .object(let fields) = self { fields[name] } else { nil }
    }

    /// The element of an array; nil if there is no such position, or if the value is not an array.
    public subscript(place: Int) -> JSONValue? {
        if case .array(let elements) = self, elements.indices.contains(place) { elements[place] } else { nil }
    }

    /// The value at a path; nil if there is none.
    public subscript(path: JSONPath) -> JSONValue? {
        path.names.reduce(self) { value, name in value?[name] ?? Int(name).flatMap { value?[$0] } }
    }

    /// A Boolean value that indicates whether the value is `null`.
    public var isNull: Bool { self == .null }

    /// The Boolean; nil for other values. Numbers are not converted.
    public var bool: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The number, if it has no fraction and fits; otherwise nil.
    public var int: Int? {
        if case .integer(let value) = self { value } else { nil }
    }

    /// The number, with or without a fraction; nil for other values.
    public var double: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .number(let value): value
        default: nil
        }
    }

    /// The string; nil for other values. Numbers are not converted.
    public var string: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// The elements; nil if the value is not an array.
    public var array: [JSONValue]? {
        if case .array(let value) = self { value } else { nil }
    }

    /// The fields; nil if the value is not an object.
    public var object: [String: JSONValue]? {
        if case .object(let value) = self { value } else { nil }
    }

    /// The kind of the value for error messages, such as `an object`.
    var kind: String {
        switch self {
        case .null: "null"
        case .bool: "a bool"
        case .integer, .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }

    /// A scalar as text, for comparing codes: `0` and `"0"` are equal. Nil for other values.
    var plainText: String? {
        switch self {
        case .string(let text): text
        case .integer(let number): String(number)
        case .number(let number): String(number)
        case .bool(let value): String(value)
        case .null, .array, .object: nil
        }
    }
}

extension JSONValue: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int.self) {
            self = .integer(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode([JSONValue].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }
}

extension JSONValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    public init(nilLiteral: ()) { self = .null }
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    public init(integerLiteral value: Int) { self = .integer(value) }
    public init(floatLiteral value: Double) { self = .number(value) }
    public init(stringLiteral value: String) { self = .string(value) }
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }

    /// Creates an object. If a name occurs several times, its last value counts.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(Dictionary(elements) { $1 })
    }
}
