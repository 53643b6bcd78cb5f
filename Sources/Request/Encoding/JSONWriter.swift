#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Writes objects in the order of their fields, which `JSONEncoder` does not keep, and leaves all else to it.
struct JSONWriter {
    private let encoder: JSONEncoder
    private let isPretty: Bool
    private let isSorted: Bool
    private var depth = 0
    private var path: [String] = []

    private(set) var data = Data()

    init(encoder: JSONEncoder) {
        self.encoder = encoder
        isPretty = encoder.outputFormatting.contains(.prettyPrinted)
        isSorted = encoder.outputFormatting.contains(.sortedKeys)
    }

    mutating func write(_ fields: JSONFields) throws {
        let fields = isSorted ? fields.fields.sorted { $0.name < $1.name } : fields.fields
        try object(fields.lazy.map { ($0.name, $0.value) })
    }

    /// Writes names and values in their order.
    mutating func object(_ fields: some Collection<(name: String, value: any Encodable)>) throws {
        try enclosed("{", "}", fields) { writer, field in
            writer.path.append(field.name)
            try writer.fragment(field.name)
            writer.append(writer.isPretty ? " : " : ":")
            try writer.value(field.value)
            writer.path.removeLast()
        }
    }

    /// Writes values in their order.
    mutating func array(_ elements: some Collection<any Encodable>) throws {
        try enclosed("[", "]", elements) { writer, element in
            let element: any Encodable = element
            try writer.value(element)
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

    /// Writes what the encoder makes of a value, indented as deeply as it stands here.
    private mutating func fragment(_ value: some Encodable) throws {
        do {
            let fragment = try encoder.encode(value)
            guard isPretty, depth > 0 else { return data.append(fragment) }
            // A line break in a text is written as \n, so that all that are found are between values.
            for byte in fragment {
                data.append(byte)
                if byte == UInt8(ascii: "\n") { indent() }
            }
        } catch {
            let reason = (error as? EncodingError)?.reason ?? "\(error)"
            throw RequestEncodingError(
                .unsupportedValue, "The value of “\(path.joined(separator: "."))” cannot be written as JSON: \(reason)",
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

extension EncodingError {
    fileprivate var reason: String {
        switch self {
        case .invalidValue(_, let context): context.debugDescription
        @unknown default: "\(self)"
        }
    }
}

/// A value whose parts have an order that is to be kept, or to be made.
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
        try writer.object(sorted { $0.key < $1.key }.lazy.map { ($0.key, $0.value) })
    }
}
