import Foundation
import TangoRequest
import Testing

@testable import TestSupport

/// The code of "Server trust".
@Suite struct ServerTrustSnippets: SampleAPI {
    private let current = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
    private let next = "n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg="

    @Test func pins() {
        let url = server.url
        let pinned = Client(baseURL: url) {
            $0.trust = .hosts([
                "api.example.com": .pins(["sha256/\(current)"], backups: ["sha256/\(next)"])
            ])
        }
        #expect(pinned.configuration.trust.problem == nil)
        #expect(pinned.configuration.trust.rules(for: "api.example.com").pins.count == 2)
        #expect(pinned.configuration.trust.rules(for: "example.com") == .system)

        let simple: ServerTrust =
            .pins(["sha256/\(current)"], backups: ["sha256/\(next)"]) + .minimumTLS(.v1_3)
        #expect(simple.rules(for: "x").minimumTLS == .v1_3)
    }

    @Test func tables() {
        let companyAuthority = "/etc/company.pem"
        let trust: ServerTrust = .hosts([
            "api.example.com": .pins([current], backups: [next]),
            "*.internal.example.com": .authorities([.file(companyAuthority)]),
        ])
        #expect(trust.rules(for: "a.internal.example.com").authorities == [.file(companyAuthority)])
    }

    @Test func typeAsDocumented() {
        let trust: ServerTrust =
            .pins(["sha256/\(current)"], backups: ["sha256/\(next)"]) + .minimumTLS(.v1_3)
        #expect(trust.problem == nil)
    }

    @Test func pinsOfCertificates() throws {
        let folder = FileManager.default.temporaryDirectory
        let certificate = folder.appendingPathComponent("tango-\(UUID().uuidString).pem")
        try Data("no certificate".utf8).write(to: certificate)
        defer { try? FileManager.default.removeItem(at: certificate) }
        let pin = PublicKeyPin(certificate: try Data(contentsOf: certificate))
        #expect(pin == nil)
    }

    @Test func authorities() {
        let (authority, certificate, key) = ("/etc/authority.pem", "/etc/client.pem", "/etc/client.key")
        let passphrase = "open sesame"
        let trust: ServerTrust =
            .authorities([.file(authority)], besidesSystem: true)
            + .clientCertificate(.file(certificate), key: .file(key), passphrase: passphrase)
        #expect(trust.rules(for: "x").needs == [.authorities, .clientCertificates])
    }

    @Test func development() async throws {
        let local = Client(baseURL: URL(string: "https://localhost:8443")) {
            $0.trust = .developmentHost("localhost")
        }
        #expect(local.configuration.trust.rules(for: "localhost").isDevelopment)
        #expect(!local.configuration.trust.rules(for: "example.com").isDevelopment)
    }

    @Test func failures() async throws {
        let url = server.url
        let client = Client { $0.transport = Impostor() }
        var reported: [String] = []
        func report(_ text: String) { reported.append(text) }
        do {
            _ = try await client.send(HTTPRequest(url: url))
        } catch let error as RequestError where error.trustFailure == .wrongPin {
            report("the key of the server has changed, or the connection is intercepted")
        }
        #expect(reported.count == 1)
    }

    /// A transport that reports a server with another key.
    private struct Impostor: Transport {
        var capabilities: TransportCapabilities { [.tls, .pins] }
        func shutdown() async {}

        func start(
            _ request: HTTPRequest, options: TransportOptions, completion: @escaping TransportCompletion
        ) -> TransportTask {
            completion {
                throw RequestError(
                    .untrusted, phase: .connect, detail: "the key is another one", request: request,
                    underlying: TrustFailure.wrongPin)
            }
            return .completed
        }
    }
}
