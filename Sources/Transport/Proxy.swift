/// The proxy through which requests are sent, if any.
public struct Proxy: Hashable, Sendable {
    package enum Way: Hashable, Sendable {
        case environment
        case direct
        case http(host: String, port: Int, user: String?, password: String?, scheme: Authentication)
        case socks5(host: String, port: Int, user: String?, password: String?, resolvesNames: Bool)
    }

    package let way: Way

    /// The scheme by which an HTTP proxy gets the user and the password.
    public enum Authentication: Hashable, Sendable, CaseIterable {
        /// `Basic`: they are sent with the first request, without encryption.
        case basic
        /// `Digest`: the password itself is never sent. The first request is rejected by the proxy, and sent again.
        case digest
        /// `Digest` if the proxy supports it, and otherwise `Basic`. The first request is rejected by the proxy, and sent
        /// again.
        case strongest
    }

    /// The proxy of the environment: `http_proxy`, `https_proxy`, `all_proxy`, `no_proxy`.
    public static let environment = Proxy(way: .environment)
    /// Connects to the server directly and ignores the environment.
    public static let direct = Proxy(way: .direct)

    /// An HTTP proxy. `https` requests pass through it in a tunnel. Descriptions show neither the user nor the
    /// password.
    ///
    /// If the host is not an ASCII name or an address, or the port is invalid, every request fails with
    /// ``RequestError/Code/unsupported`` before anything is sent.
    ///
    /// If the proxy refuses a tunnel because of the user or the password, requests fail with
    /// ``RequestError/Code/proxyAuthenticationRequired``. `http` requests have no tunnel: the status 407 of the proxy is
    /// their response.
    ///
    /// - Parameters:
    ///   - host: The name or the address of the proxy.
    ///   - port: The port of the proxy.
    ///   - user: The name of the user, if the proxy requires one.
    ///   - password: The password of the user.
    ///   - authentication: The scheme by which the proxy gets the user and the password. `URLSessionTransport`
    ///     ignores it: the system chooses the scheme.
    public static func http(
        host: String, port: Int, user: String? = nil, password: String? = nil, authentication: Authentication = .basic
    ) -> Proxy {
        Proxy(way: .http(host: host, port: port, user: user, password: password, scheme: authentication))
    }

    /// A SOCKS5 proxy, such as that of `ssh -D` or Tor. All requests pass through it in a tunnel, those of `http` too.
    /// Descriptions show neither the user nor the password, which are sent to the proxy without encryption.
    ///
    /// If the proxy rejects the user and the password, requests fail with
    /// ``RequestError/Code/proxyAuthenticationRequired``. If a value is invalid, every request fails with
    /// ``RequestError/Code/unsupported`` before anything is sent.
    ///
    /// - Parameters:
    ///   - host: The host of the proxy, a name or an address.
    ///   - port: The port of the proxy.
    ///   - user: The user, with 1 to 255 bytes; nil if the proxy needs none.
    ///   - password: The password of the user, with at most 255 bytes.
    ///   - resolvesNames: If true, the proxy looks up the hosts of URLs, as with `socks5h` in other tools. If false, this
    ///     system looks them up, as with `socks5`, so its name servers see them.
    public static func socks5(
        host: String, port: Int, user: String? = nil, password: String? = nil, resolvesNames: Bool = true
    ) -> Proxy {
        Proxy(way: .socks5(host: host, port: port, user: user, password: password, resolvesNames: resolvesNames))
    }
}

extension Proxy {
    /// A description of what is invalid, or nil if the proxy can be used.
    package var problem: String? {
        switch way {
        case .environment, .direct: nil
        case .http(let host, let port, _, _, _): Self.problem(host: host, port: port)
        case .socks5(let host, let port, let user, let password, _):
            Self.problem(host: host, port: port) ?? Self.problem(user: user, password: password)
        }
    }

    private static func problem(host: String, port: Int) -> String? {
        guard !host.isEmpty else { return "the proxy has no host: write a name or an address" }
        if let problem = HostName.problem(inHost: bracketed(host)[...]) {
            return "the proxy's host \(redacted(host: host).debugDescription) \(problem)"
        }
        return 1...65_535 ~= port ? nil : "the proxy's port \(port) is invalid: use a number from 1 to 65535"
    }

    /// The lengths are those of RFC 1929.
    private static func problem(user: String?, password: String?) -> String? {
        guard let user else {
            return password == nil ? nil : "the SOCKS5 proxy has a password without a user: add the user"
        }
        guard 1...255 ~= user.utf8.count else {
            return "the user of the SOCKS5 proxy has \(user.utf8.count) bytes: use 1 to 255"
        }
        let length = password?.utf8.count ?? 0
        return length <= 255 ? nil : "the password of the SOCKS5 proxy has \(length) bytes: use at most 255"
    }

    /// The host of the proxy; nil without a proxy, or if the environment names it.
    package var host: String? {
        switch way {
        case .environment, .direct: nil
        case .http(let host, _, _, _, _), .socks5(let host, _, _, _, _): host
        }
    }

    /// A Boolean value that indicates whether an `http` request may be rejected once and then sent again with credentials.
    package var respondsToChallenges: Bool {
        if case .http(_, _, _?, _, let scheme) = way { scheme != .basic } else { false }
    }

    /// A host as it is written in a URL.
    package static func bracketed(_ host: String) -> String {
        host.utf8.contains(UInt8(ascii: ":")) && host.utf8.first != UInt8(ascii: "[") ? "[\(host)]" : host
    }
}

extension Proxy: DescribedOnly {
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

    /// A host for use in errors. Removes credentials given by mistake, such as `user:password@host`.
    static func redacted(host: String) -> String {
        String(Redaction.standard.redact(reference: "//\(host)").dropFirst(2))
    }
}
