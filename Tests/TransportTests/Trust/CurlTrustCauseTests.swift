#if os(Linux)
    import TangoCCurl
    import Testing

    @testable import TangoCurl
    @testable import TangoRequest
    @testable import TestSupport

    /// The trust failure that follows from the result and the message of libcurl.
    @Suite struct CurlTrustCauseTests {
        struct Case: Sendable {
            let result: CURLcode
            var verdict = 0
            var message = ""
            var hasHead = false
            var shows = false
            let expected: TrustFailure?
        }

        static let cases: [Case] = [
            Case(result: 90, message: "SSL: public key does not match pinned public key", expected: .wrongPin),
            Case(result: 91, expected: .revoked), Case(result: 60, verdict: 10, expected: .expired),
            Case(result: 60, verdict: 9, expected: .notYetValid), Case(result: 60, verdict: 18, expected: .selfSigned),
            Case(result: 60, verdict: 19, expected: .unknownAuthority),
            Case(result: 60, verdict: 20, expected: .unknownAuthority),
            Case(result: 60, verdict: 21, expected: .unknownAuthority),
            Case(result: 60, verdict: 23, expected: .revoked),
            Case(result: 60, verdict: 62, expected: .wrongHost),
            Case(result: 60, verdict: 7, expected: .badCertificate),
            Case(
                result: 60, message: "SSL: no alternative certificate subject name matches target host name 'x'",
                expected: .wrongHost),
            Case(
                result: 60, message: "SSL: certificate subject name (x) does not match target hostname 'y'",
                expected: .wrongHost),
            Case(result: 60, message: "server certificate expiration date has passed.", expected: .expired),
            Case(result: 60, message: "server certificate not activated yet.", expected: .notYetValid),
            Case(
                result: 60, message: "server certificate verification failed. CAfile: none CRLfile: none",
                expected: .unknownAuthority),
            Case(result: 60, message: "SSL certificate problem: self-signed certificate", expected: .selfSigned),
            Case(
                result: 60, message: "SSL certificate problem: self-signed certificate in certificate chain",
                expected: .unknownAuthority),
            Case(result: 60, message: "SSL certificate problem: certificate is not yet valid", expected: .notYetValid),
            Case(result: 60, message: "something new", expected: .badCertificate),
            Case(result: 98, expected: .clientCertificateWanted),
            Case(result: 98, shows: true, expected: .clientCertificateRefused),
            Case(
                result: 56,
                message: "OpenSSL SSL_read: error:0A00045C:SSL routines::tlsv13 alert certificate required, errno 0",
                expected: .clientCertificateWanted),
            Case(
                result: 56, message: "OpenSSL SSL_read: error:0A000418:SSL routines::tlsv1 alert unknown ca, errno 0",
                shows: true, expected: .clientCertificateRefused),
            Case(result: 56, message: "Recv failure: Connection reset by peer", expected: nil),
            Case(result: 56, message: "OpenSSL SSL_read: tlsv1 alert internal error", hasHead: true, expected: nil),
            Case(
                result: 35, message: "error:0A00042E:SSL routines::tlsv1 alert protocol version", expected: .tlsVersion),
            Case(result: 35, message: "error:0A000102:SSL routines::unsupported protocol", expected: .tlsVersion),
            Case(result: 35, message: "error:0A00010B:SSL routines::wrong version number", expected: .notTLS),
            Case(result: 35, message: "error:0A0000C6:SSL routines::packet length too long", expected: .notTLS),
            Case(
                result: 35, message: "gnutls_handshake() failed: An unexpected TLS packet was received.",
                expected: .notTLS),
            Case(
                result: 35, message: "error:0A000410:SSL routines::sslv3 alert handshake failure", expected: .handshake),
            Case(
                result: 35, message: "error:0A000410:SSL routines::sslv3 alert handshake failure", shows: true,
                expected: .clientCertificateRefused),
            Case(result: 35, message: "OpenSSL SSL_connect: SSL_ERROR_SYSCALL in connection to x:443", expected: nil),
            Case(
                result: 35, message: "OpenSSL SSL_connect: Connection reset by peer in connection to x:443",
                expected: nil),
            Case(result: 7, message: "Failed to connect", expected: nil), Case(result: 28, expected: nil),
            Case(result: 58, message: "could not load PEM client certificate", expected: nil),
        ]

        @Test(arguments: cases.indices)
        func resultsBecomeTrustFailures(_ index: Int) {
            let row = Self.cases[index]
            let cause = CurlTrustCause(
                result: row.result, verdict: row.verdict, message: row.message, hasHead: row.hasHead,
                showsCertificate: row.shows)
            #expect(cause.failure == row.expected, "\(row)")
        }

        @Test func streamMessagesAreParsed() {
            func news(_ text: String) -> CurlStreamNews? {
                Array(text.utf8).withUnsafeBytes { CurlStreamNews($0) }
            }
            #expect(news("REFUSED_STREAM, retrying a fresh connect\n") == .refused)
            #expect(news("Using Stream ID: 21 (easy handle 0x7f81d4006e50)\n") == .opened(21))
            #expect(news("[HTTP/2] [5] OPENED stream for https://x/\n") == .opened(5))
            #expect(news("recveived GOAWAY, error=0, last_stream=19\n") == .goodbye(last: 19))
            #expect(news("received GOAWAY, error=2, last_stream=0\n") == .goodbye(last: 0))
            for text in [
                "", "Using Stream ID: ", "GOAWAY", "[HTTP/2] [5] [:path: /OPENED]", "received GOAWAY, error=0", "x",
            ] {
                #expect(news(text) == nil, "\(text)")
            }
        }

        @Test func onlyKnownBackendsSupportAllRules() {
            let pins = ServerTrust.pins(["47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="]).rules(for: "x")
            let authority = ServerTrust.authorities([.file("x")]).rules(for: "x")
            for (name, takesAll) in [
                ("OpenSSL/3.0.19", true), ("(SecureTransport) LibreSSL/3.3", true), ("BoringSSL", true),
                ("AWS-LC/1.2", true),
                ("quictls/3.1", true), ("GnuTLS/3.7.9", false), ("NSS/3.87", false), ("mbedTLS/3", false),
            ] {
                let backend = CurlBackend(name: name)
                #expect(backend.capabilities.isSuperset(of: pins.needs))
                #expect(backend.capabilities.isSuperset(of: authority.needs) == takesAll, "\(name)")
            }
        }
    }
#endif
