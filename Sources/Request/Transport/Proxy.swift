/// The proxy through which requests are sent, if any.
public struct Proxy: Hashable, Sendable {
    enum Way: Hashable, Sendable {
        case environment
        case direct
        case http(host: String, port: Int, user: String?, password: String?)
    }

    let way: Way

    /// The proxy of the environment: `http_proxy`, `https_proxy`, `all_proxy`, `no_proxy`.
    public static let environment = Proxy(way: .environment)
    /// Connects to the server directly and ignores the environment.
    public static let direct = Proxy(way: .direct)

    /// An HTTP proxy. `https` requests pass through it in a tunnel. Descriptions show neither the user nor the
    /// password.
    ///
    /// If the host is not an ASCII name or an address, or the port is invalid, every request fails with
    /// ``RequestError/Code/unsupported`` before anything is sent.
    public static func http(host: String, port: Int, user: String? = nil, password: String? = nil) -> Proxy {
        Proxy(way: .http(host: host, port: port, user: user, password: password))
    }
}

extension Proxy {
    /// A description of what is invalid, or nil if the proxy can be used.
    var problem: String? {
        guard case .http(let host, let port, _, _) = way else { return nil }
        guard !host.isEmpty else { return "the proxy has no host: write a name or an address" }
        if let problem = HostName.problem(inHost: Self.bracketed(host)[...]) {
            return "the proxy's host \(Self.redacted(host: host).debugDescription) \(problem)"
        }
        return 1...65_535 ~= port ? nil : "the proxy's port \(port) is invalid: use a number from 1 to 65535"
    }

    /// A host as it is written in a URL.
    static func bracketed(_ host: String) -> String {
        host.utf8.contains(UInt8(ascii: ":")) && host.utf8.first != UInt8(ascii: "[") ? "[\(host)]" : host
    }
}
