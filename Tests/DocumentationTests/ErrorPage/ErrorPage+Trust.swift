#if os(Linux)
    import Foundation

    @testable import TangoRequest
    @testable import TangoTransport
    @testable import TestSupport

    /// Errors of the rules of trust, and of servers that break them.
    extension ErrorPage {
        mutating func addTrust() async {
            await rules()
            await material()
            failures()
        }

        private mutating func rules() async {
            let pin = String(repeating: "A", count: 43) + "="
            let table: [(String, ServerTrust)] = [
                ("A list of pins without a pin.", .pins([])), ("A pin in hexadecimal.", .pins(["00ff"])),
                ("An empty list of authorities.", .authorities([])),
                ("A certificate name with a star.", .certificateName("*.example.com")),
                ("A development host with a star.", .developmentHost("*.example.com")),
                ("A host with a scheme.", .hosts(["https://example.com": .system])),
                ("An empty host.", .hosts(["": .system])), ("A star within a host.", .hosts(["a.*.com": .system])),
                ("A star before an address.", .hosts(["*.127.0.0.1": .system])),
                ("A host with a port.", .hosts(["example.com:80": .system])),
                ("A host that is not ASCII.", .hosts(["exämple.com": .system])),
                ("A host with a space.", .hosts(["a b": .system])),
                ("Two rules for a host.", .hosts(["example.com": .system, "EXAMPLE.com": .pins([pin])])),
            ]
            for (cause, trust) in table { await use(cause, trust) }
            await use("Pins for an `http` URL.", .pins([pin]), url: "http://api.example.com/")
        }

        private mutating func use(_ cause: String, _ trust: ServerTrust, url: String = "https://api.example.com/users")
            async
        {
            await add(cause) {
                let client = Client {
                    $0.transport = CurlTransport(CurlConfiguration(proxy: .direct))
                    $0.trust = trust
                }
                return try await client.get(url, as: String.self).value
            }
        }

        private mutating func material() async {
            let folder = TemporaryFolder()
            let missing = CertificateSource.file(folder.url.appendingPathComponent("ca.pem"))
            let key = "-----BEGIN PRIVATE KEY-----\nMAA=\n-----END PRIVATE KEY-----\n"
            let locked = key.replacing("PRIVATE", with: "ENCRYPTED PRIVATE")
            let authorities: [(String, CertificateSource)] = [
                ("A file of authorities that does not exist.", missing),
                ("A folder as authorities.", .file(folder.url)),
                ("Authorities that are not certificates.", .pem("hello")), ("A key as authorities.", .pem(key)),
                ("A damaged certificate.", .pem(key.replacing("PRIVATE KEY", with: "CERTIFICATE"))),
                ("PEM in which a block begins within another.", .pem("-----BEGIN A-----\n-----BEGIN B-----\n")),
                ("PEM with a damaged block.", .pem("-----BEGIN A-----\n!\n-----END A-----\n")),
                ("PEM with a block that has no end.", .pem("-----BEGIN A-----\n")),
            ]
            for (cause, source) in authorities { await use(cause, .authorities([source])) }
            await use("A file that is not PKCS #12.", .clientCertificate(pkcs12: .pem("hello"), passphrase: "a"))
            let certificate = CertificateSource.pem("hello")
            let keys: [(String, CertificateSource, String?)] = [
                ("A key that is neither PEM nor DER.", .pem("hello"), nil),
                ("PEM without a private key.", .pem("-----BEGIN A-----\nMAA=\n-----END A-----\n"), nil),
                ("An encrypted key without a passphrase.", .pem(locked), nil),
                ("A key as DER with a passphrase.", .data(Data([0x30, 0])), "secret"),
            ]
            for (cause, key, passphrase) in keys {
                await use(cause, .clientCertificate(certificate, key: key, passphrase: passphrase))
            }
        }

        /// Failures of servers, as transports report them.
        private mutating func failures() {
            let all: [TrustFailure] = [
                .expired, .notYetValid, .selfSigned, .unknownAuthority, .wrongHost, .wrongPin, .revoked,
                .badCertificate,
                .clientCertificateWanted, .clientCertificateRefused, .tlsVersion, .notTLS, .handshake,
            ]
            for failure in all {
                add(
                    "A server with the ``TrustFailure`` `\(failure)`.".replacing("``", with: "`"),
                    RequestError(
                        failure, host: "api.example.com", rules: ServerTrust.system.rules(for: "api.example.com")))
            }
        }
    }
#endif
