import Foundation
import Testing

@testable import TangoRequest
@testable import TangoURLSession
@testable import TestSupport

/// The decisions about SOCKS5 proxies, without a proxy.
@Suite struct SOCKSCauseTests {
    static let numbers: [(ClosedRange<Int>, SOCKSCause?)] = [
        (0...0, nil), (1...2, .protocolViolation), (3...3, .closed), (4...8, .failed), (9...9, .addressType),
        (10...11, .failed), (12...12, .authentication), (13...16, .closed), (17...17, .addressType),
        (18...18, .protocolViolation), (19...19, .unreachable), (20...20, .failed), (21...22, .unreachable),
        (23...23, .forbidden), (24...24, .unreachable), (25...26, .failed), (27...27, .unknownHost),
        (28...30, .closed), (31...32, .protocolViolation), (33...33, .authentication), (34...99, .failed),
    ]

    @Test(arguments: numbers)
    func numberDeterminesTheCause(_ numbers: ClosedRange<Int>, _ cause: SOCKSCause?) {
        for number in numbers { #expect(SOCKSCause(number: number) == cause, "\(number)") }
    }

    @Test func detailSaysWhatToDo() throws {
        let address = try ServerAddress(try #require(URL(string: "https://a.test/")))
        let details = SOCKSCause.allCases.map { $0.detail(for: address, message: "m") }
        #expect(Set(details).count == SOCKSCause.allCases.count)
        for detail in details { #expect(detail.contains(": ") && detail.hasSuffix(" (m)"), "\(detail)") }
    }

    static let problems: [(Proxy, String?)] = [
        (.socks5(host: "a.test", port: 1080), nil), (.socks5(host: "::1", port: 1, resolvesNames: false), nil),
        (.socks5(host: "a.test", port: 1080, user: "ada"), nil),
        (.socks5(host: "", port: 1080), "the proxy has no host: write a name or an address"),
        (.socks5(host: "a", port: 0), "the proxy's port 0 is invalid: use a number from 1 to 65535"),
        (
            .socks5(host: "a", port: 1, password: "p"),
            "the SOCKS5 proxy has a password without a user: add the user"
        ),
        (.socks5(host: "a", port: 1, user: ""), "the user of the SOCKS5 proxy has 0 bytes: use 1 to 255"),
        (.socks5(host: "a", port: 1, user: String(repeating: "é", count: 127), password: ""), nil),
        (
            .socks5(host: "a", port: 1, user: String(repeating: "é", count: 128)),
            "the user of the SOCKS5 proxy has 256 bytes: use 1 to 255"
        ),
        (
            .socks5(host: "a", port: 1, user: "a", password: String(repeating: "p", count: 256)),
            "the password of the SOCKS5 proxy has 256 bytes: use at most 255"
        ),
    ]

    @Test(arguments: problems)
    func invalidValuesAreRefused(_ proxy: Proxy, _ problem: String?) {
        #expect(proxy.problem == problem)
    }

    @Test func sessionsRefuseOwnLookups() throws {
        let request = HTTPRequest(url: try #require(URL(string: "https://a.test/")))
        let far = Proxy.socks5(host: "a", port: 1)
        let near = Proxy.socks5(host: "a", port: 1, resolvesNames: false)
        let able = SessionRefusal(takesProxies: true)
        #expect(able.refusal(of: request, proxy: far) == nil)
        #expect(able.refusal(of: request, proxy: near)?.detail.contains("resolvesNames") == true)
        for proxy in [far, near] {
            #expect(SessionRefusal().refusal(of: request, proxy: proxy)?.code == .unsupported)
        }
    }
}
