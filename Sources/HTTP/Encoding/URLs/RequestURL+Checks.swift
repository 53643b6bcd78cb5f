extension RequestURL {
    /// Throws if a text contains a control character. A line break, for example, could end the first line of a request.
    static func check(_ text: String, _ what: String) throws {
        guard text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7f }) else { return }
        throw RequestEncodingError(
            .controlCharacter,
            "\(what) \(shown(text)) contains a control character: remove it, or encode text from outside with "
                + "PercentEncoding.path(segments:)")
    }

    /// Returns whether a segment of a path is `.` or `..`, in plain or encoded form.
    static func isDots(_ segment: some StringProtocol) -> Bool {
        guard segment.utf8.count <= 6, let first = segment.utf8.first,
            first == UInt8(ascii: ".") || first == UInt8(ascii: "%")
        else { return false }
        let text = String(segment)[...].lowercasedToken.replacing("%2e", with: ".")
        return text == "." || text == ".."
    }

    /// Throws if a path has a segment `.` or `..`, because such text would change which resource the path names.
    ///
    /// - Parameter plain: A Boolean value that indicates whether segments in plain form are rejected as well as encoded
    ///   ones.
    static func checkDots(_ path: Substring, plain: Bool) throws {
        guard path.utf8.contains(where: { $0 == UInt8(ascii: "%") || plain && $0 == UInt8(ascii: ".") }) else { return }
        for segment in path.utf8.split(separator: UInt8(ascii: "/")).map({ Substring($0) }) where isDots(segment) {
            guard plain || segment.utf8.contains(UInt8(ascii: "%")) else { continue }
            throw RequestEncodingError(
                .dotSegment,
                "the path \(shown(String(path))) has the segment \(String(segment).debugDescription), which leads out of its "
                    + "folder: remove it, and check text that you put into paths")
        }
    }

    /// Validates and returns the scheme, user, host and port of a URL.
    static func origin(of parts: URLParts, in text: String, _ what: String) throws -> String {
        guard let scheme = parts.scheme else {
            throw RequestEncodingError(
                .noScheme, "\(what) \(shown(text)) has no scheme: begin it with https:// or http://")
        }
        guard ["http", "https"].contains(scheme.lowercased()) else {
            let advice = parts.authority == nil ? "begin it with https:// or http://" : "use http or https"
            throw RequestEncodingError(
                .unsupportedScheme, "\(what) \(shown(text)) has the scheme “\(scheme)”: \(advice)")
        }
        guard let authority = parts.authority, !authority.host.isEmpty else {
            throw RequestEncodingError(
                .badHost, "\(what) \(shown(text)) has no host: write it as in https://example.com")
        }
        guard authority.hasValidHost else {
            let host = String(authority.host).debugDescription
            throw RequestEncodingError(
                .badHost,
                "\(what) has the invalid host \(host): write an address, or a name in ASCII, which begins with xn-- for others"
            )
        }
        var origin = "\(scheme)://"
        if let userinfo = authority.userinfo {
            origin += PercentEncoding.complete(String(userinfo), .strictUserinfo) + "@"
        }
        origin += authority.host
        guard let port = authority.port else { return origin }
        guard port.isEmpty || (port.utf8.allSatisfy(\.isDigit) && (UInt16(port) ?? 0) > 0) else {
            throw RequestEncodingError(
                .badPort, "\(what) has the invalid port \(String(port).debugDescription): use a number from 1 to 65535")
        }
        return "\(origin):\(port)"
    }
}

extension URLParts.Authority {
    /// A Boolean value that indicates whether the host is a name in ASCII, an IPv4 address, or an IPv6 address in
    /// brackets.
    package var hasValidHost: Bool {
        let bytes = host.utf8
        guard bytes.first == UInt8(ascii: "[") else {
            return bytes.contains { $0.isLetter || $0.isDigit }
                && bytes.allSatisfy { $0.isLetter || $0.isDigit || "-._".utf8.contains($0) }
        }
        guard bytes.last == UInt8(ascii: "]") else { return false }
        let address = bytes.dropFirst().dropLast()
        let end = address.firstIndex(of: UInt8(ascii: "%")) ?? address.endIndex
        return address[..<end].count(where: { $0 == UInt8(ascii: ":") }) >= 2
            && address[..<end].allSatisfy {
                $0.hexadecimalValue != nil || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".")
            }
            && address[end...].allSatisfy { $0.isUnreserved || $0 == UInt8(ascii: "%") }
    }
}
