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
/// Text is read as the WHATWG MIME sniffing standard says: forgiving in parameters, strict in the type itself. Names
/// are in lower case, values as they are written.
public struct MIMEType: Hashable, Sendable {
    /// A parameter, such as `charset=utf-8`.
    public struct Parameter: Hashable, Sendable {
        /// The name, in lower case.
        public let name: String

        /// The value, without quotation marks.
        public let value: String
    }

    /// What stands before the slash, in lower case: `text`.
    public let type: String

    /// What stands after the slash, in lower case: `html`.
    public let subtype: String

    /// The parameters, in order. No name occurs twice.
    public private(set) var parameters: [Parameter] = []

    init(valid type: String, _ subtype: String) {
        self.type = type
        self.subtype = subtype
    }

    /// The type in a text, nil if there is none in it.
    ///
    /// Parameters that are malformed, and later ones of the same name, are skipped.
    public init?(parsing text: some StringProtocol) {
        guard let parsed = MIMETypeParser.parse(text) else { return nil }
        self = parsed
    }

    /// The type without its parameters: `text/html`. It is what `switch` is for.
    public var essence: String { subtype.isEmpty ? type : "\(type)/\(subtype)" }

    /// The value of a parameter, whose name may be in any case.
    public subscript(name: String) -> String? {
        let name = name.lowercased()
        return parameters.first { $0.name == name }?.value
    }

    /// The type with a parameter more, or with another value for it. One that no header can hold is left out.
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

    /// The encoding of a text, in lower case: `utf-8`.
    public var charset: String? { self["charset"]?.lowercased() }

    /// Whether it is JSON: `application/json`, `text/json`, or anything that ends in `+json`.
    public var isJSON: Bool {
        subtype.hasSuffix("+json") || essence == "application/json" || essence == "text/json"
    }

    /// Whether it is what a pattern allows: the same, or of the group that is meant by `image/*` or `*/*`.
    ///
    /// Parameters of the pattern must have the same value here, whatever its case, except `q`, which only weighs.
    public func matches(_ pattern: MIMEType) -> Bool {
        guard pattern.type == "*" || pattern.type == type, pattern.subtype == "*" || pattern.subtype == subtype else {
            return false
        }
        return pattern.parameters.allSatisfy { $0.name == "q" || self[$0.name]?.lowercased() == $0.value.lowercased() }
    }

    /// Whether it is one: a literal that is none is kept as it is, to be refused where it would be sent.
    package var isValid: Bool { !subtype.isEmpty }
}

extension MIMEType: ExpressibleByStringLiteral, CustomStringConvertible {
    /// The type in a literal. One that is malformed is refused when it is to be sent.
    public init(stringLiteral value: String) {
        self = MIMEType(parsing: value) ?? MIMEType(valid: value, "")
    }

    /// The type as it stands in a header.
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
    /// The value as it stands between quotation marks. An accent on a quotation mark makes it no other byte.
    fileprivate var quoted: String {
        let bytes = value.utf8.flatMap { byte in
            byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") ? [UInt8(ascii: "\\"), byte] : [byte]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension UInt8 {
    /// Whether a quoted string may hold it: tabs, spaces, what is visible, and what is not ASCII.
    var isQuotable: Bool {
        self == UInt8(ascii: "\t") || (self >= 0x20 && self != 0x7f)
    }
}
