/// The contents of the file of a jar: a line with the version and a checksum, then JSON.
struct CookieFileContent: Codable {
    /// A cookie. Its times are seconds since 2001, as `Date` has them, so that they are read as they were.
    struct Item: Codable {
        var name: String
        var value: String
        var domain: String
        var path: String
        var isHostOnly: Bool
        var isSecure: Bool
        var isHTTPOnly: Bool
        var sameSite: String?
        var expires: Double?
        var created: Double
        var used: Double
    }

    var identity: String
    /// The cookies, in the order in which they were set.
    var cookies: [Item]

    private static let start = "Tango cookies "
    private static let version = "1"

    enum Reading {
        case content(CookieFileContent)
        case damaged
        /// The file belongs to something else, and stays as it is. The text completes the sentence "the file …".
        case foreign(String)
    }

    static func read(_ bytes: [UInt8]) -> Reading {
        if bytes.starts(with: "# ".utf8), bytes.prefix(64).contains(UInt8(ascii: "N")),
            String(decoding: bytes.prefix(64), as: UTF8.self).contains("HTTP Cookie File")
        {
            return .foreign(
                "is a file in Netscape's format: read it with CookieJar.importNetscape(_:), and choose another path for the "
                    + "jar")
        }
        guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")) else { return .damaged }
        let words = String(decoding: bytes[..<end], as: UTF8.self).dropFirst(start.count).split(separator: " ")
        guard bytes.starts(with: start.utf8), words.count == 2 else { return .damaged }
        let rest = bytes[(end + 1)...]
        guard checksum(String(words[0]), rest) == words[1] else { return .damaged }
        guard words[0] == version else {
            return .foreign("was written by a later version of Tango: update it, or choose another path for the jar")
        }
        guard let content = try? JSONDecoder().decode(CookieFileContent.self, from: Data(rest)) else { return .damaged }
        return .content(content)
    }

    var bytes: [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        // Encoding fails for numbers that are not finite, which no date of a cookie is.
        let json = (try? encoder.encode(self)) ?? Data()
        return Array("\(Self.start)\(Self.version) \(Self.checksum(Self.version, json))\n".utf8) + json
    }

    private static func checksum(_ version: String, _ rest: some Sequence<UInt8>) -> String {
        SHA256.hex(Array("\(version)\n".utf8) + rest)
    }
}

extension CookieFileContent.Item {
    init(_ entry: CookieTable.Entry) {
        let cookie = entry.cookie
        name = cookie.name
        value = cookie.value
        domain = cookie.domain
        path = cookie.path
        isHostOnly = cookie.isHostOnly
        isSecure = cookie.isSecure
        isHTTPOnly = cookie.isHTTPOnly
        sameSite = cookie.sameSite?.rawValue
        expires = cookie.expires?.timeIntervalSinceReferenceDate
        created = cookie.created.timeIntervalSinceReferenceDate
        used = entry.lastUsed.timeIntervalSinceReferenceDate
    }

    var cookie: Cookie {
        var cookie = Cookie(name, value, domain: domain, path: path)
        cookie.isHostOnly = isHostOnly
        cookie.isSecure = isSecure
        cookie.isHTTPOnly = isHTTPOnly
        cookie.sameSite = sameSite.flatMap(Cookie.SameSite.init(rawValue:))
        cookie.expires = expires.map(Date.init(timeIntervalSinceReferenceDate:))
        cookie.created = Date(timeIntervalSinceReferenceDate: created)
        return cookie
    }
}
