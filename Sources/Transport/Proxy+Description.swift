extension Proxy: CustomStringConvertible, CustomReflectable {
    /// The proxy without its user and password, such as `http://…@proxy.example.com:3128`.
    public var description: String {
        switch way {
        case .environment: return "the proxy of the environment"
        case .direct: return "no proxy"
        case .http(let host, let port, let user, let password, _):
            return Self.text("http", host, port, hasCredentials: user != nil || password != nil)
        case .socks5(let host, let port, let user, let password, let resolvesNames):
            let scheme = resolvesNames ? "socks5h" : "socks5"
            return Self.text(scheme, host, port, hasCredentials: user != nil || password != nil)
        }
    }

    private static func text(_ scheme: String, _ host: String, _ port: Int, hasCredentials: Bool) -> String {
        let isPlain = host.utf8.allSatisfy { $0 != UInt8(ascii: "@") && $0 != UInt8(ascii: "/") }
        let place = isPlain ? bracketed(host) : host
        let reference = Redaction.standard.redact(reference: "http://\(hasCredentials ? "user@" : "")\(place):\(port)")
        return scheme + reference.dropFirst(4)
    }

    public var customMirror: Mirror { Mirror(self, children: ["proxy": description]) }

    /// A host for use in errors. Removes credentials given by mistake, such as `user:password@host`.
    static func redacted(host: String) -> String {
        String(Redaction.standard.redact(reference: "//\(host)").dropFirst(2))
    }
}
