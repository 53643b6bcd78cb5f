/// A cookie of a ``CookieJar`` (RFC 6265bis).
///
/// ```swift
/// var cookie = Cookie("theme", "dark", domain: "example.com")
/// cookie.expires = Date(timeIntervalSinceNow: 86_400)
/// try jar.set(cookie)
/// ```
///
/// Its descriptions show no value. Two cookies are compared by the bytes of their texts.
public struct Cookie: Sendable {
    /// The name. It may be empty, as for a server that sends `Set-Cookie: on`.
    public var name: String
    /// The value, as it is sent.
    public var value: String
    /// The host that the cookie belongs to, in lower case.
    public var domain: String
    /// A Boolean value that indicates whether the cookie is sent to its host only, and not to the hosts below it.
    public var isHostOnly: Bool
    /// The beginning of the paths that the cookie is sent to, in whole segments.
    public var path: String
    /// A Boolean value that indicates whether the cookie is sent over `https` only, and to this device.
    public var isSecure: Bool
    /// A Boolean value that indicates whether scripts of a page may not read the cookie. Tango records it only.
    public var isHTTPOnly: Bool
    /// The requests of other sites that a browser sends the cookie with; nil if the server names none. Tango records it
    /// only, because a client has no sites.
    public var sameSite: SameSite?
    /// The time at which the cookie is removed; nil for a session cookie, which ends with the jar.
    public var expires: Date?
    /// The time at which the cookie was first set.
    public internal(set) var created: Date

    /// The values of the attribute `SameSite`.
    public enum SameSite: String, Sendable, CaseIterable {
        case strict = "Strict"
        case lax = "Lax"
        case none = "None"
    }

    /// Creates a session cookie for all paths of one host.
    public init(_ name: String, _ value: String, domain: String, path: String = "/") {
        self.name = name
        self.value = value
        self.domain = domain
        self.path = path
        isHostOnly = true
        isSecure = false
        isHTTPOnly = false
        created = Date(timeIntervalSince1970: 0)
    }
}

extension Cookie {
    /// The properties that a cookie is replaced by. A jar has one cookie for each key.
    struct Key: Hashable, Sendable {
        let name: ExactString
        let domain: ExactString
        let path: ExactString
        let isHostOnly: Bool
    }

    var key: Key {
        Key(name: ExactString(name), domain: ExactString(domain), path: ExactString(path), isHostOnly: isHostOnly)
    }

    /// The pair as it is sent.
    var pair: String { name.isEmpty ? value : "\(name)=\(value)" }

    func isExpired(at now: Date) -> Bool { expires.map { $0 <= now } ?? false }
}

extension Cookie: Hashable {
    public static func == (one: Cookie, other: Cookie) -> Bool {
        one.key == other.key && one.value.hasSameBytes(as: other.value) && one.isSecure == other.isSecure
            && one.isHTTPOnly == other.isHTTPOnly && one.sameSite == other.sameSite && one.expires == other.expires
            && one.created == other.created
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(key) }
}

extension Cookie: DescribedOnly {
    /// Such as `sid for example.com/account, secure, session`. The value is left out.
    public var description: String {
        var text = "\(name.isEmpty ? "cookie without a name" : name) for \(domain)\(path)"
        if !isHostOnly { text += " and the hosts below it" }
        if isSecure { text += ", secure" }
        if isHTTPOnly { text += ", HTTP only" }
        if let sameSite { text += ", SameSite=\(sameSite.rawValue)" }
        return text + (expires.map { ", expires \(HTTPDate.text($0.timeIntervalSince1970))" } ?? ", session")
    }
}
