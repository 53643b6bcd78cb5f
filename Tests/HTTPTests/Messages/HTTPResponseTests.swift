import Foundation
import TangoRequest
import Testing

@testable import TestSupport

@Suite struct HTTPResponseTests {
    private func response(_ source: ScriptedBody) -> HTTPResponse {
        HTTPResponse(status: 200, headers: ["a": "b"], stream: BodyStream(source))
    }

    @Test func changingACopyChangesOnlyThatPropertyAndOnlyTheCopy() throws {
        var metrics = AttemptMetrics()
        metrics.bodyBytesSent = 7
        let request = HTTPRequest(url: try #require(URL(string: "http://a/b")))
        var response = HTTPResponse(
            status: 201, reason: "Made", version: .http2, headers: ["a": "b"], body: Data("abc".utf8),
            trailers: ["c": "d"], request: request, metrics: metrics)
        response.source = .validated
        response.redirects = [HTTPResponse(status: 302)]
        response.isDecoded = true
        let original = response
        response.status = 202
        #expect(original.status == 201 && response.status == 202)
        response.headers["a"] = nil
        #expect(original.headers == ["a": "b"] && response.headers.isEmpty)
        for copy in [original, response] {
            #expect(copy.reason == "Made" && copy.version == .http2 && copy.body == Data("abc".utf8))
            #expect(copy.trailers == ["c": "d"] && copy.url == request.url && copy.metrics == metrics)
            #expect(copy.source == .validated && copy.redirects.count == 1 && copy.isDecoded && !copy.isStreaming)
        }
        var streamed = self.response(ScriptedBody(["ab"]))
        let arriving = streamed
        streamed.reason = "Changed"
        #expect(streamed.isStreaming && arriving.isStreaming && arriving.reason.isEmpty)
    }

    @Test(arguments: [nil, 6, 7, .max] as [Int?])
    func collectingReadsTheBodyWithinTheLimit(_ limit: Int?) async throws {
        let source = ScriptedBody(["ab", "c", "def"])
        var response = response(source)
        #expect(response.isStreaming)
        #expect(response.body.isEmpty)
        try await response.collect(upTo: limit)
        #expect(!response.isStreaming)
        #expect(response.body == Data("abcdef".utf8))
        #expect(response.trailers == ["Digest": "x"])
        #expect(response.metrics.bodyBytesReceived == 6)
    }

    @Test(arguments: [0, 1, 2, 3, 5])
    func bodyAboveTheLimitIsCancelled(_ limit: Int) async throws {
        let source = ScriptedBody(["ab", "c", "def"])
        var response = response(source)
        let error = try await #require(throws: RequestError.self) { try await response.collect(upTo: limit) }
        #expect(error.code == .responseTooLarge)
        #expect(error.phase == .receive)
        #expect(error.detail.contains("\(limit) bytes"))
        #expect(error.response?.status == 200)
        #expect(source.isCancelled)
    }

    @Test func limitAppliesToACollectedBody() async throws {
        var response = HTTPResponse(status: 200, body: Data(count: 10))
        try await response.collect()
        try await response.collect(upTo: 10)
        let error = try await #require(throws: RequestError.self) { try await response.collect(upTo: 9) }
        #expect(error.code == .responseTooLarge)
        #expect(response.body.count == 10)
    }

    @Test func collectingAgainHasNoEffect() async throws {
        let source = ScriptedBody(["ab"])
        var response = response(source)
        try await response.collect()
        try await response.collect()
        #expect(response.body == Data("ab".utf8))
    }

    @Test func transferErrorIsThrownAndCancelsTheBody() async throws {
        let lost = RequestError(.connectionLost, phase: .receive, detail: "gone")
        let source = ScriptedBody(["ab"], error: lost)
        var response = response(source)
        let error = try await #require(throws: RequestError.self) { try await response.collect() }
        #expect(error.code == .connectionLost)
        #expect(source.isCancelled)
        #expect(response.body.isEmpty)
        #expect(response.isStreaming)
    }

    @Test func anAssignedStreamReplacesTheBody() async throws {
        var response = HTTPResponse(status: 200, body: Data("old".utf8))
        response.stream = BodyStream(ScriptedBody(["new"]))
        #expect(response.isStreaming)
        #expect(response.body.isEmpty)
        try await response.collect()
        #expect(response.body == Data("new".utf8))
    }

    @Test func collectedBodyCanBeStreamedRepeatedly() async throws {
        let response = HTTPResponse(status: 200, body: Data("abc".utf8))
        for _ in 0..<2 {
            var all = Data()
            for try await portion in response.stream { all += portion }
            #expect(all == Data("abc".utf8))
        }
    }
}
