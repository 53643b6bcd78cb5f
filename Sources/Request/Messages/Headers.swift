/// The fields of a message: in order, with duplicates, in the case in which they were written.
///
/// Names are looked up without regard to case. Of several fields with one name, the subscript reads the first and
/// replaces them all; ``all(_:)`` has each, ``combined(_:)`` has them as the one list that they stand for.
///
/// Nothing that is appended here can change the message it is sent in: a request with a name that is no token, or with
/// a value that holds a line break or a null byte, is refused before anything is sent.
public struct Headers: Sendable {
    struct Field: Sendable, Equatable {
        var name: String
        var value: String

        /// Compares the bytes that are sent, the case of the name included.
        static func == (one: Field, other: Field) -> Bool {
            one.name.hasSameBytes(as: other.name) && one.value.hasSameBytes(as: other.value)
        }
    }

    var fields: [Field]

    public init() {
        fields = []
    }

    /// Takes fields in order, duplicates included.
    public init(_ fields: some Sequence<(name: String, value: String)>) {
        self.fields = fields.map { Field(name: $0.name, value: $0.value) }
    }

    /// Takes pairs of a name and a value in order, duplicates included.
    public init(_ fields: some Sequence<(String, String)>) {
        self.fields = fields.map { Field(name: $0, value: $1) }
    }

    init(fields: [Field]) {
        self.fields = fields
    }

    /// The first value of a name; assigning replaces every field of that name, and nil removes them.
    public subscript(_ name: String) -> String? {
        get { fields.first { $0.name.isSameField(as: name) }?.value }
        set {
            if let newValue { set(name: name, value: newValue) } else { remove(name) }
        }
    }

    /// Every value of a name, in order.
    public func all(_ name: String) -> [String] {
        fields.compactMap { $0.name.isSameField(as: name) ? $0.value : nil }
    }

    /// Every value of a name as one list, separated by commas, which means the same (RFC 9110, 5.3).
    ///
    /// `Set-Cookie` is the exception that cannot be combined: use ``all(_:)`` for it.
    public func combined(_ name: String) -> String? {
        let values = all(name)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }

    /// Whether there is a field of that name, in whatever case.
    public func contains(_ name: String) -> Bool {
        fields.contains { $0.name.isSameField(as: name) }
    }

    /// Adds a field behind all others.
    public mutating func append(name: String, value: String) {
        fields.append(Field(name: name, value: value))
    }

    /// Puts one field in the place of the first of that name and removes the others; adds it where there is none.
    public mutating func set(name: String, value: String) {
        guard let place = fields.firstIndex(where: { $0.name.isSameField(as: name) }) else {
            return append(name: name, value: value)
        }
        fields[place] = Field(name: name, value: value)
        guard let next = fields[(place + 1)...].firstIndex(where: { $0.name.isSameField(as: name) }) else { return }
        fields[next...].removeAll { $0.name.isSameField(as: name) }
    }

    /// Removes every field of a name.
    public mutating func remove(_ name: String) {
        fields.removeAll { $0.name.isSameField(as: name) }
    }

    /// Sets every name that the other headers have to the values that they have.
    public mutating func merge(_ other: Headers) {
        guard !fields.isEmpty else { return fields = other.fields }
        if other.fields.count <= 8 {
            for field in other.fields { remove(field.name) }
        } else {
            let names = FieldNames(other.fields.lazy.map(\.name))
            fields.removeAll { names.contains($0.name) }
        }
        fields += other.fields
    }

    /// These headers, with every name that the other headers have set to the values that they have: see ``+(_:_:)``.
    public func merging(_ other: Headers) -> Headers {
        var merged = self
        merged.merge(other)
        return merged
    }

    /// Adds headers to others. A name that both have keeps the values of the right-hand side only, because most fields
    /// may occur once. Duplicates within one side stay.
    ///
    /// A subclass adds to the headers of its base class this way:
    ///
    /// ```swift
    /// class SignedRequest<Output: Sendable>: Request<Output> {
    ///     override var headers: Headers { ["Authorization": "Bearer 1", "Accept": "application/json"] }
    /// }
    ///
    /// final class Export: SignedRequest<Data> {
    ///     override var endpoint: Endpoint { .get("/export") }
    ///     override var headers: Headers { super.headers + ["Accept": "text/csv", "X-Extra": "1"] }
    /// }
    /// ```
    ///
    /// To add a further value of a name, use ``append(name:value:)``.
    public static func + (headers: Headers, other: Headers) -> Headers { headers.merging(other) }

    /// Adds headers, as ``+(_:_:)`` does.
    public static func += (headers: inout Headers, other: Headers) { headers.merge(other) }
}

extension Headers: RandomAccessCollection {
    public var startIndex: Int { 0 }
    public var endIndex: Int { fields.count }

    public subscript(position: Int) -> (name: String, value: String) {
        (fields[position].name, fields[position].value)
    }
}

extension Headers: ExpressibleByDictionaryLiteral {
    /// Keeps the order of the literal, and duplicates. A field whose value is nil is left out.
    public init(dictionaryLiteral elements: (String, String?)...) {
        fields = elements.compactMap { name, value in value.map { Field(name: name, value: $0) } }
    }
}

extension Headers: Hashable {
    /// Compares names without regard to case and values by their bytes, in order.
    public static func == (one: Headers, other: Headers) -> Bool {
        one.fields.count == other.fields.count
            && zip(one.fields, other.fields).allSatisfy { one, other in
                one.name.isSameField(as: other.name) && one.value.hasSameBytes(as: other.value)
            }
    }

    public func hash(into hasher: inout Hasher) {
        for field in fields {
            for byte in field.name.utf8 { hasher.combine(byte.lowercasedASCII) }
            field.value.hashBytes(into: &hasher)
        }
    }
}

extension String {
    /// Whether two field names are the same but for the case of ASCII letters.
    @inline(__always)
    package func isSameField(as other: String) -> Bool {
        let one = utf8
        let two = other.utf8
        guard one.count == two.count else { return false }
        return zip(one, two).allSatisfy { $0 == $1 || $0.lowercasedASCII == $1.lowercasedASCII }
    }
}
