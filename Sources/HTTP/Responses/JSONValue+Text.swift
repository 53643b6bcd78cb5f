extension JSONValue: CustomStringConvertible, CustomDebugStringConvertible {
    /// The value as JSON, with the fields of objects sorted by name: `{"id":7,"tags":["new",null]}`. A number that is not
    /// finite, which JSON cannot express, is `inf` or `nan`.
    public var description: String {
        switch self {
        case .null: "null"
        case .bool(let value): "\(value)"
        case .integer(let value): "\(value)"
        case .number(let value): "\(value)"
        case .string(let text): Self.quoted(text)
        case .array(let elements): "[\(elements.map(\.description).joined(separator: ","))]"
        case .object(let fields):
            "{\(fields.sorted { $0.key < $1.key }.map { "\(Self.quoted($0.key)):\($0.value)" }.joined(separator: ","))}"
        }
    }

    /// The value as JSON, which the elements of arrays and dictionaries are printed as.
    public var debugDescription: String { description }

    private static func quoted(_ text: String) -> String {
        var result = "\""
        for character in text.unicodeScalars {
            switch character {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case ..<" ": result += "\\u00" + (character.value < 16 ? "0" : "") + String(character.value, radix: 16)
            default: result.unicodeScalars.append(character)
            }
        }
        return result + "\""
    }
}
