extension Proxy: CustomStringConvertible, CustomReflectable {
    /// The proxy without its user and password, such as `http://…@proxy.example.com:3128`.
    public var description: String {
        switch way {
        case .environment: return "the proxy of the environment"
        case .direct: return "no proxy"
        case .http(let host, let port, let user, let password):
            let credentials = user == nil && password == nil ? "" : "user@"
            let isPlain = host.utf8.allSatisfy { $0 != UInt8(ascii: "@") && $0 != UInt8(ascii: "/") }
            let place = isPlain ? Self.bracketed(host) : host
            return Redaction.standard.redact(reference: "http://\(credentials)\(place):\(port)")
        }
    }

    public var customMirror: Mirror { Mirror(self, children: ["proxy": description]) }

    /// A host for use in errors. Removes credentials given by mistake, such as `user:password@host`.
    static func redacted(host: String) -> String {
        String(Redaction.standard.redact(reference: "//\(host)").dropFirst(2))
    }
}
