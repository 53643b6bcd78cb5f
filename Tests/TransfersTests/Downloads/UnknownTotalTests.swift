import Foundation
import LoopbackServer
import TangoRequest
import Testing

@testable import TestSupport

/// Downloads from servers that do not say how long the file is.
@Suite(.timeLimit(.minutes(20)))
struct UnknownTotalTests {
    private static let size = 1000
    private let place: FileSite

    init() throws {
        place = try FileSite(Entity(bytes: Self.size))
        // Half of the body arrives.
        place.server.enqueue(
            .generated(bytes: Self.size).chunked(size: 400).header("ETag", "\"1\"")
                .failing(.truncate, at: .responseBody))
    }

    /// Responds to requests for a range with at most 300 bytes of it, without the total.
    private func sendPieces(atEnd end: Response) {
        place.server.answer("/film.mp4") { request in
            guard let range = request.headers["Range"], let start = Int(range.dropFirst(6).dropLast()) else {
                return .generated(bytes: Self.size).chunked(size: 400).header("ETag", "\"1\"")
            }
            guard start < Self.size else { return end }
            let piece = start..<min(start + 300, Self.size)
            return Response(
                status: 206,
                headers: ["ETag": "\"1\"", "Content-Range": "bytes \(piece.lowerBound)-\(piece.upperBound - 1)/*"],
                body: .part(piece))
        }
    }

    private func cut() async {
        #expect(await refusal(of: place.get().start().promise) != nil)
        #expect(place.names.count == 2)
    }

    private func expectTheFile() throws {
        #expect(try Data(contentsOf: place.target) == generated(Self.size))
        #expect(place.names == ["film.mp4"])
    }

    @Test func pieceIsNotTheRest() async throws {
        sendPieces(atEnd: .status(416, headers: ["Content-Range": "bytes */1000"]))
        await cut()
        let file = try await place.get().start().value
        #expect(file.count == Self.size)
        #expect(file.resumedFrom == 500)
        #expect(place.ranges == [nil, "bytes=500-", "bytes=800-", "bytes=1000-"])
        try expectTheFile()
    }

    @Test func wholeFileIsRequestedIfTheEndStaysUnknown() async throws {
        sendPieces(atEnd: .status(416))
        await cut()
        #expect(try await place.get().start().value.count == Self.size)
        #expect(place.ranges.last == .some(nil))
        try expectTheFile()
    }

    @Test func shorterRangeIsFollowedByTheRest() async throws {
        let entity = place.entity
        place.server.answer("/film.mp4") { request in
            guard let range = request.headers["Range"], let start = Int(range.dropFirst(6).dropLast()) else {
                return entity.response(to: request)
            }
            let piece = start..<min(start + 300, Self.size)
            return Response(
                status: 206,
                headers: [
                    "ETag": "\"1\"", "Content-Range": "bytes \(piece.lowerBound)-\(piece.upperBound - 1)/\(Self.size)",
                ], body: .part(piece))
        }
        await cut()
        #expect(try await place.get().start().value.resumedFrom == 500)
        #expect(place.ranges == [nil, "bytes=500-", "bytes=800-"])
        try expectTheFile()
    }

    /// The body has fewer bytes than its range, or more.
    @Test(arguments: [(500..<600, RequestError.Code.truncated), (500..<800, .badResponse)])
    func bodyMustHaveTheBytesOfItsRange(_ bytes: Range<Int>, _ code: RequestError.Code) async throws {
        await cut()
        place.server.enqueue(
            Response(status: 206, headers: ["ETag": "\"1\"", "Content-Range": "bytes 500-699/*"], body: .part(bytes))
                .chunked(size: 50))
        #expect(try #require(await refusal(of: place.get().start().promise)).code == code)
        #expect(!place.names.contains("film.mp4"))
        #expect(try await place.get().start().value.count == Self.size)
        try expectTheFile()
    }
}
