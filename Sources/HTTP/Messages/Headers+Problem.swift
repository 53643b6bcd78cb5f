/// The reason why a field cannot be sent.
package struct HeaderProblem: Equatable, Sendable, CustomStringConvertible {
    enum Kind: Hashable, Sendable {
        case name
        case value(UInt8)
    }

    let name: String
    let kind: Kind

    /// The description of the problem, without the value, which may be a secret.
    package var description: String {
        switch kind {
        case .name:
            "the header name \(name.debugDescription) is invalid: use letters, digits and hyphens"
        case .value(let byte):
            "the value of the header \(name.debugDescription) contains a \(Self.describe(byte)), "
                + "which could forge other headers: remove it"
        }
    }

    private static func describe(_ byte: UInt8) -> String {
        switch byte {
        case 0: "null byte"
        case 10, 13: "line break"
        default: "control character (\(byte))"
        }
    }
}

extension Headers {
    /// The first field that cannot be sent, with the reason; nil if all fields can be sent.
    package var firstProblem: HeaderProblem? {
        for field in fields {
            if field.name.isEmpty || !field.name.utf8.allSatisfy(\.isTokenCharacter) {
                return HeaderProblem(name: field.name, kind: .name)
            }
            if let byte = field.value.utf8.first(where: { ($0 < 32 && $0 != 9) || $0 == 127 }) {
                return HeaderProblem(name: field.name, kind: .value(byte))
            }
        }
        return nil
    }
}
