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

    extension CurlHandle {
        /// The pin of the server's key; nil if the transfer has used an older connection, or has had no handshake.
        var presentedPin: PublicKeyPin? {
            var pointer: UnsafeMutableRawPointer?
            guard tango_curl_get_pointer(easy, CURLINFO_CERTINFO, &pointer) == CURLE_OK, let pointer else { return nil }
            let all = pointer.assumingMemoryBound(to: curl_certinfo.self).pointee
            guard all.num_of_certs > 0, var entry = all.certinfo?[0] else { return nil }
            while true {
                let text = entry.pointee.data.map { String(cString: $0) } ?? ""
                if text.hasPrefix("Cert:") { return PublicKeyPin(certificate: Data(text.utf8.dropFirst(5))) }
                guard let next = entry.pointee.next else { return nil }
                entry = next
            }
        }
    }
#endif
