#if os(Linux)
    import TangoCCurl

    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    /// Rules other than the system's, ready for libcurl. Each has connections of its own: which settings of TLS libcurl
    /// compares before it uses a connection again is not the same in all of its versions.
    final class CurlTrust: Sendable {
        let tls: CurlTLS
        let rules: ServerTrust.Rules

        init(_ rules: ServerTrust.Rules) throws(BadTrust) {
            self.rules = rules
            tls = try CurlTLS(rules, TrustMaterial(rules), systemAuthorities: CurlLibrary.authorities)
        }
    }

    extension KnownTrusts<CurlTrust> {
        /// The rules for a request; nil is those of the system.
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
