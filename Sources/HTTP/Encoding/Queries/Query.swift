/// The names and values of a URL's query or of a form, in order. A name may occur several times.
///
/// ```swift
/// let author = 3
/// let since: Date? = nil
/// var query: Query = [
///     "author": author, "tags": ["a", "b"], "draft": true, "since": since, "in": ["x": 1, "to": "c"],
/// ]
/// query.append("a&b", named: "title")
/// #expect(
///     try query.encoded() == "author=3&tags=a&tags=b&draft=true&in%5Bto%5D=c&in%5Bx%5D=1&title=a%26b")
/// ```
///
/// Values may be numbers, text, Booleans, dates, URLs, UUIDs, data, enumerations with a raw value, and values that are
/// Encodable or ``QueryConvertible``. Arrays, dictionaries and optionals of these are allowed too, also of mixed types.
/// A value of nil is left out unless the ``QueryStyle`` says otherwise. Any other value is an error when the query is
/// written. The error names the value.
///
/// A literal keeps its order and repeated names. Dictionaries inside it are sorted by name. To keep the order of an
/// inner literal, write it `as Query`.
public struct Query: Hashable, Sendable {
    /// A name and its value.
    public struct Field: Hashable, Sendable {
        /// The name, in plain form.
        public var name: String

        /// The value.
        public var value: QueryValue

        /// Creates a field from a name and its value.
        public init(name: String, value: QueryValue) {
            self.name = name
            self.value = value
        }
    }

    /// The names and values in order.
    public var fields: [Field]
    /// The error that prevented the fields from being read. It is thrown when the query is written.
    private(set) var problem: Problem?

    /// Creates a query from fields.
    public init(fields: [Field] = []) {
        self.fields = fields
    }

    /// Creates the same query, for a literal: `Query(["a": 1])`.
    public init(_ query: Query) {
        self = query
    }

    /// Creates a query from a sequence of pairs, such as an array of tuples, in the same order.
    public init<Value: QueryConvertible>(pairs: some Sequence<(String, Value)>) {
        self.init(fields: pairs.map { Field(name: $0.0, value: $0.1.queryValue) })
    }

    /// Creates a query from a dictionary, sorted by name.
    public init<Value: QueryConvertible>(sorting dictionary: [String: Value]) {
        self.init(pairs: dictionary.sortedByName.lazy.map { ($0, $1) })
    }

    /// Creates a query from a dictionary, sorted by name.
    @_disfavoredOverload
    public init(_ dictionary: [String: some Any]) {
        self.init(TangoHTTP.anyFields(of: dictionary) ?? [])
    }

    init(_ pairs: some Sequence<(String, Any?)>) {
        self.init(fields: pairs.map { Field(name: $0, value: QueryValue(any: $1)) })
    }

    init(problem: RequestEncodingError) {
        fields = []
        self.problem = Problem(error: problem)
    }
}

extension Query {
    /// An error that is thrown later.
    struct Problem: Hashable, Sendable {
        let error: RequestEncodingError

        static func == (one: Problem, other: Problem) -> Bool {
            one.error.code == other.error.code && one.error.message == other.error.message
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(error.code)
            hasher.combine(error.message)
        }
    }
}

extension Query {
    /// Adds a value. Existing values of the name stay.
    public mutating func append(_ value: Any?, named name: String) {
        fields.append(Field(name: name, value: QueryValue(any: value)))
    }

    /// Adds the fields of another query.
    public mutating func append(contentsOf other: Query) {
        fields += other.fields
        problem = problem ?? other.problem
    }

    /// The first value of a name.
    ///
    /// Setting a value replaces the first one and removes the others. Setting nil removes all.
    public subscript(name: String) -> QueryValue? {
        get { fields.first { $0.name == name }?.value }
        set {
            let place = fields.firstIndex { $0.name == name } ?? fields.endIndex
            fields.removeAll { $0.name == name }
            if let newValue { fields.insert(Field(name: name, value: newValue), at: place) }
        }
    }

    /// All values of a name, in order.
    public func all(_ name: String) -> [QueryValue] {
        fields.filter { $0.name == name }.map(\.value)
    }

    /// A Boolean value that indicates whether the query has no names.
    public var isEmpty: Bool { fields.isEmpty && problem == nil }

    /// Returns a query with the fields of the first query, followed by those of the second.
    public static func + (one: Query, other: Query) -> Query {
        var sum = one
        sum.append(contentsOf: other)
        return sum
    }
}

extension Query: ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral {
    public init(dictionaryLiteral elements: (String, Any?)...) {
        self.init(elements)
    }

    /// Creates a query from a literal of pairs: `[("tag", "a"), ("tag", "b")]`.
    public init(arrayLiteral elements: (String, Any?)...) {
        self.init(elements)
    }
}
