#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What `URLSession` would change without a word, and is therefore refused: a pure function of what a platform does.
struct SessionRefusal: Sendable {
    /// Fields that the system writes itself, whatever a request says.
    var reserved: Set<String> = []
    /// Methods that are sent in capitals, however they are written.
    var capitalized: Set<String> = []
    /// Whether `/a/../b` is sent as `/b`.
    var removesDots = false
    /// Whether a session can be told which proxy to use.
    var takesProxies = false
    /// Whether the environment names a proxy.
    var isProxyInEnvironment = false
    /// Whether fields behind a body are safe to ask for.
    var survivesTrailers = true
    /// Whether a certificate of the client can be given as PEM, with its key.
    var takesKeysOfPEM = true

    func refusal(of request: HTTPRequest, proxy: Proxy, rules: ServerTrust.Rules = .system) -> RequestError? {
        guard let detail = problem(with: request) ?? problem(with: proxy) ?? problem(with: rules) else { return nil }
        return RequestError(.unsupported, phase: .prepare, detail: detail, request: request)
    }

    private func problem(with request: HTTPRequest) -> String? {
        let method = request.method.rawValue
        if capitalized.contains(method.uppercased()), method != method.uppercased() {
            return "URLSession would send the method \(method) as \(method.uppercased())"
        }
        if removesDots, request.url.path(percentEncoded: true).hasDotSegments {
            return "URLSession would send the path without its segments . and .."
        }
        for (name, value) in request.headers {
            if reserved.contains(name.lowercased()) { return "URLSession writes the header \(name) itself" }
            if name.isSameField(as: "Accept-Encoding"), value.lowercased() != "identity" {
                return "URLSession decodes every response: only the Accept-Encoding identity can be asked for"
            }
            if !survivesTrailers, name.isSameField(as: "TE"), value.lowercased().contains("trailers") {
                return "URLSession cannot receive trailers"
            }
        }
        return nil
    }

    private func problem(with rules: ServerTrust.Rules) -> String? {
        guard case .pair = rules.clientCertificate?.form, !takesKeysOfPEM else { return nil }
        return "the system takes a certificate of the client with its key as PKCS #12 only"
    }

    private func problem(with proxy: Proxy) -> String? {
        if let problem = proxy.problem { return problem }
        return switch proxy.way {
        case .environment: nil
        case .direct:
            takesProxies || !isProxyInEnvironment
                ? nil : "URLSession uses the proxy that the environment names, and cannot be told not to"
        case .http: takesProxies ? nil : "URLSession uses no proxy but one that the environment names"
        }
    }
}

extension SessionRefusal {
    /// The fields are those that the documentation of `URLRequest` reserves, but for `Authorization`, which is sent as it is.
    static let onApple = SessionRefusal(
        reserved: ["connection", "host", "proxy-authenticate", "proxy-authorization", "www-authenticate"],
        capitalized: ["GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT"], takesProxies: true, survivesTrailers: true,
        takesKeysOfPEM: false)
}

extension String {
    /// Whether a path has a segment that is one dot or two.
    fileprivate var hasDotSegments: Bool {
        split(separator: "/").contains { $0 == "." || $0 == ".." }
    }
}
