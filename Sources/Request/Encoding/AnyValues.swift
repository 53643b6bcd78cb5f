// What is known of a value whose type is not: for literals of values that the compiler does not check together.

/// An optional of whatever type.
protocol AnyOptional {
    var isNil: Bool { get }
}

extension Optional: AnyOptional {
    var isNil: Bool { if case .none = self { true } else { false } }
}

/// An array of whatever elements.
protocol AnyList {
    var anyElements: [Any?] { get }
}

extension Array: AnyList {
    var anyElements: [Any?] { map { $0 } }
}

/// A dictionary of whatever keys and values.
protocol AnyFields {
    /// Its entries, sorted by name: a dictionary has no order, and the same request is to be the same text each time. Nil if
    /// a key is no text.
    var anyFields: [(String, Any?)]? { get }
}

extension Dictionary: AnyFields {
    var anyFields: [(String, Any?)]? {
        var fields: [(String, Any?)] = []
        fields.reserveCapacity(count)
        // The keys of a literal without entries are of any type.
        for (key, value) in self {
            guard let name = key as? String else { return nil }
            fields.append((name, value))
        }
        return fields.sorted { $0.0 < $1.0 }
    }
}

/// The entries of a value that is a dictionary by names, sorted.
func anyFields(of value: Any?) -> [(String, Any?)]? {
    (value as? any AnyFields)?.anyFields
}
