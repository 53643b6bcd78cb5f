/// The parser of `WWW-Authenticate` and `Proxy-Authenticate`: a pure function.
///
/// ```text
/// field                                          challenges
/// Basic realm="a, b"                             Basic
/// Digest realm="a", nonce="b", Basic realm="c"   Digest, Basic
/// Negotiate, NTLM                                Negotiate, NTLM
/// Negotiate YWJj==, Basic realm="a"              Negotiate with a token, Basic
/// Basic realm="a", realm="b"                     none: a parameter occurs twice
/// Digest realm="a", b c, Basic realm="d"         Basic: the first has a part that is malformed
/// realm="a", Basic realm="b"                     Basic
/// ```
extension Challenge {
    /// Returns the challenges of several fields, which form one list. A malformed challenge is left out as a whole.
    static func all(in fields: [String]) -> [Challenge] {
        var challenges: [Challenge] = []
        // Nil before the first challenge, and within a malformed one.
        var current: Challenge?
        for element in FieldList.elements(of: fields) {
            switch Element(element) {
            case .challenge(let next):
                if let current { challenges.append(current) }
                current = next
            case .parameter(let parameter):
                guard let challenge = current else { continue }
                current = challenge.adding(parameter)
            case .malformed:
                current = nil
            case .malformedChallenge:
                if let current { challenges.append(current) }
                current = nil
            }
        }
        if let current { challenges.append(current) }
        return challenges
    }

    /// Returns nil if the challenge has the parameter already, or has a token.
    private func adding(_ parameter: Parameter) -> Challenge? {
        guard token == nil, self[parameter.name] == nil else { return nil }
        var challenge = self
        challenge.parameters.append(parameter)
        return challenge
    }
}

/// An element of the list: it begins a challenge, or belongs to the one before.
private enum Element {
    case challenge(Challenge)
    case parameter(Challenge.Parameter)
    /// A part of a challenge that cannot be read.
    case malformed
    /// The beginning of a challenge that cannot be read.
    case malformedChallenge

    init(_ element: Substring) {
        let end = element.utf8.firstIndex { !$0.isTokenCharacter } ?? element.endIndex
        let name = element[..<end]
        let rest = element[end...]
        guard !name.isEmpty else {
            self = .malformed
            return
        }
        if rest.isEmpty {
            self = .challenge(Challenge(scheme: String(name)))
        } else if rest.withoutBlanks.utf8.first == UInt8(ascii: "=") {
            self = Challenge.Parameter(element).map(Element.parameter) ?? .malformed
        } else if rest.utf8.first == UInt8(ascii: " ") {
            self = Element(scheme: String(name), rest: rest.withoutBlanks)
        } else {
            self = .malformed
        }
    }

    private init(scheme: String, rest: Substring) {
        if let parameter = Challenge.Parameter(rest) {
            self = .challenge(Challenge(scheme: scheme, parameters: [parameter]))
        } else if rest.isToken68 {
            self = .challenge(Challenge(scheme: scheme, token: String(rest)))
        } else {
            self = .malformedChallenge
        }
    }
}

extension Challenge.Parameter {
    /// Reads `name=value`, where the value is a token or quoted. Some servers send base64 without quotes, which is read too.
    init?(_ text: Substring) {
        guard let equals = text.utf8.firstIndex(of: UInt8(ascii: "=")) else { return nil }
        let name = text[..<equals].withoutBlanks
        let value = text[text.utf8.index(after: equals)...].withoutBlanks
        guard name.isToken, value.isToken || value.isToken68 || value.isQuoted else { return nil }
        self.init(name: name.lowercasedToken, value: ExactString(value.unquoted))
    }
}

extension Substring {
    /// A Boolean value that indicates whether the text is one quoted string (RFC 9110, 5.6.4).
    fileprivate var isQuoted: Bool {
        let bytes = utf8
        guard bytes.count >= 2, bytes.first == UInt8(ascii: "\""), bytes.last == UInt8(ascii: "\"") else {
            return false
        }
        var isEscaped = false
        for byte in bytes.dropFirst().dropLast() {
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\"") {
                return false
            } else {
                isEscaped = byte == UInt8(ascii: "\\")
            }
        }
        return !isEscaped
    }

    /// A Boolean value that indicates whether the text is `token68` (RFC 9110, 11.2), as base64 is.
    var isToken68: Bool {
        let text = utf8.prefix { $0.isUnreserved || $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "/") }
        return !text.isEmpty && utf8.dropFirst(text.count).allSatisfy { $0 == UInt8(ascii: "=") }
    }
}
