/// The fields of a message, in order, with duplicates, and in their original case.
///
/// Lookups ignore the case of names. If several fields have the same name, the subscript reads the first and replaces
/// all of them. ``all(_:)`` returns each value, and ``combined(_:)`` joins them into one list.
///
/// A field cannot change another part of the message. A request with a name that is not a token, or with a value that
/// contains a line break or a null byte, is refused before anything is sent.
public struct Headers: Sendable {
    package struct Field: Sendable, Equatable {
        package var name: String
        package var value: String

        package init(name: String, value: String) {
            self.name = name
            self.value = value
        }

        /// Compares the bytes, including the case of the name.
        package static func == (one: Field, other: Field) -> Bool {
            one.name.hasSameBytes(as: other.name) && one.value.hasSameBytes(as: other.value)
        }
    }

    package var fields: [Field]

    public init() {
        fields = []
    }

    /// Creates headers from fields in order, with duplicates.
    public init(_ fields: some Sequence<(name: String, value: String)>) {
        self.fields = fields.map { Field(name: $0.name, value: $0.value) }
    }

    /// Creates headers from pairs of a name and a value, in order, with duplicates.
    public init(_ fields: some Sequence<(String, String)>) {
        self.fields = fields.map { Field(name: $0, value: $1) }
    }

    package init(fields: [Field]) {
        self.fields = fields
    }

    /// The first value of a name. Setting a value replaces every field of that name, and nil removes them.
    public subscript(_ name: String) -> String? {
        get { fields.first { $0.name.isSameField(as: name) }?.value }
        set {
            if let newValue { set(name: name, value: newValue) } else { remove(name) }
        }
    }

    /// Returns every value of a name, in order.
    public func all(_ name: String) -> [String] {
        fields.compactMap { $0.name.isSameField(as: name) ? $0.value : nil }
    }

    /// Returns all values of a name as one list, separated by commas, which is equivalent (RFC 9110, 5.3).
    ///
    /// `Set-Cookie` cannot be combined: use ``all(_:)`` for it.
    public func combined(_ name: String) -> String? {
        let values = all(name)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }

    /// Returns whether there is a field with this name, in any case.
    public func contains(_ name: String) -> Bool {
        fields.contains { $0.name.isSameField(as: name) }
    }

    /// Adds a field at the end.
    public mutating func append(name: String, value: String) {
        fields.append(Field(name: name, value: value))
    }

    /// Replaces the first field of a name and removes the others. If there is none, adds the field.
    public mutating func set(name: String, value: String) {
        guard let place = fields.firstIndex(where: { $0.name.isSameField(as: name) }) else {
            return append(name: name, value: value)
        }
        fields[place] = Field(name: name, value: value)
        guard let next = fields[(place + 1)...].firstIndex(where: { $0.name.isSameField(as: name) }) else { return }
        fields[next...].removeAll { $0.name.isSameField(as: name) }
    }

    /// Removes every field with this name.
    public mutating func remove(_ name: String) {
        fields.removeAll { $0.name.isSameField(as: name) }
    }

    /// Replaces the values of every name that the other headers contain.
    public mutating func merge(_ other: Headers) {
        guard !fields.isEmpty else { return fields = other.fields }
        if other.fields.count <= 8 {
            for field in other.fields where contains(field.name) { remove(field.name) }
        } else {
            let names = FieldNames(other.fields.lazy.map(\.name))
            fields.removeAll { names.contains($0.name) }
        }
        fields += other.fields
    }

    /// Returns these headers, with the values of every name in the other headers replaced: see ``+(_:_:)``.
    public func merging(_ other: Headers) -> Headers {
        var merged = self
        merged.merge(other)
        return merged
    }

    /// Merges two sets of headers. If both have a name, the values of the right-hand side replace those of the left,
    /// because most fields may occur only once. Duplicates within one side stay.
    ///
    /// A subclass extends the headers of its base class in this way:
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
    /// To add another value for a name, use ``append(name:value:)``.
    public static func + (headers: Headers, other: Headers) -> Headers { headers.merging(other) }

    /// Merges headers into these, as ``+(_:_:)`` does.
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
    /// Creates headers in the order of the literal, with duplicates. A field whose value is nil is left out.
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
    /// Returns whether two field names are equal, ignoring the case of ASCII letters.
    @inline(__always)
    package func isSameField(as other: String) -> Bool {
        utf8.count == other.utf8.count && hasSameLetters(as: other)
    }

    @inline(never)
    package func hasSameLetters(as other: String) -> Bool {
        withBytes { one in
            other.withBytes { two in
                one.indices.allSatisfy { one[$0] == two[$0] || one[$0].lowercasedASCII == two[$0].lowercasedASCII }
            }
        }
    }
}

extension Headers: CustomStringConvertible {
    /// One line for each field, with redacted credentials.
    public var description: String {
        Redaction.standard.redact(self).map { "\($0.name): \($0.value)" }.joined(separator: "\n")
    }
}

/// The reason why a field cannot be sent.
package struct HeaderProblem: Equatable, Sendable, CustomStringConvertible {
    enum Kind: Hashable, Sendable {
        case name
        case value(UInt8)
    }

    let name: String
    let kind: Kind

    /// The description of the problem, without the value, which may be a secret.
    package var description: String {
        switch kind {
        case .name:
            "the header name \(name.debugDescription) is invalid: use letters, digits and hyphens"
        case .value(let byte):
            "the value of the header \(name.debugDescription) contains a \(Self.describe(byte)), "
                + "which could forge other headers: remove it"
        }
    }

    private static func describe(_ byte: UInt8) -> String {
        switch byte {
        case 0: "null byte"
        case 10, 13: "line break"
        default: "control character (\(byte))"
        }
    }
}

extension Headers {
    /// The first field that cannot be sent, with the reason; nil if all fields can be sent.
    package var firstProblem: HeaderProblem? {
        for field in fields {
            if field.name.isEmpty || !field.name.utf8.allSatisfy(\.isTokenCharacter) {
                return HeaderProblem(name: field.name, kind: .name)
            }
            if let byte = field.value.utf8.first(where: { ($0 < 32 && $0 != 9) || $0 == 127 }) {
                return HeaderProblem(name: field.name, kind: .value(byte))
            }
        }
        return nil
    }
}
