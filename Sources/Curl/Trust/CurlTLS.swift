#if os(Linux)
    import TangoCCurl

    /// The TLS options of libcurl for one host.
    struct CurlTLS: Equatable, Sendable {
        struct Client: Equatable, Sendable {
            var certificate: Data
            var certificateKind: String
            var key: Data?
            var keyKind = "PEM"
            /// Never nil, because libcurl would prompt for it on the terminal.
            var passphrase = ""

            static func == (one: Client, other: Client) -> Bool {
                one.certificateKind == other.certificateKind && one.keyKind == other.keyKind
                    && one.passphrase == other.passphrase && (one.key == nil) == (other.key == nil)
                    && one.certificate.hasSameBytes(as: other.certificate)
                    && (one.key ?? Data()).hasSameBytes(as: other.key ?? Data())
            }
        }

        var oldest = Int(CURL_SSLVERSION_TLSv1_2)
        /// Hashes of public keys, as one text.
        var pins: String?
        /// Authorities that replace the system's, as PEM.
        var authorities: Data?
        var client: Client?
        /// A Boolean value that indicates whether certificates are verified.
        var verifies = true
        var certificateName: String?
        /// A Boolean value that indicates whether libcurl keeps the certificates of the server, for errors and reports.
        var keepsCertificates = false

        static let system = CurlTLS()

        init() {}

        /// - Parameter systemAuthorities: Returns the authorities of the system as PEM, for rules that use both.
        init(_ rules: ServerTrust.Rules, _ material: TrustMaterial, systemAuthorities: () throws(BadTrust) -> Data)
            throws(BadTrust)
        {
            if rules.minimumTLS == .v1_3 { oldest = Int(CURL_SSLVERSION_TLSv1_3) }
            if !rules.pins.isEmpty {
                pins = rules.pins.map { "sha256//\($0.base64)" }.sorted().joined(separator: ";")
            }
            keepsCertificates = !rules.pins.isEmpty || !rules.reporters.isEmpty
            if let certificates = material.authorities {
                var all = rules.trustsSystem ? try systemAuthorities() : Data()
                for certificate in certificates { all += PEM.encode(certificate, label: "CERTIFICATE").utf8 }
                authorities = all
            }
            let passphrase = rules.clientCertificate?.passphrase?.text ?? ""
            switch material.client {
            case nil: break
            case .pkcs12(let bytes):
                client = Client(certificate: bytes, certificateKind: "P12", passphrase: passphrase)
            case .pair(let certificates, let key, let isPEM):
                let chain = certificates.map { PEM.encode($0, label: "CERTIFICATE") }.joined()
                client = Client(
                    certificate: Data(chain.utf8), certificateKind: "PEM", key: key, keyKind: isPEM ? "PEM" : "DER",
                    passphrase: passphrase)
            }
            verifies = !rules.isDevelopment
            certificateName = rules.certificateName
        }
    }

    extension CurlHandle {
        /// Sets all options on a new handle. Throws if libcurl rejects one, because it would not enforce that rule.
        func apply(_ tls: CurlTLS) throws(BadTrust) {
            func require(_ code: CURLcode, _ what: String) throws(BadTrust) {
                guard code != CURLE_OK else { return }
                throw BadTrust(
                    "libcurl does not support \(what): install a newer libcurl, or remove the rule "
                        + "(libcurl \(code): \(String(cString: curl_easy_strerror(code))))")
            }
            try require(tango_curl_set_long(easy, CURLOPT_SSLVERSION, tls.oldest), "the lowest version of TLS")
            try require(tango_curl_set_long(easy, CURLOPT_SSL_VERIFYPEER, tls.verifies ? 1 : 0), "a development host")
            try require(tango_curl_set_long(easy, CURLOPT_SSL_VERIFYHOST, tls.verifies ? 2 : 0), "a development host")
            if let pins = tls.pins { try require(set(CURLOPT_PINNEDPUBLICKEY, pins), "pins") }
            // Without it, errors do not name the key of the server, and reports cannot be made.
            if tls.keepsCertificates {
                try require(tango_curl_set_long(easy, CURLOPT_CERTINFO, 1), "pins that are reported")
            }
            if let authorities = tls.authorities {
                // Authorities in memory replace the file of the system, but its folder would still count. Newer
                // versions of libcurl use the default folder again if none is set.
                try require(set(CURLOPT_CAINFO, nil as String?), "authorities")
                try require(set(CURLOPT_CAPATH, Self.noFolder), "authorities")
                try require(set(CURLOPT_CAINFO_BLOB, authorities), "authorities from memory")
            }
            guard let client = tls.client else { return }
            try require(set(CURLOPT_SSLCERTTYPE, client.certificateKind), "a \(client.certificateKind) certificate")
            try require(set(CURLOPT_SSLCERT_BLOB, client.certificate), "a client certificate from memory")
            if let key = client.key {
                try require(set(CURLOPT_SSLKEYTYPE, client.keyKind), "a \(client.keyKind) key")
                try require(set(CURLOPT_SSLKEY_BLOB, key), "a key from memory")
            }
            try require(set(CURLOPT_KEYPASSWD, client.passphrase), "a passphrase")
        }

        /// A path below which no certificate can exist.
        private static let noFolder = "/dev/null"

        private func set(_ option: Int32, _ data: Data) -> CURLcode {
            data.withUnsafeBytes { bytes in
                var blob = curl_blob(
                    data: UnsafeMutableRawPointer(mutating: bytes.baseAddress), len: bytes.count,
                    flags: UInt32(CURL_BLOB_COPY))
                return tango_curl_set_blob(easy, option, &blob)
            }
        }
    }

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
                if text.hasPrefix("Cert:") { return PublicKeyPin(certificate: Data(String(text.dropFirst(5)).utf8)) }
                guard let next = entry.pointee.next else { return nil }
                entry = next
            }
        }
    }
#endif
