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

    /// Through an HTTP proxy. `https` requests pass it in a tunnel.
    public static func http(host: String, port: Int, user: String? = nil, password: String? = nil) -> Proxy {
        Proxy(way: .http(host: host, port: port, user: user, password: password))
    }
}
