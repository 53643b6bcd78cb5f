import Foundation
import LoopbackServer
import Synchronization
import Testing

@testable import TangoRequest
@testable import TangoTransport
@testable import TestSupport

@Suite struct PinReportTests {
    private let pin = "sha256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
    private let other = "sha256/n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg="

    @Test func reportsNeedPinsAndEnforceNothing() throws {
        let reports = Mutex<[PinReport]>([])
        let trust: ServerTrust = .pins(
            [pin], backups: [other], reportOnly: { report in reports.withLock { $0.append(report) } })
        let rules = trust.rules(for: "a.test")
        #expect(rules.needs == .pins)
        #expect(rules.pins.isEmpty)
        #expect(rules.failure(of: [], system: nil) == nil)
        rules.report(PublicKeyPin(pin), host: "a.test")
        rules.report(PublicKeyPin(other), host: "a.test")
        #expect(reports.withLock { $0.isEmpty })
        rules.report([Data("no certificate".utf8)], host: "a.test")
        #expect(reports.withLock { $0.map(\.presented) } == [nil])
    }

    @Test func descriptionHasThePin() {
        let report = PinReport(host: "a.test", presented: PublicKeyPin(pin), expected: [])
        #expect(
            report.description
                == "the key of a.test is \(pin), which is not pinned: if the server has a new key, add its pin")
        let unknown = PinReport(host: "a.test", presented: nil, expected: [])
        #expect(unknown.description.hasPrefix("the key of a.test is unknown, and not pinned"))
    }

    @Test func invalidPinIsAProblem() {
        #expect(ServerTrust.pins(["x"], reportOnly: { _ in }).problem?.contains("invalid") == true)
        #expect(ServerTrust.pins([], reportOnly: { _ in }).problem?.contains("no pin") == true)
    }

    @Test func ruleIsEqualToItselfOnly() {
        let trust: ServerTrust = .pins([pin], reportOnly: { _ in })
        #expect(trust == trust)
        #expect(trust != .pins([pin], reportOnly: { _ in }))
        #expect(trust.rules(for: "a") == (trust + trust).rules(for: "a"))
    }

    @Test func reportsDoNotSeparateCachedResponses() {
        let trust: ServerTrust = .pins([pin], reportOnly: { _ in })
        #expect(trust.digest(for: "a.test") == nil)
        #expect(
            (trust + .minimumTLS(.v1_3)).digest(for: "a.test") == ServerTrust.minimumTLS(.v1_3).digest(for: "a.test"))
    }

    #if os(Linux)
        @Test func requestWithoutTLSGoesOn() async throws {
            let server = try LoopbackServer()
            server.answer(with: .text("in"))
            let client = Client(baseURL: server.url) { $0.trust = .pins([pin], reportOnly: { _ in }) }
            #expect(try await client.get("/", as: String.self).value == "in")
        }
    #endif
}
