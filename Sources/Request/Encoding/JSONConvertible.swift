#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What may stand in a literal of ``JSONFields`` that has others in it.
///
/// Numbers, text, Booleans, dates, URLs, UUIDs, data, and arrays and optionals of them are. A type of yours, which must
/// be Encodable and Sendable, becomes convertible by saying so:
///
/// ```swift
/// struct Place: Codable, Sendable, JSONConvertible { var city = "Rome" }
///
/// let fields = JSONFields(["at": Place(), "by": ["id": 1, "name": "Ada", "from": Place()]])
/// ```
public protocol JSONConvertible {
    /// The value to be encoded.
    var jsonValue: any Encodable & Sendable { get }
}

extension JSONConvertible where Self: Encodable & Sendable {
    public var jsonValue: any Encodable & Sendable { self }
}

extension Int: JSONConvertible {}
extension Int8: JSONConvertible {}
extension Int16: JSONConvertible {}
extension Int32: JSONConvertible {}
extension Int64: JSONConvertible {}
extension UInt: JSONConvertible {}
extension UInt8: JSONConvertible {}
extension UInt16: JSONConvertible {}
extension UInt32: JSONConvertible {}
extension UInt64: JSONConvertible {}
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

extension Substring: JSONConvertible {
    public var jsonValue: any Encodable & Sendable { String(self) }
}

extension Optional: JSONConvertible where Wrapped: JSONConvertible {
    public var jsonValue: any Encodable & Sendable { self?.jsonValue ?? JSONNull() }
}

extension Array: JSONConvertible where Element: JSONConvertible {
    public var jsonValue: any Encodable & Sendable { JSONList(elements: map(\.jsonValue)) }
}

/// The literal inside another. As for ``Query``, it is the one fixed type of values that lets them be mixed.
extension Dictionary: JSONConvertible where Key == String, Value == (any JSONConvertible)? {
    public var jsonValue: any Encodable & Sendable {
        JSONFields(pairs: sorted { $0.key < $1.key }.lazy.map { ($0.key, $0.value?.jsonValue) })
    }
}

/// A list of mixed values.
struct JSONList: Encodable, Sendable {
    let elements: [any Encodable & Sendable]

    func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        for element in elements { try container.encode(element) }
    }
}
