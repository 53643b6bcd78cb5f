/// The format of the file `cookies.txt` that Netscape introduced, and that curl and browser extensions read and write.
enum NetscapeCookies {
    private static let httpOnly = "#HttpOnly_"

    /// The meaning of a line.
    enum Line {
        case cookie(Cookie)
        case malformed
        /// A comment, or nothing.
        case empty
    }

    /// Returns the meaning of each line of a text.
    static func lines(_ text: String) -> [Line] {
        text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { line in
            var line = Substring(line)
            if line.utf8.last == UInt8(ascii: "\r") { line = Substring(line.utf8.dropLast()) }
            let isHTTPOnly = line.utf8.starts(with: httpOnly.utf8)
            if isHTTPOnly { line = Substring(line.utf8.dropFirst(httpOnly.utf8.count)) }
            if line.withoutBlanks.isEmpty || line.utf8.first == UInt8(ascii: "#") { return .empty }
            guard var cookie = cookie(line) else { return .malformed }
            cookie.isHTTPOnly = isHTTPOnly
            return .cookie(cookie)
        }
    }

    /// Reads domain, hosts below it, path, secure, expiry, name and value, with tabs between them. An empty value at the
    /// end may be left out.
    private static func cookie(_ line: Substring) -> Cookie? {
        let fields = line.utf8.split(separator: 0x09, omittingEmptySubsequences: false).map { String(Substring($0)) }
        guard fields.count == 7 || fields.count == 6, let isShared = flag(fields[1]), let isSecure = flag(fields[3]),
            let expires = Double(fields[4]), expires.isFinite
        else { return nil }
        let domain = fields[0][...].lowercasedToken
        var cookie = Cookie(
            fields[5], fields.count == 7 ? fields[6] : "",
            domain: domain.utf8.first == UInt8(ascii: ".") ? String(domain.dropFirst()) : domain, path: fields[2])
        cookie.isHostOnly = !isShared
        cookie.isSecure = isSecure
        cookie.expires = expires == 0 ? nil : Date(timeIntervalSince1970: expires)
        return cookie
    }

    private static func flag(_ text: String) -> Bool? {
        if text.isSameField(as: "TRUE") { return true }
        return text.isSameField(as: "FALSE") ? false : nil
    }

    /// Returns the text of cookies. Those that the format cannot have are left out: without a name, or with a tab.
    static func text(_ cookies: [Cookie]) -> String {
        var text = "# Netscape HTTP Cookie File\n\n"
        for cookie in cookies where !cookie.name.isEmpty && !(cookie.name + cookie.value).utf8.contains(0x09) {
            let fields = [
                (cookie.isHostOnly ? "" : ".") + cookie.domain, cookie.isHostOnly ? "FALSE" : "TRUE", cookie.path,
                cookie.isSecure ? "TRUE" : "FALSE",
                cookie.expires.map { "\(Int($0.timeIntervalSince1970.rounded(.up)))" } ?? "0", cookie.name,
                cookie.value,
            ]
            text += (cookie.isHTTPOnly ? httpOnly : "") + fields.joined(separator: "\t") + "\n"
        }
        return text
    }
}

extension CookieJar {
    /// Returns the cookies as a file `cookies.txt` in Netscape's format, with their values, as curl reads it.
    ///
    /// The format has no `SameSite`, no cookies without a name, and none with a tab. Such cookies are left out.
    public func exportNetscape() -> String { NetscapeCookies.text(cookies) }

    /// Adds the cookies of a file `cookies.txt` in Netscape's format, as curl writes it.
    ///
    /// ```swift
    /// let jar = CookieJar()
    /// let ignored = jar.importNetscape(try String(contentsOf: file, encoding: .utf8))
    /// ```
    ///
    /// - Returns: The numbers of the lines that no cookie was made of, from 1: those that are malformed, and those whose
    ///   cookie ``set(_:)`` refuses.
    @discardableResult
    public func importNetscape(_ text: String) -> [Int] {
        var ignored: [Int] = []
        for (place, line) in NetscapeCookies.lines(text).enumerated() {
            switch line {
            case .empty: break
            case .malformed: ignored.append(place + 1)
            case .cookie(let cookie): do { try set(cookie) } catch { ignored.append(place + 1) }
            }
        }
        return ignored
    }
}
