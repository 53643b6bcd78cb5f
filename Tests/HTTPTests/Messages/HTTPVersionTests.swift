import TangoRequest
import Testing

@testable import TestSupport

@Suite struct HTTPVersionTests {
    @Test(arguments: [
        (HTTPVersion.http1_0, "HTTP/1.0"), (.http1_1, "HTTP/1.1"), (.http2, "HTTP/2"), (.http3, "HTTP/3"),
        (HTTPVersion(major: 0, minor: 9), "HTTP/0.9"),
    ])
    func versionsHaveTheNamesOfBrowserTools(_ version: HTTPVersion, _ text: String) {
        #expect("\(version)" == text)
    }

    @Test func versionsAreOrdered() {
        let versions: [HTTPVersion] = [.http3, .http1_0, .http2, .http1_1]
        #expect(versions.sorted() == [.http1_0, .http1_1, .http2, .http3])
    }
}
