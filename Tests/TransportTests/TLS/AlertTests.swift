#if os(Linux)
    import ChildProcesses
    import Foundation
    import Testing

    @testable import TangoTransport
    @testable import TangoRequest
    @testable import TestSupport

    /// Handshakes that a server ends with an alert.
    @Suite(.enabled(if: Nginx.isThere, Comment(rawValue: Nginx.comment)), .timeLimit(.minutes(20)))
    struct AlertTests {
        /// The number of an alert, and its meaning for a client without and with a certificate.
        static let alerts: [(alert: UInt8, none: TrustFailure, shown: TrustFailure)] = [
            (40, .handshake, .clientCertificateRefused), (42, .clientCertificateWanted, .clientCertificateRefused),
            (46, .handshake, .clientCertificateRefused), (48, .handshake, .clientCertificateRefused),
            (70, .tlsVersion, .tlsVersion), (80, .handshake, .handshake), (112, .handshake, .handshake),
            (116, .clientCertificateWanted, .clientCertificateRefused),
        ]

        @Test("an alert instead of a ServerHello", arguments: alerts, [false, true])
        func alertEndsTheHandshake(
            _ row: (alert: UInt8, none: TrustFailure, shown: TrustFailure), _ shows: Bool
        ) async throws {
            let server = try RawListener { connection in
                let head = connection.read(exactly: 5)
                _ = connection.read(exactly: head.count == 5 ? Int(head[3]) << 8 | Int(head[4]) : 0)
                connection.write([0x15, 3, 3, 0, 2, 2, row.alert])
            }
            try await expect(shows ? row.shown : row.none, shows, server.port)
            #expect(server.accepted == 1)
        }

        struct Version: Sendable, CustomTestStringConvertible {
            let testDescription: String

            /// The failure of a client that shows no certificate.
            let none: TrustFailure

            /// TLS 1.2 has no separate alert for a missing certificate.
            static let all = [
                Version(testDescription: "-tls1_2", none: .handshake),
                Version(testDescription: "-tls1_3", none: .clientCertificateWanted),
            ]
        }

        @Test(
            "a server that requires a certificate gets none, or a wrong one", arguments: Version.all)
        func missingOrWrongClientCertificateIsRefused(_ version: Version) async throws {
            let certificates = try await Nginx.server.certificates
            let server = try await DemandingServer.start(certificates, version.testDescription)
            try await expect(version.none, false, server.port)
            try await expect(.clientCertificateRefused, true, server.port)
        }

        private func expect(_ expected: TrustFailure, _ shows: Bool, _ port: Int) async throws {
            let server = try await Nginx.server
            let certificates = server.certificates
            let stranger = ServerTrust.clientCertificate(
                certificates.source("other-client.pem"), key: certificates.source("other-client.key"))
            let transport = HandshakeTests.transport()
            let url = try #require(URL(string: "https://right.test:\(port)/"))
            let trust = shows ? server.trust + stranger : server.trust
            let error = try await failure {
                try await transport.send(HTTPRequest(url: url), options: TransportOptions(trust: trust))
            }
            #expect(error.trustFailure == expected, "\(error)")
            #expect(error.code == .tlsFailed, "\(error)")
            let rules = trust.rules(for: "right.test")
            #expect(error.detail.hasPrefix(expected.sentence(host: "right.test", rules: rules)), "\(error)")
            #expect(error.response == nil)
            await transport.shutdown()
        }
    }

    /// The server of openssl. It ends the handshake unless the client shows the required certificate. It is a child of this
    /// process and ends with it.
    private final class DemandingServer: Sendable {
        let port: Int
        private let process: ChildProcess
        /// A pipe. The server ends when it is closed.
        private let life: CInt

        static func start(_ certificates: TestCertificates, _ version: String) async throws -> DemandingServer {
            try await withCheckedThrowingContinuation { continuation in
                Thread.detachNewThread {
                    continuation.resume(with: Result { try DemandingServer(certificates, version) })
                }
            }
        }

        private init(_ certificates: TestCertificates, _ version: String) throws {
            guard let openssl = Nginx.program("openssl") else {
                throw ProgramFailed(description: "there is no openssl")
            }
            let script = """
                exec 2>&1 3<&0
                cd "$1"
                "$0" s_server -accept 127.0.0.1:0 "$2" -cert right.pem -key right.key -CAfile authority.pem -Verify 1 \
                    -verify_return_error -www 3<&- &
                child=$!
                { cat <&3 >/dev/null; kill $child; } 2>/dev/null &
                wait $child
                """
            let ends = try ChildProcess.pipe()
            defer { close(ends.reading) }
            life = ends.writing
            let process = try ChildProcess(
                command: ["/bin/sh", "-c", script, openssl.path, certificates.folder.path, version], input: ends.reading
            )
            self.process = process
            var said: [String] = []
            while said.last?.hasPrefix("ACCEPT ") != true {
                guard let line = process.line() else {
                    close(life)
                    throw ProgramFailed(description: "openssl: \(said.joined(separator: "\n"))")
                }
                said.append(line)
            }
            port = said.last?.split(separator: ":").last.flatMap { Int($0) } ?? 0
            Thread.detachNewThread { while process.line() != nil {} }
        }

        deinit { close(life) }
    }
#endif
