/// A field `Set-Cookie`, parsed as RFC 6265bis, 5.6, says. Malformed parts are ignored as it says.
struct SetCookie {
    /// The highest number of bytes of a name and a value together.
    static let longestPair = 4096
    /// The highest number of bytes of the value of an attribute. Longer attributes are ignored.
    static let longestAttribute = 1024
    static let longestLife: TimeInterval = 400 * 86_400

    var name = ""
    var value = ""
    /// The last `Max-Age`, which counts before `Expires`.
    var maxAge: Date?
    var expires: Date?
    /// The last `Domain`, in lower case and without a dot at its beginning; empty if there is none.
    var domain = ""
    /// The last `Path`; nil for the default path of the request.
    var path: String?
    var hasPath = false
    var isSecure = false
    var isHTTPOnly = false
    var sameSite: Cookie.SameSite?

    /// Parses a field; nil if it is to be ignored.
    init?(_ text: String, at now: Date) {
        let bytes = Array(text.utf8)
        guard bytes.allSatisfy({ !$0.isControlInCookie }) else { return nil }
        let parts = bytes.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
        guard let first = parts.first else { return nil }
        let (name, value) = first.pair ?? (first.prefix(0), first)
        self.name = name.trimmed
        self.value = value.trimmed
        guard (1...Self.longestPair).contains(self.name.utf8.count + self.value.utf8.count) else { return nil }
        for part in parts.dropFirst() {
            let (name, value) = part.pair ?? (part, part.suffix(0))
            let text = value.trimmed
            guard text.utf8.count <= Self.longestAttribute else { continue }
            set(name.trimmed[...].lowercasedToken, text, now)
        }
    }

    private mutating func set(_ name: String, _ value: String, _ now: Date) {
        switch name {
        case "expires":
            guard let date = CookieDate.parse(value.utf8) else { return }
            expires = min(date, now.addingTimeInterval(Self.longestLife))
        case "max-age":
            guard let seconds = Self.seconds(value) else { return }
            maxAge = seconds > 0 ? now.addingTimeInterval(min(seconds, Self.longestLife)) : .distantPast
        case "domain":
            let text = value[...].lowercasedToken
            domain = text.utf8.first == UInt8(ascii: ".") ? String(text.dropFirst()) : text
        case "path":
            hasPath = true
            path = value.utf8.first == UInt8(ascii: "/") ? value : nil
        case "secure": isSecure = true
        case "httponly": isHTTPOnly = true
        case "samesite":
            sameSite = Cookie.SameSite.allCases.first { $0.rawValue.isSameField(as: value) }
        default: break
        }
    }

    /// Returns the number of a `Max-Age`; nil if the attribute is to be ignored.
    private static func seconds(_ value: String) -> TimeInterval? {
        let isNegative = value.utf8.first == UInt8(ascii: "-")
        let digits = value.utf8.dropFirst(isNegative ? 1 : 0)
        guard !digits.isEmpty, digits.allSatisfy(\.isDigit) else { return nil }
        let number = digits.reduce(0.0) { min($0 * 10 + Double($1 - UInt8(ascii: "0")), 1e15) }
        return isNegative ? -number : number
    }
}

extension UInt8 {
    /// A Boolean value that indicates whether a name or a value may not have the byte: all control characters but a tab.
    var isControlInCookie: Bool { self < 0x20 && self != 0x09 || self == 0x7F }
}

extension ArraySlice<UInt8> {
    /// The parts before and after the first `=`; nil if there is none.
    fileprivate var pair: (ArraySlice<UInt8>, ArraySlice<UInt8>)? {
        guard let place = firstIndex(of: UInt8(ascii: "=")) else { return nil }
        return (self[..<place], self[(place + 1)...])
    }

    fileprivate var trimmed: String {
        let start = firstIndex { !$0.isFieldBlank } ?? endIndex
        let end = lastIndex { !$0.isFieldBlank }.map { $0 + 1 } ?? start
        return String(decoding: self[start..<end], as: UTF8.self)
    }
}
