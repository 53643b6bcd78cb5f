extension QueryValue {
    /// Creates the query value for a value of a literal.
    ///
    /// The checks are in this order: ``QueryConvertible`` types, lists and dictionaries, raw values, Encodable types.
    init(any value: Any?) {
        switch value {
        case nil: self = .null
        // Common types come first, because they need no look-up of conformances.
        case let text as String: self = .text(text)
        case let number as Int: self = .text(String(number))
        case let value as any QueryConvertible: self = value.queryValue
        case let optional as any AnyOptional where optional.isNil: self = .null
        case let list as any AnyList: self = .array(list.anyElements.map { QueryValue(any: $0) })
        case let value?: self.init(other: value)
        }
    }

    private init(other value: Any) {
        if let fields = anyFields(of: value) {
            self = .fields(Query(fields))
        } else if let value = value as? any RawRepresentable {
            self.init(any: value.rawValue)
        } else if let value = value as? any Encodable {
            self.init(encoding: value)
        } else {
            self = .unsupported(
                reason: "a \(type(of: value)), which is not Encodable and has no raw value: make it Encodable")
        }
    }

    /// Creates a query value from the value that a type encodes. An error is thrown when the query is written.
    init(encoding value: some Encodable) {
        do {
            self.init(try ValueEncoder.encodeItself(value))
        } catch {
            self = .unsupported(
                reason:
                    "a \(type(of: value)), and it cannot be encoded: check its encode(to:), which threw \(ErrorText.of(error))"
            )
        }
    }

    init(_ node: ValueNode) {
        switch node.content {
        case .none: self = .fields(Query())
        case .absent: self = .null
        case .leaf(let value): self = QueryValue(any: value)
        case .fields(let fields):
            let isProperty = !node.isDictionary
            self = .fields(
                Query(fields: fields.map { .init(name: $0.name, value: .init($0.node), isProperty: isProperty) }))
        case .array(let elements): self = .array(elements.map { QueryValue($0) })
        }
    }
}
