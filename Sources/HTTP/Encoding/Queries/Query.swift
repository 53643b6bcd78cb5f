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

        /// A Boolean value that indicates whether the name is that of a property, which ``QueryStyle/names`` concerns.
        let isProperty: Bool

        /// Creates a field from a name and its value.
        public init(name: String, value: QueryValue) {
            self.init(name: name, value: value, isProperty: false)
        }

        init(name: String, value: QueryValue, isProperty: Bool) {
            self.name = name
            self.value = value
            self.isProperty = isProperty
        }

        // Fields with the same text are equal, wherever it comes from.
        public static func == (one: Field, other: Field) -> Bool {
            one.name == other.name && one.value == other.value
        }

        public func hash(into hasher: inout Hasher) {
            hasher.combine(name)
            hasher.combine(value)
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

extension Query {
    /// Returns the query as in a URL, without the `?`.
    ///
    /// - Throws: An error for a value that cannot be written, such as a number that is not finite.
    public func encoded(_ style: QueryStyle = QueryStyle()) throws -> String {
        try encoded(style, set: .component, spaceAsPlus: style.spaces.isPlus(inForm: false))
    }

    /// Returns the query as the body of a form: `application/x-www-form-urlencoded`.
    ///
    /// - Throws: An error for a value that cannot be written, such as a number that is not finite.
    public func formEncoded(_ style: QueryStyle = QueryStyle()) throws -> String {
        try encoded(style, set: .form, spaceAsPlus: style.spaces.isPlus(inForm: true))
    }

    private func encoded(_ style: QueryStyle, set: PercentEncodeSet, spaceAsPlus: Bool) throws -> String {
        if let problem { throw problem.error }
        guard !fields.isEmpty else { return "" }
        var writer = QueryWriter(style: style, set: set, spaceAsPlus: spaceAsPlus)
        for field in fields {
            try writer.write(field.value, name: style.names.text(field), depth: 0)
        }
        return writer.text
    }

    /// Parses a query or the body of a form.
    ///
    /// The rules are those of browsers: a `+` is a space, a name without `=` has an empty value, empty parts are
    /// skipped, and malformed escapes stay unchanged. All values are text. Brackets and dots in names are not
    /// interpreted.
    ///
    /// ```swift
    /// let query = Query(parsing: "q=caf%C3%A9+bar&tag=a&tag=b")
    /// #expect(query["q"] == "café bar")
    /// #expect(query.all("tag") == ["a", "b"])
    /// ```
    ///
    /// - Parameters:
    ///   - text: The text after the `?` of a URL, or a whole form.
    ///   - plusAsSpace: A Boolean value that indicates whether a `+` is a space. Pass `false` if the server reads
    ///     it as `+`.
    public init(parsing text: some StringProtocol, plusAsSpace: Bool = true) {
        let parts = Substring(text).utf8.split(separator: UInt8(ascii: "&"))
        self.init(
            fields: parts.map { part in
                let end = part.firstIndex(of: UInt8(ascii: "=")) ?? part.endIndex
                let name = PercentEncoding.decode(Substring(part[..<end]), plusAsSpace: plusAsSpace)
                let value = PercentEncoding.decode(Substring(part[end...].dropFirst()), plusAsSpace: plusAsSpace)
                return Field(name: name, value: .text(value))
            })
    }
}

extension Query: CustomStringConvertible {
    /// The query as in a URL, with the values of credentials redacted: `page=2&token=…`.
    public var description: String {
        // If a value cannot be encoded, the description contains only the names.
        let text = (try? encoded()) ?? fields.map(\.name).joined(separator: "&")
        return String(Redaction.standard.redact(reference: "?\(text)").dropFirst())
    }
}

extension Query.Field: CustomStringConvertible {
    /// The name and the value, which is redacted if it is a credential.
    public var description: String { Query(fields: [self]).description }
}
