extension JSONValue: CustomStringConvertible, CustomDebugStringConvertible {
    /// The value as JSON, with the fields of objects sorted by name: `{"id":7,"tags":["new",null]}`. A number that is not
    /// finite, which JSON cannot express, is `inf` or `nan`.
    public var description: String {
        var text = ""
        write(into: &text)
        return text
    }

    /// Appends the value to a text. A level of nesting takes little of the stack, which has 512 KB on some threads.
    private func write(into text: inout String) {
        switch self {
        case .null: text += "null"
        case .bool(let value): text += value ? "true" : "false"
        case .integer(let value): text += String(value)
        case .number(let value): text += value.description
        case .string(let value): Self.write(value, into: &text)
        case .array(let elements): Self.write(elements, into: &text)
        case .object(let fields): Self.write(fields, into: &text)
        }
    }

    private static func write(_ elements: [JSONValue], into text: inout String) {
        text += "["
        var place = 0
        while place < elements.count {
            if place > 0 { text += "," }
            elements[place].write(into: &text)
            place += 1
        }
        text += "]"
    }

    private static func write(_ fields: [String: JSONValue], into text: inout String) {
        let names = Array(fields.keys).sorted()
        text += "{"
        var place = 0
        while place < names.count {
            if place > 0 { text += "," }
            write(names[place], into: &text)
            text += ":"
            fields[names[place]]?.write(into: &text)
            place += 1
        }
        text += "}"
    }

    /// The value as JSON, which the elements of arrays and dictionaries are printed as.
    public var debugDescription: String { description }

    private static func write(_ string: String, into text: inout String) {
        text += "\""
        for character in string.unicodeScalars {
            switch character {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case ..<" ": text += "\\u00" + (character.value < 16 ? "0" : "") + String(character.value, radix: 16)
            default: text.unicodeScalars.append(character)
            }
        }
        text += "\""
    }
}
