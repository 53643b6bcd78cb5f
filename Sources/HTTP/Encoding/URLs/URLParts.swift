/// The parts of a URL by RFC 3986 (appendix B), unchanged.
///
/// Text is split between bytes, not between characters: a `/` ends a segment even if a combining accent follows it.
package struct URLParts {
    /// The scheme; nil if there is none, as in a path.
    package var scheme: Substring?
    /// The user name, host and port; nil if there is no `//`.
    package var authority: Authority?
    package var path: Substring
    /// The query, without the `?`.
    package var query: Substring?
    /// The fragment, without the `#`.
    package var fragment: Substring?

    package struct Authority {
        /// The user name and the password, without the `@`.
        package var userinfo: Substring?
        /// The host. An IPv6 address has its brackets.
        package var host: Substring
        /// The port, without the `:`.
        package var port: Substring?
    }

    /// Parses a text that begins with a path. A colon in it ends no scheme, and `//` begins no host.
    package init(path text: Substring) {
        path = text
        fragment = path.cut(at: UInt8(ascii: "#"))
        query = path.cut(at: UInt8(ascii: "?"))
    }

    package init(_ text: Substring) {
        self.init(path: text)
        if let colon = path.utf8.firstIndex(of: UInt8(ascii: ":")), path.utf8[..<colon].isScheme {
            scheme = path[..<colon]
            path = path[path.utf8.index(after: colon)...]
        }
        if path.utf8.starts(with: "//".utf8) {
            let rest = path[path.utf8.index(path.startIndex, offsetBy: 2)...]
            let end = rest.utf8.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
            authority = Authority(rest[..<end])
            path = rest[end...]
        }
    }
}

extension URLParts.Authority {
    init(_ text: Substring) {
        var rest = text
        if let at = rest.utf8.lastIndex(of: UInt8(ascii: "@")) {
            userinfo = rest[..<at]
            rest = rest[rest.utf8.index(after: at)...]
        }
        let hostEnd = rest.utf8.lastIndex(of: UInt8(ascii: "]")) ?? rest.startIndex
        if let colon = rest.utf8[hostEnd...].firstIndex(of: UInt8(ascii: ":")) {
            port = rest[rest.utf8.index(after: colon)...]
            rest = rest[..<colon]
        }
        host = rest
    }

    /// The host in lower case, with the port unless the scheme has it by default.
    package func withoutDefaultPort(_ scheme: Substring?) -> String {
        let known = ["http": 80, "https": 443][scheme?.lowercased() ?? ""]
        guard let port, !port.isEmpty, known == nil || Int(port) != known else { return host.lowercased() }
        return "\(host.lowercased()):\(port)"
    }
}

extension URLParts {
    /// The scheme, the host and the port in lower case, without the default port.
    package var origin: String? {
        guard let scheme, let authority else { return nil }
        return "\(scheme.lowercased())://\(authority.withoutDefaultPort(scheme))"
    }
}

extension Substring {
    /// Removes a byte and all after it, and returns the text after the byte.
    fileprivate mutating func cut(at byte: UInt8) -> Substring? {
        guard let place = utf8.firstIndex(of: byte) else { return nil }
        defer { self = self[..<place] }
        return self[utf8.index(after: place)...]
    }
}

extension Collection<UInt8> {
    /// A Boolean value that indicates whether this is a valid scheme: a letter, then letters, digits, `+`, `-` and `.`.
    package var isScheme: Bool {
        guard let first, first.isLetter else { return false }
        return allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."): true
            default: byte.isLetter || byte.isDigit
            }
        }
    }
}

extension UInt8 {
    package var isLetter: Bool { (self | 0x20) &- UInt8(ascii: "a") < 26 }
    package var isDigit: Bool { self &- UInt8(ascii: "0") < 10 }
    /// A Boolean value that indicates whether the character never needs encoding, and means the same if it is encoded:
    /// `unreserved` of RFC 3986, 2.3.
    package var isUnreserved: Bool {
        switch self {
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"): true
        default: isLetter || isDigit
        }
    }
}
