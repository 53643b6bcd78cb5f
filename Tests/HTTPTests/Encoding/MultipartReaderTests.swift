import Foundation
import Testing

@testable import TangoHTTP
@testable import TangoRequest
@testable import TestSupport

@Suite struct MultipartReaderTests {
    private let folder = ScratchFiles()

    /// Returns all portions of a body.
    private func portions(_ reader: MultipartReader, of size: Int) throws -> [Data] {
        var reader = reader
        var portions: [Data] = []
        while let portion = try reader.next(upTo: size) { portions.append(portion) }
        #expect(try reader.next(upTo: size) == nil)
        #expect(reader.position == reader.count)
        return portions
    }

    private func form(_ files: [URL]) -> Multipart {
        Multipart(parts: [.text("Ada", named: "name")] + files.map { .file($0, named: "file") })
    }

    @Test(arguments: [1, 2, 3, 7, 64, 100, 1000, 4096, 1 << 20, .max, 0, -1])
    func portionsOfAnySizeFormTheSameBody(_ size: Int) throws {
        let files = try [0, 1, 63, 64, 65, 5000, 0, 0].enumerated().map { index, count in
            try folder.file("\(index)", Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ index) }))
        }
        let form = form(files)
        let whole = try form.encoded()
        let reader = try form.reader()
        #expect(reader.count == Int64(whole.count))
        let portions = try portions(reader, of: size)
        #expect(portions.reduce(Data(), +) == whole)
        let full = max(1, size)
        #expect(portions.dropLast().allSatisfy { $0.count == full })
        #expect(portions.last.map { 1...full ~= $0.count } == true)
    }

    @Test func bodyCanBeReadAgain() throws {
        let form = form([try folder.file("a", Data("one".utf8))])
        var first = try form.reader()
        _ = try first.next(upTo: 100)
        var copy = first
        let rest = try first.next(upTo: .max)
        #expect(try copy.next(upTo: .max) == rest)
        #expect(try form.encoded() == form.encoded())
    }

    @Test func aLargeFileIsReadInPortions() throws {
        let count = 48 << 20
        let url = try folder.sparse("film.mov", Int64(count))
        var reader = try form([url]).reader()
        var read: Int64 = 0
        while let portion = try reader.next(upTo: 1 << 20) {
            #expect(portion.count <= 1 << 20)
            read += Int64(portion.count)
        }
        #expect(read == reader.count)
        #expect(read > count)
    }

    @Test func theLengthIsKnownBeforeAByteIsRead() throws {
        let url = try folder.sparse("film.mov", 6 << 30)
        let reader = try form([url, url]).reader()
        #expect(reader.count > 12 << 30)
        #expect(reader.count < 12 << 30 + 1000)
    }

    @Test func errorNamesAMissingFile() throws {
        let url = folder.url.appendingPathComponent("no.png")
        let error = try #require(throws: RequestEncodingError.self) { try form([url]).reader() }
        #expect(error.code == .fileMissing)
        #expect(error.message.contains("no.png"))
    }

    @Test func folderIsRejected() throws {
        let error = try #require(throws: RequestEncodingError.self) { try form([folder.url]).reader() }
        #expect(error.code == .fileUnreadable)
        #expect(error.message.contains("folder"))
    }

    @Test func pipeIsRejected() throws {
        let url = folder.url.appendingPathComponent("pipe")
        try #require(mkfifo(url.path, 0o600) == 0)
        let error = try #require(throws: RequestEncodingError.self) { try form([url]).reader() }
        #expect(error.code == .fileUnreadable)
    }

    @Test func circularLinkIsRejected() throws {
        let url = folder.url.appendingPathComponent("circle")
        try FileManager.default.createSymbolicLink(at: url, withDestinationURL: url)
        let error = try #require(throws: RequestEncodingError.self) { try form([url]).reader() }
        #expect(error.code == .fileUnreadable)
    }

    @Test func linkIsFollowed() throws {
        let url = folder.url.appendingPathComponent("link")
        let target = try folder.file("target", Data("content".utf8))
        try FileManager.default.createSymbolicLink(at: url, withDestinationURL: target)
        #expect(String(decoding: try form([url]).encoded(), as: UTF8.self).contains("\r\n\r\ncontent\r\n"))
    }

    @Test(arguments: ["https://user:secret@h/a.png", "https://h/a.png", "data:,x"])
    func otherURLsAreRejected(_ text: String) throws {
        let error = try #require(throws: RequestEncodingError.self) { try form([#require(URL(string: text))]).reader() }
        #expect(error.code == .fileUnreadable)
        #expect(!error.message.contains("secret"))
    }

    @Test func fileRemovedBeforeReadingIsMissing() throws {
        let url = try folder.file("a", Data("content".utf8))
        var reader = try form([url]).reader()
        try FileManager.default.removeItem(at: url)
        let error = try #require(throws: RequestEncodingError.self) { try reader.next(upTo: .max) }
        #expect(error.code == .fileMissing)
    }

    @Test func fileRemovedWhileReadingIsReadToItsEnd() throws {
        let url = try folder.file("a", Data(repeating: 1, count: 1000))
        let form = form([url])
        let whole = try form.encoded()
        var reader = try form.reader()
        var body = try #require(try reader.next(upTo: 500))
        try FileManager.default.removeItem(at: url)
        body += try #require(try reader.next(upTo: .max))
        #expect(body == whole)
    }

    @Test(arguments: [0, 999, 1001, 100_000])
    func fileChangedBeforeReadingIsRejected(_ length: UInt64) throws {
        let url = try folder.file("a", Data(repeating: 1, count: 1000))
        var reader = try form([url]).reader()
        try folder.setLength(url, length)
        let error = try #require(throws: RequestEncodingError.self) { try reader.next(upTo: .max) }
        #expect(error.code == .fileChanged)
        #expect(error.message.contains("1000"))
        // A file that has its former length again may have other bytes.
        try folder.setLength(url, 1000)
        #expect(throws: RequestEncodingError.self) { try reader.next(upTo: .max) }
    }

    @Test(arguments: [0, 600, 999, 1001, 100_000])
    func fileChangedWhileReadingIsRejected(_ length: UInt64) throws {
        let url = try folder.file("a", Data(repeating: 1, count: 1000))
        var reader = try form([url]).reader()
        #expect(try reader.next(upTo: 500) != nil)
        try folder.setLength(url, length)
        let error = try #require(throws: RequestEncodingError.self) {
            while try reader.next(upTo: 100) != nil {}
        }
        #expect(error.code == .fileChanged)
    }

    @Test func emptyFileThatGrowsIsRejected() throws {
        let url = try folder.file("a", Data())
        var reader = try form([url]).reader()
        try folder.setLength(url, 1)
        let error = try #require(throws: RequestEncodingError.self) { try reader.next(upTo: .max) }
        #expect(error.code == .fileChanged)
    }

    @Test func fileReplacedByAFolderIsRejected() throws {
        let url = try folder.file("a", Data("x".utf8))
        var reader = try form([url]).reader()
        try FileManager.default.removeItem(at: url)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
        let error = try #require(throws: RequestEncodingError.self) { try reader.next(upTo: .max) }
        #expect(error.code == .fileUnreadable)
    }

    @Test func fileReplacedByAPipeDoesNotBlock() throws {
        let url = try folder.file("a", Data("x".utf8))
        var reader = try form([url]).reader()
        try FileManager.default.removeItem(at: url)
        try #require(mkfifo(url.path, 0o600) == 0)
        let error = try #require(throws: RequestEncodingError.self) { try reader.next(upTo: .max) }
        #expect(error.code == .fileUnreadable)
    }

    @Test func pathWithUnusualCharactersIsRead() throws {
        let url = try folder.file("ä%20 ?#\n😀", Data("content".utf8))
        #expect(String(decoding: try form([url]).encoded(), as: UTF8.self).contains("\r\n\r\ncontent\r\n"))
    }
}
