/// The type of a body: `text/html; charset=utf-8`.
///
/// ```swift
/// let type = MIMEType(parsing: "Text/HTML; Charset=\"UTF-8\"")
/// #expect(type == "text/html; charset=UTF-8")
/// #expect(type?.charset == "utf-8")
/// #expect(MIMEType.png.matches("image/*"))
/// #expect(MIMEType(fileExtension: "webp") == "image/webp")
/// ```
///
/// Text is parsed by the WHATWG MIME sniffing standard, which is lenient with parameters and strict with the type
/// itself. Names are in lower case. Values keep their case.
public struct MIMEType: Hashable, Sendable {
    /// A parameter, such as `charset=utf-8`.
    package struct Parameter: Hashable, Sendable {
        /// The name, in lower case.
        public let name: String

        /// The value, without quotation marks.
        public let value: String
    }

    /// The part before the slash, in lower case: `text`.
    public let type: String

    /// The part after the slash, in lower case: `html`.
    public let subtype: String

    /// The parameters, in order. No name occurs twice.
    package private(set) var parameters: [Parameter] = []

    init(valid type: String, _ subtype: String) {
        self.type = type
        self.subtype = subtype
    }

    /// Parses a type; nil if the text is not a MIME type.
    ///
    /// Malformed parameters, and later ones with the same name, are skipped.
    public init?(parsing text: some StringProtocol) {
        guard let parsed = MIMETypeParser.parse(text) else { return nil }
        self = parsed
    }

    /// The type without its parameters: `text/html`. Use it in a `switch`.
    public var essence: String { subtype.isEmpty ? type : "\(type)/\(subtype)" }

    /// The value of a parameter. The name may be in any case.
    public subscript(name: String) -> String? {
        let name = name.lowercased()
        return parameters.first { $0.name == name }?.value
    }

    /// Returns the type with this parameter added or replaced. A parameter that no header can contain is left out.
    public func with(_ name: String, _ value: String) -> MIMEType {
        var type = self
        let name = name.lowercased()
        guard !name.isEmpty, name.utf8.allSatisfy(\.isTokenCharacter), value.utf8.allSatisfy(\.isQuotable) else {
            return type
        }
        let parameter = Parameter(name: name, value: value)
        if let index = type.parameters.firstIndex(where: { $0.name == name }) {
            type.parameters[index] = parameter
        } else {
            type.parameters.append(parameter)
        }
        return type
    }

    /// The character encoding, in lower case: `utf-8`.
    public var charset: String? { self["charset"]?.lowercased() }

    /// A Boolean value that indicates whether the type is JSON: `application/json`, `text/json`, or any type that ends
    /// in `+json`.
    public var isJSON: Bool {
        subtype.hasSuffix("+json") || essence == "application/json" || essence == "text/json"
    }

    /// Returns whether the type matches a pattern: the same type, `*/*`, or a group such as `image/*` or
    /// `application/*+json`.
    ///
    /// Each parameter of the pattern must have the same value in the type, in any case. The parameter `q` is ignored,
    /// because it is only a weight.
    public func matches(_ pattern: MIMEType) -> Bool {
        matches(essenceOf: pattern)
            && pattern.parameters.allSatisfy {
                $0.name == "q" || self[$0.name]?.lowercased() == $0.value.lowercased()
            }
    }

    /// Returns whether the type matches a pattern, with any parameters.
    func matches(essenceOf pattern: MIMEType) -> Bool {
        Self.matches(type, pattern.type) && Self.matches(subtype, pattern.subtype)
    }

    private static func matches(_ text: String, _ pattern: String) -> Bool {
        guard let star = pattern.firstIndex(of: "*") else { return text == pattern }
        let (before, after) = (pattern[..<star], pattern[star...].dropFirst())
        return text.utf8.count >= pattern.utf8.count - 1 && text.hasPrefix(before) && text.hasSuffix(after)
    }

    /// A Boolean value that indicates whether the type is valid. A malformed literal is stored unchanged, and is
    /// refused when it is sent.
    package var isValid: Bool { !subtype.isEmpty }
}

extension MIMEType: ExpressibleByStringLiteral, CustomStringConvertible {
    /// Creates a type from a literal. A malformed one is refused when it is sent.
    public init(stringLiteral value: String) {
        self = MIMEType(parsing: value) ?? MIMEType(valid: value, "")
    }

    /// The type in the form that a header uses.
    public var description: String {
        parameters.reduce(into: essence) { text, parameter in
            text += ";\u{20}\(parameter.name)="
            if !parameter.value.isEmpty, parameter.value.utf8.allSatisfy(\.isTokenCharacter) {
                text += parameter.value
            } else {
                text += "\"\(parameter.quoted)\""
            }
        }
    }
}

extension MIMEType.Parameter {
    /// The value, escaped for use between quotation marks. Bytes are compared, because a character with a combining
    /// accent differs from the plain quotation mark.
    fileprivate var quoted: String {
        let bytes = value.utf8.flatMap { byte in
            byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") ? [UInt8(ascii: "\\"), byte] : [byte]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension UInt8 {
    /// A Boolean value that indicates whether a quoted string may contain the byte: tabs, spaces, visible characters,
    /// and bytes that are not ASCII.
    var isQuotable: Bool {
        self == UInt8(ascii: "\t") || (self >= 0x20 && self != 0x7f)
    }
}
