/// Converts a value of unknown type to one that can be encoded later, on another thread.
///
/// A value whose type may not be Sendable is read immediately, on the current thread.
enum JSONAny {
    /// Returns an encodable value. If the value cannot be encoded, encoding the result throws.
    static func value(_ value: Any?) -> any Encodable & Sendable {
        switch value {
        case nil: return JSONNull()
        // Common types come first, because they need no look-up of conformances.
        case let text as String: return text
        case let number as Int: return number
        case let flag as Bool: return flag
        case let fields as JSONFields: return fields
        case let list as JSONList: return list
        case let optional as any AnyOptional where optional.isNil: return JSONNull()
        case let list as any AnyList: return JSONList(list.anyElements.map { self.value($0) })
        case let value?: return other(value)
        }
    }

    private static func other(_ value: Any) -> any Encodable & Sendable {
        if let fields = anyFields(of: value) { return JSONFields(any: fields) }
        if let value = value as? any Encodable { return snapshot(of: value) }
        if let value = value as? any JSONListConvertible { return value.jsonValue }
        if let value = value as? any RawRepresentable { return self.value(value.rawValue) }
        return JSONFailure(
            RequestEncodingError(
                .unsupportedValue, "a \(type(of: value)) is not Encodable and has no raw value: make it Encodable"))
    }

    private static func snapshot(of value: some Encodable) -> any Encodable & Sendable {
        do {
            return try ValueEncoder.encode(value)
        } catch {
            return JSONFailure(error)
        }
    }
}

/// A value that could not be read. Encoding it throws the reason.
struct JSONFailure: Encodable, Sendable {
    let error: any Error

    init(_ error: any Error) {
        self.error = error
    }

    func encode(to encoder: any Encoder) throws { throw error }
}

/// A tree that was read from a value can be encoded again. A coder treats its dates, data and keys like those of the value.
extension ValueNode: Encodable {
    func encode(to encoder: any Encoder) throws {
        switch content {
        case .fields where isDictionary:
            var container = encoder.singleValueContainer()
            try container.encode(Dictionary(fields.map { ($0.name, $0.node) }) { $1 })
        case .none, .fields:
            var container = encoder.container(keyedBy: JSONKey.self)
            for field in fields {
                // A property that is nil is left out, like synthesised conformances do.
                if case .absent = field.node.content { continue }
                try container.encode(field.node, forKey: JSONKey(stringValue: field.name))
            }
        case .absent, .leaf(nil):
            var container = encoder.singleValueContainer()
            try container.encodeNil()
        case .leaf(let value?):
            var container = encoder.singleValueContainer()
            try container.encode(value)
        case .array(let elements):
            var container = encoder.unkeyedContainer()
            for element in elements { try container.encode(element) }
        }
    }

    private var fields: [(name: String, node: ValueNode)] {
        if case .fields(let fields) = content { fields } else { [] }
    }
}
