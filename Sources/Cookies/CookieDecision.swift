/// The decision whether a cookie is stored (RFC 6265bis, 5.7). It is a pure function of values.
enum CookieDecision: Equatable {
    case store(Cookie)
    case ignore(Reason)

    /// The reason why a cookie is not stored, which completes the sentence "the cookie …".
    enum Reason: String, Sendable {
        case malformed =
            "has a name or a value that cannot be sent: use up to 4096 bytes, without control characters and semicolons"
        case foreignDomain = "is for a domain that the host does not belong to: use that of the host"
        case publicSuffix = "is for a domain in which anyone can register names: use a domain below it"
        case insecureServer = "is secure, and the server is not: use https"
        case secureExists = "would hide a secure cookie, and the server is not secure: use https"
        case securePrefix = "begins with __Secure- and is not secure: set isSecure, or choose another name"
        case hostPrefix =
            "begins with __Host-, and is not a secure cookie of one host and its path /: choose another name"
        case hiddenPrefix = "has no name, and its value begins with __Secure- or __Host-: choose another value"
        case badDomain = "has a domain that is not a host in lower case: write it as in example.com"
        case badPath = "has a path that does not begin with a slash, or has a semicolon: write it as in /account"
        case badDate = "expires at a date that is not a number: check how it is computed"
    }

    /// The values that a decision depends on, beside the field.
    struct Situation {
        var host: CookieHost
        var path: Substring = "/"
        var now: Date
        /// Returns whether anyone can register names below a domain.
        var isPublicSuffix: (String) -> Bool = { !$0.utf8.contains(UInt8(ascii: ".")) }
        /// Returns whether there is a secure cookie that this cookie would replace or hide.
        var hidesSecureCookie: (Cookie) -> Bool = { _ in false }
    }

    static func of(_ field: SetCookie?, _ situation: Situation) -> CookieDecision {
        guard let field else { return .ignore(.malformed) }
        let host = situation.host
        var cookie = Cookie(field.name, field.value, domain: host.name)
        if !field.domain.isEmpty {
            guard field.domain.utf8.allSatisfy({ $0 < 0x80 }), host.matches(domain: field.domain) else {
                return .ignore(.foreignDomain)
            }
            // A host that is itself a public suffix, or an address, gets its cookies alone.
            let isShared = !host.isAddress && !situation.isPublicSuffix(field.domain)
            guard isShared || field.domain.hasSameBytes(as: host.name) else { return .ignore(.publicSuffix) }
            cookie.domain = field.domain
            cookie.isHostOnly = !isShared
        }
        cookie.path = field.path ?? CookiePath.standard(for: situation.path)
        cookie.isSecure = field.isSecure
        cookie.isHTTPOnly = field.isHTTPOnly
        cookie.sameSite = field.sameSite
        cookie.expires = field.maxAge ?? field.expires
        cookie.created = situation.now
        if !host.isSecure {
            if cookie.isSecure { return .ignore(.insecureServer) }
            if situation.hidesSecureCookie(cookie) { return .ignore(.secureExists) }
        }
        return problem(inPrefixOf: cookie, hasPath: field.hasPath).map(ignore) ?? .store(cookie)
    }

    /// Returns the reason not to store a cookie that the application has made; nil if there is none.
    static func problem(in cookie: Cookie, isPublicSuffix: (String) -> Bool) -> Reason? {
        let texts = [cookie.name, cookie.value]
        let isWritable =
            texts.allSatisfy { text in
                text.utf8.allSatisfy { !$0.isControlInCookie && $0 != UInt8(ascii: ";") }
                    && text[...].withoutBlanks.utf8.count == text.utf8.count
            } && !cookie.name.utf8.contains(UInt8(ascii: "="))
            && !(cookie.name.isEmpty && cookie.value.utf8.contains(UInt8(ascii: "=")))
        let length = cookie.name.utf8.count + cookie.value.utf8.count
        guard isWritable, (1...SetCookie.longestPair).contains(length) else { return .malformed }
        let host = "http://" + (cookie.domain.utf8.contains(UInt8(ascii: ":")) ? "[\(cookie.domain)]" : cookie.domain)
        guard let server = try? ServerAddress(host), case let host = CookieHost(server),
            host.name.hasSameBytes(as: cookie.domain)
        else { return .badDomain }
        if !cookie.isHostOnly, host.isAddress || isPublicSuffix(cookie.domain) { return .publicSuffix }
        guard cookie.path.utf8.first == UInt8(ascii: "/"), cookie.path.utf8.count <= SetCookie.longestAttribute,
            cookie.path.utf8.allSatisfy({ !$0.isControlInCookie && $0 != UInt8(ascii: ";") })
        else { return .badPath }
        if cookie.expires?.timeIntervalSinceReferenceDate.isNaN == true { return .badDate }
        return problem(inPrefixOf: cookie, hasPath: true)
    }

    /// Returns the reason for which the prefix of a name forbids a cookie. A server that trusts a prefix must not be
    /// deceived by another spelling, nor by a cookie without a name, whose value is sent in the place of a name.
    private static func problem(inPrefixOf cookie: Cookie, hasPath: Bool) -> Reason? {
        if cookie.name.isEmpty {
            return cookie.value.begins(with: "__secure-") || cookie.value.begins(with: "__host-") ? .hiddenPrefix : nil
        }
        if cookie.name.begins(with: "__secure-"), !cookie.isSecure { return .securePrefix }
        if cookie.name.begins(with: "__host-") {
            let isBound = cookie.isSecure && cookie.isHostOnly && hasPath && cookie.path.utf8.elementsEqual("/".utf8)
            return isBound ? nil : .hostPrefix
        }
        return nil
    }
}

extension String {
    /// Returns whether the text begins with a text in lower case, in any case.
    fileprivate func begins(with start: String) -> Bool {
        utf8.lazy.map(\.lowercasedASCII).starts(with: start.utf8)
    }
}
