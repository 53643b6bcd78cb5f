import Foundation
import Testing

@testable import TangoRequest

/// What is kept for a URL after parts of a body have come.
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

    @Test func aWholePartTakesThePlaceOfTheWhole() {
        var kept: [StoredResponse] = []
        for _ in 0..<3 { kept = replaced(kept, with: part(0..<4, of: 4), headers: ["Range": "bytes=0-"]) }
        #expect(kept.map(\.status) == [.ok])
        #expect(kept[0].headers["Content-Length"] == "4")
        #expect(!kept[0].headers.contains("Content-Range"))
    }

    @Test func partsWithHalfAHeadAreNoWhole() {
        let headers: Headers = ["Range": "bytes=0-1", "If-Range": "\"a\""]
        var kept = replaced([], with: part(0..<4, of: 4, tag: "\"a\"", type: nil), headers: headers)
        #expect(kept.map(\.status) == [.partialContent])
        kept = replaced([], with: part(0..<2, of: 4, tag: "\"a\"", type: nil), headers: headers)
        kept = replaced(kept, with: part(2..<4, of: 4, tag: "\"a\"", type: nil), headers: headers)
        #expect(kept.map(\.status) == [.partialContent])
        #expect(kept[0].content.isComplete)
    }

    @Test func partsWithHalfAHeadCompleteOneThatHasAllOfIt() {
        let headers: Headers = ["Range": "bytes=2-", "If-Range": "\"a\""]
        let first = replaced([], with: part(0..<2, of: 4, tag: "\"a\""), headers: ["Range": "bytes=0-1"])
        let kept = replaced(first, with: part(2..<4, of: 4, tag: "\"a\"", type: nil), headers: headers)
        #expect(kept.map(\.status) == [.ok])
        #expect(kept[0].headers["Content-Type"] == "text/plain")
    }
}
