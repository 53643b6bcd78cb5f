import Foundation
import TangoCookies
import Testing

@testable import TangoRequest
@testable import TestSupport

struct StoredHeadTests {
    private static func text(of response: HTTPResponse) -> String {
        let headers = StoredFields.durable(response.headers)
        return StoredHead.text(response.status, response.reason, response.version, headers)
    }

    @Test func headIsRestoredUnchanged() throws {
        let headers: Headers = [
            "Content-Type": "text/plain; charset=utf-8", "X-Twice": "1", "x-twice": "2", "X-Empty": "",
            "X-Text": "größe ☃",
        ]
        for version in [HTTPVersion.http1_0, .http1_1, .http2, .http3] {
            for (status, reason) in [(200, "OK"), (203, ""), (299, "Quite All Right")] {
                let response = HTTPResponse(
                    status: HTTPStatus(status), reason: reason, version: version, headers: headers)
                let text = Self.text(of: response)
                let back = try #require(StoredHead.response(text, body: Data("b".utf8)))
                #expect(back.status == response.status)
                #expect(back.reason == reason)
                #expect(back.version == version)
                #expect(back.headers == headers)
                #expect(back.body == Data("b".utf8))
            }
        }
    }

    @Test func connectionFieldsAreNotStored() throws {
        let headers: Headers = [
            "Connection": "close, X-Hop", "x-hop": "1", "Keep-Alive": "timeout=5", "Transfer-Encoding": "chunked",
            "TE": "trailers", "Trailer": "X", "Upgrade": "h2c", "Proxy-Connection": "close",
            "Proxy-Authenticate": "Basic", "Set-Cookie": "a=b", "set-cookie2": "a=b", "ETag": "\"x\"",
        ]
        let text = Self.text(of: HTTPResponse(status: 200, headers: headers))
        let back = try #require(StoredHead.response(text, body: Data()))
        #expect(back.headers == ["Set-Cookie": "a=b", "set-cookie2": "a=b", "ETag": "\"x\""])
    }

    @Test func fieldsWithLineBreaksOrZeroBytesAreNotStored() throws {
        let headers: Headers = ["X-Bad": "a\nSet-Cookie: b=c", "X-Zero": "a\0b", "X-Good": "1"]
        let text = Self.text(of: HTTPResponse(status: 200, reason: "O\nK", headers: headers))
        let back = try #require(StoredHead.response(text, body: Data()))
        #expect(back.headers == ["X-Good": "1"])
        #expect(back.reason.isEmpty)
    }

    @Test(arguments: ["", "nonsense", "HTTP/1.1", "\n\n"])
    func invalidTextIsNotAHead(_ text: String) {
        #expect(StoredHead.response(text, body: Data()) == nil)
    }
}
