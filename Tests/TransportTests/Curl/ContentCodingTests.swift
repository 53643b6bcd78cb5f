#if os(Linux)
    import Foundation
    import LoopbackServer
    import TangoCCurl
    import Testing

    @testable import TangoCurl
    @testable import TangoRequest
    @testable import TestSupport

    /// The codings of response bodies that libcurl decodes, as its build has them.
    @Suite(.timeLimit(.minutes(20))) struct ContentCodingTests {
        private static let text = "a compressed body, a compressed body, a compressed body"

        /// Sends a request, and expects the text that the server has encoded.
        private func expectText(of coding: String, from base64: String) async throws {
            let site = try Site()
            let bytes = try #require(Data(base64Encoded: base64))
            let answer = Response.bytes(bytes, type: "text/plain").header("Content-Encoding", coding)
            for way in [answer, answer.chunked(size: 7)] {
                site.server.enqueue(way)
                let response = try await site.client().send(HTTPRequest(url: site.server.url("/a")))
                #expect(String(decoding: response.body, as: UTF8.self) == Self.text)
                #expect(response.headers["Content-Encoding"] == nil)
                #expect(response.metrics.bodyBytesReceived == bytes.count)
            }
            let accepted = site.server.requests.first?.headers["Accept-Encoding"]?.split(separator: ", ").map(
                String.init)
            #expect(accepted?.contains(coding) == true)
            // A body in another coding than the header says is an error.
            let other = Data(repeating: 0xff, count: 40)
            site.server.enqueue(Response.bytes(other).header("Content-Encoding", coding))
            let error = await refusal(of: {
                try await site.client().send(HTTPRequest(url: site.server.url("/a")))
            })
            #expect(error?.code == .badEncoding)
        }

        /// In the format of zlib (RFC 1950), and as the plain blocks (RFC 1951) that some servers send.
        @Test(
            .enabled(if: CurlLibrary.has(CURL_VERSION_LIBZ), "this libcurl has no zlib"),
            arguments: [
                "eNpLVEjOzy0oSi0uTk1RSMpPqdRRSCRCCAAwlBQl", "S1RIzs8tKEotLk5NUUjKT6nUUUgkQggA",
            ])
        func deflateIsDecoded(_ base64: String) async throws {
            try await expectText(of: "deflate", from: base64)
        }

        @Test(.enabled(if: CurlLibrary.has(CURL_VERSION_BROTLI), "this libcurl has no brotli"))
        func brotliIsDecoded() async throws {
            try await expectText(of: "br", from: "GzYA+I2Ubt6qBmEJG1NtbylIK92kCDDMU9wdXQk=")
        }

        @Test(.enabled(if: CurlLibrary.has(CURL_VERSION_ZSTD), "this libcurl has no zstd"))
        func zstdIsDecoded() async throws {
            try await expectText(of: "zstd", from: "KLUv/SQ3zQAAmGEgY29tcHJlc3NlZCBib2R5LCABABs5w+tCjgs=")
        }
    }
#endif
