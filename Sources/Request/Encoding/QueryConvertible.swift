#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What may stand for a name in the literal of a ``Query``.
///
/// Numbers, text, Booleans, dates, URLs, UUIDs and data (as Base64) are, and arrays, literals of dictionaries and
/// optionals of them. An enumeration with a raw value, and any type that is Encodable, become convertible by saying so:
///
/// ```swift
/// enum Order: String, QueryConvertible { case newest, oldest }
/// struct Area: Encodable, QueryConvertible { var north = 0.5, east = 2 }
///
/// let order: Order? = .newest
/// let query: Query = ["order": order, "within": Area(), "page": 1, "q": nil]
/// #expect(try query.encoded() == "order=newest&within%5Bnorth%5D=0.5&within%5Beast%5D=2&page=1")
/// ```
public protocol QueryConvertible {
    /// The value to be written.
    var queryValue: QueryValue { get }
}

extension QueryConvertible where Self: RawRepresentable, RawValue: QueryConvertible {
    public var queryValue: QueryValue { rawValue.queryValue }
}

extension QueryConvertible where Self: Encodable {
    /// The value as the type encodes it.
    public var queryValue: QueryValue { QueryEncoder.value(of: self) }
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

/// The literal of a dictionary inside that of a query, with mixed and nil values.
///
/// It is the requirement on `Value`, one fixed type, that lets the compiler accept mixed values in a nested literal. A
/// dictionary of one type of values converts with ``Query/init(sorting:)``. Either is sorted by name, because a
/// dictionary has no order, and the same request is to be the same text each time.
extension Dictionary: QueryConvertible where Key == String, Value == (any QueryConvertible)? {
    public var queryValue: QueryValue { Query(sorting: self).queryValue }
}
