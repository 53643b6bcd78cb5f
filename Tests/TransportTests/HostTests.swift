import Foundation
import LoopbackServer
import Testing

@testable import TangoRequest
@testable import TestSupport

/// Hosts that some libraries read as another host.
@Suite(.timeLimit(.minutes(20))) struct HostTests {
    typealias Kind = TransportUnderTest

    /// Each of these names this machine in at least one library.
    static let disguises = [
        "%6cocalhost", "%EF%BD%8Cocalhost", "local%C2%ADhost", "localhost%E3%80%82", "127.1", "0x7f.1", "2130706433",
        "0177.0.0.1", "127.0.0.1.", "a%0d%0aX-Forged",
    ]

    @Test(arguments: Kind.all, disguises)
    func aDisguisedHostIsRefusedBeforeAnythingIsSent(_ kind: Kind, _ host: String) async throws {
        try await kind.run { transport, server in
            let url = try #require(URL(string: "http://\(host):\(server.url.port ?? 0)/"))
            let client = Client { $0.transport = transport }
            for work in [
                { @Sendable in try await transport.send(HTTPRequest(url: url)) },
                { @Sendable in try await client.send(HTTPRequest(url: url)) },
            ] {
                let error = try await failure { try await work() }
                #expect(error.code == .badURL)
                #expect(error.phase == .prepare)
                #expect(error.detail.contains("host"))
            }
            #expect(server.connections.accepted == 0)
        }
    }

    @Test(arguments: Kind.all)
    func hostNamesIgnoreCase(_ kind: Kind) async throws {
        try await kind.run { transport, server in
            server.answer(with: .text("ok"))
            let url = try #require(URL(string: "http://LocalHost:\(server.url.port ?? 0)/"))
            #expect(try await transport.send(HTTPRequest(url: url)).status == 200)
        }
    }

    @Test(arguments: Kind.all(but: .proxies))
    func invalidProxyIsRefusedBeforeAnythingIsSent(_ kind: Kind) async throws {
        try await kind.run(.init(proxy: .http(host: "127.0.0.1\r\nX: y", port: 1))) { transport, server in
            let error = try await failure { try await transport.send(HTTPRequest(.get, server)) }
            #expect(error.code == .unsupported)
            #expect(error.phase == .prepare)
            #expect(error.detail.contains("proxy"))
            #expect(server.connections.accepted == 0)
        }
    }

    #if os(Linux)
        /// libcurl maps names only in a process whose locale speaks UTF-8.
        @Test(arguments: ["C.UTF-8", "C"])
        func pinsHoldForADisguisedHostInAnyLocale(_ locale: String) async throws {
            let plain = ["localhost", "127.0.0.1"]
            let child = try await RequestChild(
                ["hosts"] + Self.disguises + plain, environment: ["LC_ALL": locale, "LANG": locale])
            #expect(child["done"] == "yes", "\(child.facts)")
            if locale == "C.UTF-8" { #expect(child["locale"]?.contains("UTF-8") == true) }
            for number in Self.disguises.indices { #expect(child["host\(number)"] == "badURL") }
            // The server has no TLS, so the test counts connections only.
            #expect(child.number("connections") == plain.count)
        }
    #endif
}
