#if os(Linux)
    import TangoCCurl

    /// The decision which rule of trust a server has broken, from the result of libcurl: a pure function.
    struct CurlTrustCause {
        let result: CURLcode
        /// The result of verifying the chain, as a number of OpenSSL; 0 if nothing is wrong.
        let verdict: Int
        let message: String
        let hasHead: Bool
        /// A Boolean value that indicates whether a client certificate was offered to the server.
        let showsCertificate: Bool

        var failure: TrustFailure? {
            switch result {
            case CURLE_SSL_PINNEDPUBKEYNOTMATCH: .wrongPin
            case CURLE_SSL_INVALIDCERTSTATUS: .revoked
            case CURLE_PEER_FAILED_VERIFICATION: certificate
            case CURLE_SSL_CLIENTCERT: refused
            case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CIPHER: handshake
            // A TLS 1.3 server rejects a client certificate only after the handshake.
            case CURLE_RECV_ERROR, CURLE_SEND_ERROR: hasHead || !says("alert") ? nil : handshake
            default: nil
            }
        }

        private var certificate: TrustFailure {
            switch verdict {
            case 10: return .expired
            case 9: return .notYetValid
            case 18, 19: return verdict == 18 ? .selfSigned : .unknownAuthority
            case 2, 20, 21, 27: return .unknownAuthority
            case 23: return .revoked
            case 62, 63, 64: return .wrongHost
            default: break
            }
            return .ofCertificate(message) ?? .badCertificate
        }

        private var handshake: TrustFailure? {
            if says("certificate required", "certificate_required") { return refused }
            if let failure = TrustFailure.ofHandshake(message) { return failure }
            let isAboutCertificate = says(
                "alert bad certificate", "alert unknown ca", "alert certificate", "alert unsupported certificate",
                "alert access denied", "alert handshake failure")
            if isAboutCertificate, showsCertificate { return .clientCertificateRefused }
            if says("alert bad certificate", "alert access denied") { return .clientCertificateWanted }
            if says("SSL_ERROR_SYSCALL", "Connection reset", "Broken pipe", "unexpected eof", "closed") { return nil }
            return .handshake
        }

        private var refused: TrustFailure {
            showsCertificate ? .clientCertificateRefused : .clientCertificateWanted
        }

        private func says(_ parts: String...) -> Bool {
            let message = message.lowercased()
            return parts.contains { message.contains($0.lowercased()) }
        }
    }
#endif
