import Foundation
import LoopbackServer
import Testing

@testable import TangoRequest
@testable import TestSupport

/// The limits of interim responses.
@Suite(.timeLimit(.minutes(20))) struct InterimResponsesTests {
    typealias Kind = TransportUnderTest

    static let lengths: [(length: Int, isObserved: Bool, steps: [InterimResponses.Step])] = [
        (50, true, Array(repeating: .report, count: 100) + [.skip, .skip]),
        (50, false, [.skip, .skip]),
        (256 << 10, true, [.report, .report, .refuse]),
        (256 << 10, false, [.skip, .skip, .refuse]),
        (512 << 10, true, [.report, .refuse, .refuse]),
        ((512 << 10) + 1, true, [.refuse]),
    ]

    @Test(arguments: lengths)
    func numberAndLengthAreLimited(_ length: Int, _ isObserved: Bool, _ steps: [InterimResponses.Step]) {
        var interim = InterimResponses()
        for step in steps { #expect(interim.add(length: length, isObserved: isObserved) == step) }
    }

    private func hinting(_ count: Int) -> Response {
        var answer = Response.text("final")
        for number in 0..<count {
            answer = answer.informational(number % 2 == 0 ? 103 : 102, headers: ["Link": "</\(number)>"])
        }
        return answer
    }

    @Test("the first hundred are events, and the final response has only its own headers", arguments: Kind.overTLS)
    func firstHundredAreReported(_ kind: Kind) async throws {
        try await kind.run { transport, server in
            for count in [0, 1, 3, 1000] {
                server.enqueue(hinting(count), hinting(count))
                let seen = Recorded<String>()
                let observed = TransportOptions { event in
                    guard case .informational(let status, let headers) = event else { return }
                    seen.add("\(status.code) \(headers["Link"] ?? "")")
                }
                for options in [observed, TransportOptions()] {
                    let response: HTTPResponse = try await transport.send(HTTPRequest(.get, server), options: options)
                    #expect(response.status == 200)
                    #expect(response.headers["Link"] == nil)
                    #expect(response.body == Data("final".utf8))
                }
                let expected: [String] = (0..<min(count, 100)).map { "\($0 % 2 == 0 ? 103 : 102) </\($0)>" }
                #expect(seen.all == expected)
            }
        }
    }

    #if os(Linux)
        @Test("a request does not wait for endless interim responses", arguments: [true, false])
        func endlessInterimResponsesFail(_ isObserved: Bool) async throws {
            let listener = try RawListener { connection in
                _ = connection.read()
                let hint = Array("HTTP/1.1 102 Processing\r\nX: \(String(repeating: "a", count: 1000))\r\n\r\n".utf8)
                while connection.write(hint) {}
            }
            let transport = CurlTransport(CurlConfiguration(proxy: .direct))
            let options = isObserved ? TransportOptions { _ in } : TransportOptions()
            let url = try #require(URL(string: "http://127.0.0.1:\(listener.port)/"))
            let error = try await failure { try await transport.send(HTTPRequest(url: url), options: options) }
            #expect(error.code == .badResponse, "\(error)")
            await transport.shutdown()
        }
    #endif
}
