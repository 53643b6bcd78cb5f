#if os(Linux)
    import Foundation

    /// The proxies of the environment, as libcurl reads them.
    struct ProxyEnvironment: Sendable {
        let variables: [String: String]

        static var current: ProxyEnvironment { ProxyEnvironment(variables: ProcessInfo.processInfo.environment) }

        /// Returns the host of the proxy for a server; nil for none. A proxy that cannot be read counts as one, without its user
        /// and password.
        func host(for server: ServerAddress) -> String? {
            // libcurl ignores HTTP_PROXY, which a client of a CGI program could set.
            let own = server.isSecure ? first("https_proxy", "HTTPS_PROXY") : first("http_proxy")
            guard let text = own ?? first("all_proxy", "ALL_PROXY"), !isExcepted(server.host) else { return nil }
            let url = text.contains("://") ? text : "http://" + text
            let scheme = url.prefix { $0 != ":" }
            return (try? ServerAddress("http" + url.dropFirst(scheme.count)))?.host
                ?? text.split(separator: "@", omittingEmptySubsequences: false).last.map(String.init)
        }

        private func first(_ names: String...) -> String? {
            names.lazy.compactMap { variables[$0] }.first { !$0.isEmpty }
        }

        /// Returns whether a list names a host, or a domain above it.
        private func isExcepted(_ host: String) -> Bool {
            let list = first("no_proxy", "NO_PROXY") ?? ""
            if list == "*" { return true }
            return list.split { $0 == "," || $0 == " " }.contains { entry in
                let name = entry.lowercased().drop { $0 == "." }
                return host == name || host.hasSuffix("." + name)
            }
        }
    }
#endif
