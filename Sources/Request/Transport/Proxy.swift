/// The way by which requests leave.
public struct Proxy: Hashable, Sendable {
    enum Way: Hashable, Sendable {
        case environment
        case direct
        case http(host: String, port: Int, user: String?, password: String?)
    }

    let way: Way

    /// As the environment says: `http_proxy`, `https_proxy`, `all_proxy`, `no_proxy`.
    public static let environment = Proxy(way: .environment)
    /// Straight to the server, whatever the environment says.
    public static let direct = Proxy(way: .direct)

    /// Through an HTTP proxy. `https` requests pass it in a tunnel. Descriptions show neither the user nor the password.
    ///
    /// A host that is no name in ASCII and no address, or a port that is none, fails every request with
    /// ``RequestError/Code/unsupported`` before anything is sent.
    public static func http(host: String, port: Int, user: String? = nil, password: String? = nil) -> Proxy {
        Proxy(way: .http(host: host, port: port, user: user, password: password))
    }
}

extension Proxy {
    /// What makes no sense in it; nil if it can be used.
    var problem: String? {
        guard case .http(let host, let port, _, _) = way else { return nil }
        guard !host.isEmpty else { return "the proxy has no host" }
        if let problem = HostName.problem(inHost: Self.bracketed(host)[...]) {
            return "the proxy's host \(Self.redacted(host: host).debugDescription) \(problem)"
        }
        return 1...65_535 ~= port ? nil : "the proxy's port \(port) is no number from 1 to 65535"
    }

    /// A host as it stands in a URL.
    static func bracketed(_ host: String) -> String {
        host.utf8.contains(UInt8(ascii: ":")) && host.utf8.first != UInt8(ascii: "[") ? "[\(host)]" : host
    }
}
