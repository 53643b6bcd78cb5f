// Protocols that inspect values of unknown type, for literals whose values the compiler does not check.

/// An optional of any type.
protocol AnyOptional {
    var isNil: Bool { get }
}

extension Optional: AnyOptional {
    var isNil: Bool { if case .none = self { true } else { false } }
}

/// An array of any element type.
protocol AnyList {
    var anyElements: [Any?] { get }
}

extension Array: AnyList {
    var anyElements: [Any?] { map { $0 } }
}

/// A dictionary with any types of keys and values.
protocol AnyFields {
    /// The entries, sorted by name, so that the same request always has the same text. Nil if a key is not a string.
    var anyFields: [(String, Any?)]? { get }
}

extension Dictionary: AnyFields {
    var anyFields: [(String, Any?)]? {
        // An empty literal has keys of any type, so the keys are checked one by one.
        var fields: [String: Any?] = [:]
        for (key, value) in self {
            guard let name = key as? String else { return nil }
            fields[name] = .some(value)
        }
        return fields.sortedByName
    }
}

extension Dictionary where Key == String {
    /// The entries, sorted by name. Only names are sorted, so that the compiler specialises one sort for all values.
    package var sortedByName: [(name: String, value: Value)] {
        Array(keys).sorted().compactMap { name in self[name].map { (name, $0) } }
    }
}

/// Returns the entries of a dictionary with string keys, sorted by name; nil for any other value.
func anyFields(of value: Any?) -> [(String, Any?)]? {
    (value as? any AnyFields)?.anyFields
}
