import LoopbackServer
import Testing

/// Files with validators and ranges.
@Suite(.serialized, .timeLimit(.minutes(20))) struct EntityTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let headers: [String]
        let status: String
        let range: String?
        let body: [UInt8]

        var testDescription: String { headers.joined(separator: ", ") }

        init(_ headers: String..., status: String, range: String? = nil, body: [UInt8]) {
            self.headers = headers
            self.status = status
            self.range = range
            self.body = body
        }
    }

    private static let whole: [UInt8] = Array(0..<10)
    private static let date = "Sun, 06 Nov 1994 08:49:37 GMT"

    static let rows = [
        Row(status: "200", body: whole),
        Row("Range: bytes=2-4", status: "206", range: "bytes 2-4/10", body: [2, 3, 4]),
        Row("Range: bytes=8-", status: "206", range: "bytes 8-9/10", body: [8, 9]),
        Row("Range: bytes=8-99", status: "206", range: "bytes 8-9/10", body: [8, 9]),
        Row("Range: bytes=-3", status: "206", range: "bytes 7-9/10", body: [7, 8, 9]),
        Row("Range: bytes=-99", status: "206", range: "bytes 0-9/10", body: whole),
        Row("Range: bytes=10-", status: "416", range: "bytes */10", body: []),
        Row("Range: bytes=-0", status: "416", range: "bytes */10", body: []),
        Row("Range: bytes=4-2", status: "200", body: whole),
        Row("Range: bytes=1-2,4-5", status: "200", body: whole),
        Row("Range: items=1-2", status: "200", body: whole),
        Row("Range: bytes=-", status: "200", body: whole),
        Row("Range: bytes=8-", "If-Range: \"a\"", status: "206", range: "bytes 8-9/10", body: [8, 9]),
        Row("Range: bytes=8-", "If-Range: \(date)", status: "206", range: "bytes 8-9/10", body: [8, 9]),
        Row("Range: bytes=8-", "If-Range: \"b\"", status: "200", body: whole),
        Row("Range: bytes=8-", "If-Range: W/\"a\"", status: "200", body: whole),
    ]

    @Test(arguments: rows)
    func rangeDecidesTheResponse(_ row: Row) async throws {
        let server = try LoopbackServer()
        defer { server.stop() }
        server.answer("/", with: Entity(bytes: 10, etag: "\"a\"", lastModified: Self.date))
        let lines = (["GET / HTTP/1.1", "Host: a", "Connection: close"] + row.headers).joined(separator: "\r\n")
        let text = try await sees(server, lines + "\r\n\r\n").text
        #expect(text.hasPrefix("HTTP/1.1 \(row.status) "))
        #expect(text.contains("Content-Length: \(row.body.count)\r\n"))
        let range = text.split(separator: "\r\n").first { $0.hasPrefix("Content-Range: ") }
        #expect(range.map { String($0.dropFirst("Content-Range: ".count)) } == row.range)
        #expect(text.utf8.suffix(row.body.count).elementsEqual(row.body))
        guard row.status != "416" else { return }
        #expect(text.contains("ETag: \"a\"\r\n") && text.contains("Accept-Ranges: bytes\r\n"))
    }

    @Test func fileWithoutRangesIsSentWhole() async throws {
        let server = try LoopbackServer()
        defer { server.stop() }
        var entity = Entity(bytes: 10, etag: nil)
        entity.allowsRanges = false
        server.answer("/", with: entity)
        let text = try await sees(server, get("/", "Range: bytes=8-", "Connection: close")).text
        #expect(text.hasPrefix("HTTP/1.1 200 "))
        #expect(!text.contains("ETag") && !text.contains("Accept-Ranges"))
    }
}
