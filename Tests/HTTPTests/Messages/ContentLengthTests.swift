import Testing

@testable import TangoHTTP
@testable import TangoRequest
@testable import TestSupport

/// The length of a body according to its headers.
struct ContentLengthTests {
    @Test(
        arguments: [
            ([], nil), (["0"], 0), (["12"], 12), ([" 12\t"], 12), (["12", "12"], 12), (["12, 12"], 12),
            (["12", "13"], nil),
            (["-1"], nil), (["-0"], nil), (["+5"], nil), (["1.5"], nil), (["1e3"], nil), (["0x10"], nil), ([""], nil),
            (["12,"], nil), (["12 12"], nil), (["9223372036854775807"], Int.max), (["9223372036854775808"], nil),
            (["99999999999999999999999"], nil), (["\u{0661}"], nil), (["many"], nil),
        ] as [([String], Int?)])
    func contentLengthIsAValidInteger(_ values: [String], _ length: Int?) {
        var headers = Headers()
        for value in values { headers.append(name: "content-length", value: value) }
        #expect(headers.contentLength == length)
    }

    @Test(
        arguments: [
            ([], false), (["chunked"], false), (["gzip"], true), (["GZip, chunked"], true), (["identity"], false),
            ([" Chunked ", "x-gzip"], true), ([","], false), (["chunked;a=b"], true),
        ] as [([String], Bool)])
    func transferEncodingIsDetected(_ values: [String], _ isEncoded: Bool) {
        var headers = Headers()
        for value in values { headers.append(name: "transfer-encoding", value: value) }
        #expect(headers.isTransferEncoded == isEncoded)
    }

    @Test(
        arguments: [
            ("HTTP/2 200\r\ncontent-length: 2", 2), ("HTTP/2 200", nil), ("HTTP/2 204\r\ncontent-length: 2", 0),
            ("HTTP/1.1 304 Not Modified\r\nContent-Length: 200", 0), ("HTTP/1.1 200 OK\r\nContent-Length: 0", 0),
            ("HTTP/1.1 205 Reset Content", nil), ("HTTP/1.1 413 Too Large\r\nContent-Length: 7", 7),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 7", nil),
            ("HTTP/1.1 200 OK\r\nContent-Length: -7", nil),
        ] as [(String, Int?)])
    func headGivesTheLengthOnTheWire(_ text: String, _ length: Int?) throws {
        var bytes = Array("\(text)\r\n\r\n".utf8)
        let head = try #require(bytes.withUnsafeMutableBytes { ResponseHead(parsing: UnsafeRawBufferPointer($0)) })
        #expect(head.lengthOnWire == length)
    }
}
