/// A type that defines its own form as a value of a ``Query``.
///
/// Few types need a conformance: see ``Query`` for the values that its literals accept. Conform a type if its value in
/// a query differs from the value that it encodes:
///
/// ```swift
/// struct Area: Encodable, QueryConvertible {
///     var north = 0.5, east = 2
///     var queryValue: QueryValue { "\(north),\(east)" }
/// }
/// let query: Query = ["within": Area(), "page": 1, "q": nil]
/// #expect(try query.encoded() == "within=0.5%2C2&page=1")
/// ```
public protocol QueryConvertible {
    /// The value in a query.
    var queryValue: QueryValue { get }
}

extension QueryConvertible where Self: RawRepresentable, RawValue: QueryConvertible {
    public var queryValue: QueryValue { rawValue.queryValue }
}

extension QueryConvertible where Self: Encodable {
    /// The value that the type encodes.
    public var queryValue: QueryValue { QueryValue(encoding: self) }
}

extension QueryConvertible where Self: RawRepresentable & Encodable, RawValue: QueryConvertible {
    public var queryValue: QueryValue { rawValue.queryValue }
}

extension Int: QueryConvertible { public var queryValue: QueryValue { .text(String(self)) } }
extension Int8: QueryConvertible { public var queryValue: QueryValue { .text(String(self)) } }
extension Int16: QueryConvertible { public var queryValue: QueryValue { .text(String(self)) } }
extension Int32: QueryConvertible { public var queryValue: QueryValue { .text(String(self)) } }
extension Int64: QueryConvertible { public var queryValue: QueryValue { .text(String(self)) } }
extension Int128: QueryConvertible { public var queryValue: QueryValue { .text(String(self)) } }
extension UInt: QueryConvertible { public var queryValue: QueryValue { .text(String(self)) } }
extension UInt8: QueryConvertible { public var queryValue: QueryValue { .text(String(self)) } }
extension UInt16: QueryConvertible { public var queryValue: QueryValue { .text(String(self)) } }
extension UInt32: QueryConvertible { public var queryValue: QueryValue { .text(String(self)) } }
extension UInt64: QueryConvertible { public var queryValue: QueryValue { .text(String(self)) } }
extension UInt128: QueryConvertible { public var queryValue: QueryValue { .text(String(self)) } }

extension Double: QueryConvertible {
    public var queryValue: QueryValue { .number(text: description, isFinite: isFinite) }
}

extension Float: QueryConvertible {
    public var queryValue: QueryValue { .number(text: description, isFinite: isFinite) }
}

extension String: QueryConvertible {
    public var queryValue: QueryValue { .text(self) }
}

extension Substring: QueryConvertible {
    public var queryValue: QueryValue { .text(String(self)) }
}

extension Bool: QueryConvertible {
    public var queryValue: QueryValue { .bool(self) }
}

extension Character: QueryConvertible {
    public var queryValue: QueryValue { .text(String(self)) }
}

extension Date: QueryConvertible {
    public var queryValue: QueryValue { .date(self) }
}

extension UUID: QueryConvertible {
    public var queryValue: QueryValue { .text(uuidString) }
}

extension URL: QueryConvertible {
    public var queryValue: QueryValue { .text(absoluteString) }
}

extension Data: QueryConvertible {
    public var queryValue: QueryValue { .text(base64EncodedString()) }
}

extension Decimal: QueryConvertible {
    public var queryValue: QueryValue { .number(text: description, isFinite: !isNaN) }
}

extension Query: QueryConvertible {
    public var queryValue: QueryValue { .fields(self) }
}

extension QueryValue: QueryConvertible {
    public var queryValue: QueryValue { self }
}

extension Optional: QueryConvertible where Wrapped: QueryConvertible {
    public var queryValue: QueryValue { self?.queryValue ?? .null }
}

extension Array: QueryConvertible where Element: QueryConvertible {
    public var queryValue: QueryValue { .array(map(\.queryValue)) }
}

extension ArraySlice: QueryConvertible where Element: QueryConvertible {
    public var queryValue: QueryValue { .array(map(\.queryValue)) }
}

/// A dictionary becomes nested names and values. They are sorted, so that the same request always has the same text.
extension Dictionary: QueryConvertible where Key == String, Value: QueryConvertible {
    public var queryValue: QueryValue { .fields(Query(sorting: self)) }
}
