#if os(Linux)
    import TangoCCurl

    /// Custom rules of trust, ready for libcurl. Each set has connections of its own, because versions of libcurl
    /// differ in the TLS settings that they compare before they reuse a connection.
    final class CurlTrust: Sendable {
        let tls: CurlTLS
        let rules: ServerTrust.Rules

        init(_ rules: ServerTrust.Rules) throws(BadTrust) {
            self.rules = rules
            tls = try CurlTLS(rules, TrustMaterial(rules), systemAuthorities: CurlLibrary.authorities)
        }
    }

    extension KnownTrusts<CurlTrust> {
        /// Returns the rules for a request, or nil for those of the system.
        func trust(for request: HTTPRequest, at address: ServerAddress, _ trust: ServerTrust) throws -> CurlTrust? {
            guard trust != .system, address.isSecure else { return nil }
            let rules = trust.rules(for: address.host)
            guard rules != .system else { return nil }
            do {
                return try find(rules, make: CurlTrust.init)
            } catch {
                throw RequestError(.badTrust, phase: .prepare, detail: error.text, request: request)
            }
        }
    }
#endif
