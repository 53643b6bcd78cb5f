import Foundation
import LoopbackServer
import TangoRequest
import Testing

@testable import TestSupport

/// Downloads from servers that compress, although downloads ask for `identity`.
@Suite(.timeLimit(.minutes(20)))
struct EncodedDownloadTests {
    private static let size = 400_000
    private let place: FileSite

    init() throws { place = try FileSite(Entity(bytes: Self.size)) }

    /// Lets the server say of each part that it is encoded.
    private func encodeParts() {
        let entity = place.entity
        place.server.answer("/film.mp4") { request in
            let response = entity.response(to: request)
            return response.status == 206 ? response.header("Content-Encoding", "gzip") : response
        }
    }

    private func expectTheFile() throws {
        #expect(try Data(contentsOf: place.target) == generated(Self.size))
        #expect(place.names == ["film.mp4"])
    }

    @Test func encodedRestIsNotAppended() async throws {
        encodeParts()
        place.breakOff()
        _ = await refusal(of: place.get().start().promise)
        let file = try await place.get().start().value
        #expect(file.resumedFrom == 0)
        #expect(place.ranges.count == 3)
        #expect(place.ranges.last == .some(nil))
        try expectTheFile()
    }

    @Test func encodedPartsAreLoadedOverOneConnection() async throws {
        encodeParts()
        let file = try await place.get(parts: 4).start().value
        #expect(file.count == Self.size)
        #expect(place.ranges.contains { $0 != nil })
        // The first request, and the last one. That of a part may arrive after it, although it was cancelled before.
        #expect(place.ranges.count { $0 == nil } == 2)
        try expectTheFile()
    }

    // MARK: The whole file

    private func encoded(_ headers: HeaderLines = [:]) -> Response {
        var all: HeaderLines = ["ETag": "\"1\"", "Content-Encoding": "gzip"]
        all.lines += headers.lines
        return Response(headers: all, body: .bytes(Array(Gzip.stored(generated(Self.size)))))
    }

    @Test func encodedFileIsDecoded() async throws {
        place.server.answer("/film.mp4", with: encoded())
        let file = try await place.get().start().value
        #expect(place.server.requests.first?.headers["Accept-Encoding"] == "identity")
        #expect(file.count == Self.size)
        #expect(file.response.headers["Content-Length"] == "\(Self.size)")
        try expectTheFile()
    }

    @Test(arguments: [1, 4])
    func decodedBytesAreNotResumed(_ parts: Int) async throws {
        place.server.enqueue(encoded(["Accept-Ranges": "bytes"]).failing(.reset, at: .responseBody))
        #expect(await refusal(of: place.get(parts: parts).start().promise) != nil)
        #expect(place.names.isEmpty)
        #expect(try await place.get().start().value.resumedFrom == 0)
        #expect(place.ranges == [nil, nil])
        try expectTheFile()
    }

    @Test func limitOfDecompressionIsForDecodedBytes() async throws {
        let client = place.client.with { $0.decompression = Decompression(limit: 1000) }
        let request = GetFile(of: client, to: .file(place.target))
        #expect(try await request.start().value.count == Self.size)
        place.server.answer("/film.mp4", with: encoded())
        #expect(try #require(await refusal(of: request.start().promise)).code == .decompressionLimit)
    }

    @Test func encodedFileIsRefusedIfTheClientDecodesNothing() async throws {
        place.server.answer("/film.mp4", with: encoded())
        let client = place.client.with { $0.decompression = nil }
        let request = GetFile(of: client, to: .file(place.target))
        let error = try #require(await refusal(of: request.start().promise))
        #expect(error.code == .badResponse)
        #expect(error.detail.contains("gzip") && error.detail.contains("decompression"))
        #expect(place.names.isEmpty)
    }
}
