import Foundation
import LoopbackServer
import TangoRequest
import Testing

@testable import TestSupport

/// The fields that describe a file: those of the response that began it count until it has its name.
@Suite(.timeLimit(.minutes(20)))
struct CompleteBytesTests {
    private static let size = FileSite.size
    private let size = CompleteBytesTests.size
    private let place: FileSite

    init() throws { place = try FileSite() }

    /// Leaves a number of bytes, as a process does that ends before the file has its name.
    private func leave(_ count: Int, of request: GetFile) async throws {
        place.server.enqueue(
            Response(
                headers: [
                    "ETag": "\"1\"", "Content-Type": "video/mp4",
                    "Content-Disposition": "attachment; filename=\"a.mp4\"",
                ], body: .generated(bytes: size)
            )
            .failing(.reset, at: .responseBody))
        #expect(await refusal(of: request.start().promise) != nil)
        let part = try #require(place.names.first { !$0.hasSuffix(".resume") })
        try generated(count).write(to: place.files.url.appendingPathComponent(part))
    }

    /// A 416 describes itself, and a part for `If-Range` needs no fields that the client has.
    @Test(arguments: [size, size / 2], [true, false])
    func typeAndNameAreThoseOfTheFirstResponse(_ count: Int, isFolder: Bool) async throws {
        let request = isFolder ? place.getIntoFolder() : place.get()
        request.rules = .contentType("video/*")
        try await leave(count, of: request)
        let size = size
        place.server.answer("/film.mp4") { _ in
            guard count < size else {
                return .text("no more", status: 416).header("Content-Range", "bytes */\(size)")
            }
            let range = "bytes \(count)-\(size - 1)/\(size)"
            return Response(
                status: 206, headers: ["ETag": "\"1\"", "Content-Range": range], body: .part(count..<size))
        }
        let file = try await request.start().value
        #expect(file.resumedFrom == count)
        #expect(place.ranges == [nil, "bytes=\(count)-"])
        #expect(place.names == [isFolder ? "a.mp4" : "film.mp4"])
        #expect(file.response.status == 200)
        #expect(file.response.headers["Content-Type"] == "video/mp4")
        #expect(try Data(contentsOf: file.url) == generated(size))
    }

    /// If the call does not take the response to the range, that with the whole file decides.
    @Test(arguments: [true, false])
    func recordOfAnEarlierReleaseHasNeither(isRefused: Bool) async throws {
        let request = place.getIntoFolder()
        if isRefused { request.rules = .contentType("video/*", "application/octet-stream") }
        try await leave(size, of: request)
        let name = try #require(place.names.first { $0.hasSuffix(".resume") })
        let record = place.files.url.appendingPathComponent(name)
        var fields = try #require(
            try JSONSerialization.jsonObject(with: Data(contentsOf: record)) as? [String: Any])
        fields["fields"] = nil
        try JSONSerialization.data(withJSONObject: fields).write(to: record)
        let file = try await request.start().value
        #expect(file.resumedFrom == (isRefused ? 0 : size))
        #expect(place.ranges == [nil, "bytes=\(size)-"] + (isRefused ? [nil] : []))
        #expect(place.names == ["film.mp4"])
        #expect(try Data(contentsOf: file.url) == generated(size))
    }
}
