import Foundation
import TangoAuth
import TangoCookies
import TangoRequest
import Testing

@testable import TestSupport

@Suite struct MessageDescriptionTests {
    private let headers: Headers = ["Accept": "a/b", "Authorization": "hunter2", "cookie": "hunter2"]

    @Test func aRequestIsPrintedWithoutSecrets() throws {
        let url = try #require(URL(string: "https://ada:hunter2@example.com/a?id=7&token=hunter2"))
        let request = HTTPRequest(
            method: .put, url: url, headers: headers, body: .string("hunter2", contentType: "a/b"))
        #expect("\(request)" == "PUT https://…@example.com/a?id=7&token=…")
        #expect(
            String(reflecting: request) == """
                PUT https://…@example.com/a?id=7&token=…
                Accept: a/b
                Authorization: …
                cookie: …
                (7 bytes of a/b)
                """)
        let plain = HTTPRequest(url: try #require(URL(string: "http://h/")))
        #expect(String(reflecting: plain) == "GET http://h/")
    }

    @Test func aResponseIsPrintedWithoutSecrets() {
        var response = HTTPResponse(
            status: 404, reason: "hunter2", headers: ["Set-Cookie": "hunter2"], body: Data("hunter2".utf8))
        #expect("\(response)" == "HTTP/1.1 404 Not Found")
        #expect(String(reflecting: response) == "HTTP/1.1 404 Not Found\nSet-Cookie: …\n(7 bytes)")
        response.stream = BodyStream(Data("hunter2".utf8))
        response.headers = [:]
        #expect(String(reflecting: response) == "HTTP/1.1 404 Not Found\n(a streamed body)")
    }

    @Test(
        arguments: [
            (.none, "no body"), (.data(Data(count: 3)), "3 bytes"),
            (.string("hunter2"), "7 bytes of text/plain; charset=utf-8"),
            (.file(URL(fileURLWithPath: "/hunter2")), "a file"),
            (.stream(AsyncStream<Data> { $0.finish() }), "a stream"),
            (.stream(AsyncStream<Data> { $0.finish() }, length: 9, contentType: "a/b"), "a stream of 9 bytes of a/b"),
        ] as [(Body, String)])
    func aBodyIsPrintedByItsLength(_ body: Body, _ text: String) {
        #expect("\(body)" == text)
    }
}
