import Foundation
import LoopbackServer
import TangoRequest
import Testing

@testable import TestSupport

/// Files that are complete, which no later download writes to.
@Suite(.timeLimit(.minutes(20)))
struct FinishedFileTests {
    private let place: FileSite
    private let size = FileSite.size

    init() throws { place = try FileSite() }

    /// The process was killed after the file had its name, and before it had lost the hidden one.
    private func endHalfway() async throws {
        place.breakOff()
        _ = await refusal(of: place.getIntoFolder().start().promise)
        let part = try #require(place.names.first { !$0.hasSuffix(".resume") })
        let hidden = place.files.url.appendingPathComponent(part)
        try generated(size).write(to: hidden)
        try FileManager.default.linkItem(at: hidden, to: place.target)
    }

    @Test func fileWithItsNameIsNotWrittenTo() async throws {
        try await endHalfway()
        place.server.answer("/film.mp4", with: Entity(bytes: 1000, etag: "\"2\""))
        let file = try await place.getIntoFolder().start().value
        #expect(file.url.lastPathComponent == "film 2.mp4")
        #expect(try Data(contentsOf: file.url) == generated(1000))
        #expect(try Data(contentsOf: place.target) == generated(size))
        #expect(place.names == ["film 2.mp4", "film.mp4"])
    }

    @Test func fileWithItsNameKeepsItsPermissions() async throws {
        try await endHalfway()
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: place.target.path)
        let request = place.getIntoFolder()
        request.target = .folder(place.files.url, permissions: 0o600)
        _ = try await request.start().value
        let facts = try FileManager.default.attributesOfItem(atPath: place.target.path)
        #expect(facts[.posixPermissions] as? Int == 0o640)
    }
}
