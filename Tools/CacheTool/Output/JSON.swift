/// A JSON document whose members stay in the order in which they are given.
enum JSON {
    case null
    case flag(Bool)
    case number(Int)
    case text(String)
    case list([JSON])
    case object([(name: String, value: JSON)])

    static func text(_ text: String?) -> JSON {
        text.map { .text($0) } ?? .null
    }

    static func number(_ number: Int?) -> JSON {
        number.map { .number($0) } ?? .null
    }

    /// The document as text, indented by two spaces for each level.
    var document: String {
        var text = ""
        write(to: &text, indent: "\n")
        return text
    }

    private func write(to text: inout String, indent: String) {
        switch self {
        case .null: text += "null"
        case .flag(let flag): text += flag ? "true" : "false"
        case .number(let number): text += "\(number)"
        case .text(let value): Self.write(value, to: &text)
        case .list(let values):
            Self.write(values, between: ("[", "]"), to: &text, indent) { value, text, indent in
                value.write(to: &text, indent: indent)
            }
        case .object(let members):
            Self.write(members, between: ("{", "}"), to: &text, indent) { member, text, indent in
                Self.write(member.name, to: &text)
                text += ": "
                member.value.write(to: &text, indent: indent)
            }
        }
    }

    private static func write<Part>(
        _ parts: [Part], between ends: (String, String), to text: inout String, _ indent: String,
        _ write: (Part, inout String, String) -> Void
    ) {
        text += ends.0
        for (number, part) in parts.enumerated() {
            text += (number > 0 ? "," : "") + indent + "  "
            write(part, &text, indent + "  ")
        }
        text += (parts.isEmpty ? "" : indent) + ends.1
    }

    private static func write(_ value: String, to text: inout String) {
        text += "\""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case _ where !scalar.isPrintable:
                // Terminals show documents too, and JSON allows any character to be written as its number.
                for unit in String(scalar).utf16 {
                    let digits = String(unit, radix: 16)
                    text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                }
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }
}
