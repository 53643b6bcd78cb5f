/// The value of a name in a ``Query``: text, a number, a list, nested names, or nothing.
///
/// The ``QueryStyle`` of the query determines how it is written. You rarely write a `QueryValue`, because literals and
/// ``QueryConvertible`` values are converted. A list of mixed values is an exception:
///
/// ```swift
/// let query: Query = ["page": 2, "ids": [1, "b", nil] as QueryValue]
/// ```
public enum QueryValue: Hashable, Sendable {
    /// Nothing. The style determines whether the name is written.
    case null
    /// True or false.
    case bool(Bool)
    /// A text in plain form, or a number as text.
    case text(String)
    /// A date.
    case date(Date)
    /// A list.
    case array([QueryValue])
    /// Nested names and values.
    case fields(Query)
    /// A value that cannot be sent. Writing the query throws an error with this reason, which continues "the value is
    /// ...".
    case unsupported(reason: String)

    /// Returns the value for a number, which must be finite. A whole number is written without a fraction: `5`, not
    /// `5.0`.
    public static func number(_ value: Double) -> QueryValue {
        number(text: value.description, isFinite: value.isFinite)
    }

    // Written out, because the compiler would make a copy of the synthesised comparison for each level of nesting.
    @inline(never)
    public static func == (one: QueryValue, other: QueryValue) -> Bool {
        switch (one, other) {
        case (.null, .null): true
        case (.bool(let one), .bool(let other)): one == other
        case (.text(let one), .text(let other)): one == other
        case (.date(let one), .date(let other)): one == other
        case (.array(let one), .array(let other)): one == other
        case (.fields(let one), .fields(let other)): one == other
        case (.unsupported(let one), .unsupported(let other)): one == other
        default: false
        }
    }

    static func number(text: String, isFinite: Bool) -> QueryValue {
        guard isFinite else {
            return .unsupported(reason: "a number that is not finite (\(text)): send a finite one, or omit it")
        }
        return .text(text.hasSuffix(".0") ? String(text.dropLast(2)) : text)
    }
}

extension QueryValue: ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByNilLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    public init(stringLiteral value: String) { self = .text(value) }
    public init(integerLiteral value: Int) { self = .text(String(value)) }
    public init(floatLiteral value: Double) { self = .number(value) }
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    public init(nilLiteral: ()) { self = .null }
    public init(arrayLiteral elements: QueryValue...) { self = .array(elements) }

    public init(dictionaryLiteral elements: (String, QueryValue)...) {
        self = .fields(Query(fields: elements.map { Query.Field(name: $0.0, value: $0.1) }))
    }
}
