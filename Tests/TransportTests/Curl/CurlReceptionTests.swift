#if os(Linux)
    import Foundation
    import LoopbackServer
    import Testing

    @testable import TangoCurl
    @testable import TangoRequest
    @testable import TestSupport

    /// The heads and trailers that libcurl reports line by line.
    @Suite(.timeLimit(.minutes(20))) struct CurlReceptionTests {
        /// libcurl reads any number of blanks before the status, and goes on after an interim response.
        @Test(arguments: [
            ("HTTP/1.1 100 Continue", false), ("HTTP/1.1  100 Continue", false), ("HTTP/1.1   103", false),
            ("HTTP/1.1  101 Switching", true), ("HTTP/1.1  200 OK", true), ("HTTP/2 103", false), ("HTTP/1.1", true),
        ])
        func blanksBeforeTheStatusDoNotCount(_ line: String, isFinal: Bool) {
            var reception = CurlReception(CurlBuffers())
            for line in ["\(line)\r\n", "X: y\r\n", "\r\n"] {
                _ = Array(line.utf8).withUnsafeBytes { reception.receive(line: $0, isObserved: false) }
            }
            #expect(reception.isHeadComplete == isFinal)
        }

        /// libcurl does not know a field with a blank before its colon, and would take the end of the connection for that
        /// of the body. It also reports a line after the last chunk that is no field.
        @Test(
            arguments: [
                ("Content-Length : 30\r\n\r\nhi", .wait), ("content-length\t: 30\r\n\r\nhi", .wait),
                ("Transfer-Encoding : chunked\r\n\r\n30\r\nhi", .wait),
                ("Transfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\nno field\r\n\r\n", .receive),
            ] as [(String, RequestError.Phase)])
        func malformedFieldIsABadResponse(_ rest: String, _ phase: RequestError.Phase) async throws {
            let site = try Site()
            let transport = CurlTransport(CurlConfiguration(proxy: .direct))
            for delivery in [TransportOptions.Delivery.whole(), .stream] {
                site.server.enqueue(.raw("HTTP/1.1 200 OK\r\nX: y\r\n\(rest)"))
                let error = try await failure {
                    let options = TransportOptions(delivery: delivery)
                    var response = try await transport.send(HTTPRequest(.get, site.server), options: options)
                    try await response.collect()
                    return response
                }
                #expect(error.code == .badResponse, "\(error.detail)")
                #expect(error.phase == phase)
            }
        }
    }
#endif
