import Foundation
import Testing

@testable import TangoHTTP
@testable import TangoRequest
@testable import TestSupport

/// The cached responses to a URL after parts of its body have arrived.
struct ReplacementTests {
    private func part(
        _ bytes: Range<Int>, of total: Int, tag: String? = nil, type: String? = "text/plain"
    ) -> StoredResponse {
        var headers: Headers = ["Content-Range": "bytes \(bytes.lowerBound)-\(bytes.upperBound - 1)/\(total)"]
        if let tag { headers["ETag"] = tag }
        if let type { headers["Content-Type"] = type }
        let data = Data(bytes.map { UInt8($0) })
        return StoredResponse(
            status: .partialContent, headers: headers, requestTime: 0, responseTime: 0,
            content: StoredContent(parts: [.init(bytes: bytes, place: .here(data))], total: total))
    }

    private func replaced(
        _ stored: [StoredResponse], with new: StoredResponse, headers: Headers
    ) -> [StoredResponse] {
        Replacement.of(stored, with: new, headers: headers, now: 0) ?? stored
    }

    @Test func partOfAllBytesBecomesAWholeResponse() {
        var cached: [StoredResponse] = []
        for _ in 0..<3 { cached = replaced(cached, with: part(0..<4, of: 4), headers: ["Range": "bytes=0-"]) }
        #expect(cached.map(\.status) == [.ok])
        #expect(cached[0].headers["Content-Length"] == "4")
        #expect(!cached[0].headers.contains("Content-Range"))
    }

    @Test func partsWithIncompleteHeadersAreNotAWholeResponse() {
        let headers: Headers = ["Range": "bytes=0-1", "If-Range": "\"a\""]
        var cached = replaced([], with: part(0..<4, of: 4, tag: "\"a\"", type: nil), headers: headers)
        #expect(cached.map(\.status) == [.partialContent])
        cached = replaced([], with: part(0..<2, of: 4, tag: "\"a\"", type: nil), headers: headers)
        cached = replaced(cached, with: part(2..<4, of: 4, tag: "\"a\"", type: nil), headers: headers)
        #expect(cached.map(\.status) == [.partialContent])
        #expect(cached[0].content.isComplete)
    }

    @Test func partWithIncompleteHeadersCompletesOneWithAllHeaders() {
        let headers: Headers = ["Range": "bytes=2-", "If-Range": "\"a\""]
        let first = replaced([], with: part(0..<2, of: 4, tag: "\"a\""), headers: ["Range": "bytes=0-1"])
        let cached = replaced(first, with: part(2..<4, of: 4, tag: "\"a\"", type: nil), headers: headers)
        #expect(cached.map(\.status) == [.ok])
        #expect(cached[0].headers["Content-Type"] == "text/plain")
    }
}
