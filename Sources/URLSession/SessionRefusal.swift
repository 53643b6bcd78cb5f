/// The requests that `URLSession` would change silently, and that are refused for that reason: a pure function of the
/// platform.
struct SessionRefusal: Sendable {
    /// Fields that the system always sets itself.
    var reserved: Set<String> = []
    /// Methods that are always sent in capitals.
    var capitalized: Set<String> = []
    /// A Boolean value that indicates whether `/a/../b` is sent as `/b`.
    var removesDots = false
    /// A Boolean value that indicates whether a session can have a proxy of its own.
    var takesProxies = false
    /// A Boolean value that indicates whether the environment names a proxy.
    var isProxyInEnvironment = false
    /// A Boolean value that indicates whether trailers can be requested safely.
    var survivesTrailers = true
    /// A Boolean value that indicates whether a client certificate and its key can be PEM.
    var takesKeysOfPEM = true

    func refusal(of request: HTTPRequest, proxy: Proxy, rules: ServerTrust.Rules = .system) -> RequestError? {
        guard let detail = problem(with: request) ?? problem(with: proxy) ?? problem(with: rules) else { return nil }
        return RequestError(.unsupported, phase: .prepare, detail: detail, request: request)
    }

    private func problem(with request: HTTPRequest) -> String? {
        let method = request.method.rawValue
        if capitalized.contains(method.uppercased()), method != method.uppercased() {
            return "URLSession would send the method \(method) as \(method.uppercased()): write it in capitals"
        }
        if removesDots, request.url.path(percentEncoded: true).hasDotSegments {
            return "URLSession would send the path without its segments . and ..: remove them"
        }
        for (name, value) in request.headers {
            if reserved.contains(name.lowercased()) { return "URLSession sets the header \(name) itself: remove it" }
            if name.isSameField(as: "Accept-Encoding"), value.lowercased() != "identity" {
                return "URLSession decodes every response: set Accept-Encoding to identity, or remove it"
            }
            if !survivesTrailers, name.isSameField(as: "TE"), value.lowercased().contains("trailers") {
                return "URLSession cannot receive trailers: remove the header TE"
            }
        }
        return nil
    }

    private func problem(with rules: ServerTrust.Rules) -> String? {
        guard case .pair = rules.clientCertificate?.form, !takesKeysOfPEM else { return nil }
        return "the system requires the client certificate and its key as PKCS #12: convert them"
    }

    private func problem(with proxy: Proxy) -> String? {
        if let problem = proxy.problem { return problem }
        return switch proxy.way {
        case .environment: nil
        case .direct:
            takesProxies || !isProxyInEnvironment
                ? nil : "URLSession cannot ignore the proxy of the environment: unset its variables"
        case .http, .socks5:
            !takesProxies
                ? "URLSession supports only the proxy of the environment: set http_proxy and https_proxy"
                : proxy.leavesNames
                    ? "URLSession lets a SOCKS5 proxy look up all names: set resolvesNames to true" : nil
        }
    }
}

extension Proxy {
    /// A Boolean value that indicates whether this system looks up the names for a SOCKS5 proxy.
    fileprivate var leavesNames: Bool {
        if case .socks5(_, _, _, _, resolvesNames: false) = way { true } else { false }
    }
}

extension SessionRefusal {
    /// The fields that the documentation of `URLRequest` reserves. `Authorization` is an exception, because it is sent
    /// unchanged.
    static let onApple = SessionRefusal(
        reserved: ["connection", "host", "proxy-authenticate", "proxy-authorization", "www-authenticate"],
        capitalized: ["GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT"], takesProxies: true, survivesTrailers: true,
        takesKeysOfPEM: false)
}

extension String {
    /// A Boolean value that indicates whether a path has a segment `.` or `..`.
    fileprivate var hasDotSegments: Bool {
        split(separator: "/").contains { $0 == "." || $0 == ".." }
    }
}
