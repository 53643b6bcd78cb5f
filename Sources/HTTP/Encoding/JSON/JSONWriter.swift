/// Writes objects in the order of their fields, which `JSONEncoder` does not preserve. The encoder writes all other
/// values.
struct JSONWriter {
    private let encoder: JSONEncoder
    private let isPretty: Bool
    private let isSorted: Bool
    private var depth = 0
    private var path: [any CodingKey] = []
    private var data = Data()

    /// Returns a value as JSON. Fields keep their order, dictionaries are sorted by name.
    ///
    /// - Throws: An error that names the field whose value could not be encoded.
    static func data(of value: some Encodable, by encoder: JSONEncoder) throws -> Data {
        var writer = JSONWriter(encoder: encoder)
        try writer.value(value)
        return writer.data
    }

    private init(encoder: JSONEncoder) {
        self.encoder = encoder
        isPretty = encoder.outputFormatting.contains(.prettyPrinted)
        isSorted = encoder.outputFormatting.contains(.sortedKeys)
    }

    mutating func write(_ fields: JSONFields) throws {
        let fields = isSorted ? fields.fields.ordered { $0.name < $1.name } : fields.fields
        try object(fields.lazy.map { ($0.name, $0.value) })
    }

    /// Writes an object with its fields in order.
    mutating func object(_ fields: some Collection<(name: String, value: any Encodable)>) throws {
        try enclosed("{", "}", fields) { writer, field in
            writer.path.append(JSONKey(stringValue: field.name))
            try writer.fragment(field.name)
            writer.append(writer.isPretty ? " : " : ":")
            try writer.value(field.value)
            writer.path.removeLast()
        }
    }

    /// Writes an array.
    mutating func array(_ elements: some Collection<any Encodable>) throws {
        var place = 0
        try enclosed("[", "]", elements) { writer, element in
            let element: any Encodable = element
            writer.path.append(JSONKey(intValue: place))
            try writer.value(element)
            writer.path.removeLast()
            place += 1
        }
    }

    mutating func null() { append("null") }

    private mutating func value(_ value: some Encodable) throws {
        if let value = value as? any OrderedJSON {
            try value.write(to: &self)
        } else {
            try fragment(value)
        }
    }

    /// Writes a value as the encoder does, indented for the current depth.
    private mutating func fragment(_ value: some Encodable) throws {
        do {
            let fragment = try encoder.encode(value)
            guard isPretty, depth > 0 else { return data.append(fragment) }
            // The encoder escapes line breaks in strings, so every line break here separates values.
            for byte in fragment {
                data.append(byte)
                if byte == UInt8(ascii: "\n") { indent() }
            }
        } catch {
            // If the body is a single value, its own error is thrown.
            guard !path.isEmpty else { throw error }
            throw RequestEncodingError(
                .unsupportedValue,
                "the value of “\((path + error.codingPath).text)” cannot be written as JSON: \(error.reason)",
                underlying: error)
        }
    }

    private mutating func enclosed<Elements: Collection>(
        _ start: String, _ end: String, _ elements: Elements,
        _ write: (inout JSONWriter, Elements.Element) throws -> Void
    ) throws {
        append(start)
        depth += 1
        var isFirst = true
        for element in elements {
            if !isFirst { append(",") }
            isFirst = false
            newLine()
            try write(&self, element)
        }
        depth -= 1
        if !isFirst { newLine() }
        append(end)
    }

    private mutating func newLine() {
        guard isPretty else { return }
        append("\n")
        indent()
    }

    private mutating func indent() {
        for _ in 0..<depth { append("  ") }
    }

    private mutating func append(_ text: String) {
        data.append(contentsOf: text.utf8)
    }
}

extension Error {
    /// The path from the encoded value to the value that failed.
    fileprivate var codingPath: [any CodingKey] {
        guard case .invalidValue(_, let context)? = self as? EncodingError else { return [] }
        return context.codingPath
    }

    /// The reason for the failure, as text.
    fileprivate var reason: String {
        guard case .invalidValue(_, let context)? = self as? EncodingError else { return ErrorText.of(self) }
        let text = context.debugDescription
        return text.hasSuffix(".") ? String(text.dropLast()) : text
    }
}

/// A value whose fields Tango writes in a defined order.
private protocol OrderedJSON {
    func write(to writer: inout JSONWriter) throws
}

extension JSONFields: OrderedJSON {
    fileprivate func write(to writer: inout JSONWriter) throws { try writer.write(self) }
}

extension JSONList: OrderedJSON {
    fileprivate func write(to writer: inout JSONWriter) throws { try writer.array(elements.lazy.map { $0 }) }
}

extension Array: OrderedJSON where Element: OrderedJSON & Encodable {
    fileprivate func write(to writer: inout JSONWriter) throws { try writer.array(lazy.map { $0 }) }
}

extension Optional: OrderedJSON where Wrapped: OrderedJSON & Encodable {
    fileprivate func write(to writer: inout JSONWriter) throws {
        if let self { try self.write(to: &writer) } else { writer.null() }
    }
}

extension Dictionary: OrderedJSON where Key == String, Value: Encodable {
    fileprivate func write(to writer: inout JSONWriter) throws {
        try writer.object(sortedByName.lazy.map { ($0, $1) })
    }
}
