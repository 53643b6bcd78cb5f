import Foundation
import Testing

@testable import TangoCache

@Suite struct FileSystemTests {
    private let files = FileSystem()

    @Test func missingFilesReturnNilOrFalse() throws {
        let folder = try DiskFolder()
        let path = folder.file("none/at/all")
        let isOpen = try files.open(path) != nil
        let isCreated = try files.create(path) != nil
        #expect(!isOpen && !isCreated)
        #expect(try files.status(path) == nil)
        #expect(try files.list(path) == nil)
        #expect(try !files.remove(path))
        #expect(try !files.rename(path, to: folder.file("a")))
    }

    @Test func foldersAreMadeWithThoseAboveThem() throws {
        let folder = try DiskFolder()
        try files.makeFolder(folder.file("a/b/c"))
        try files.makeFolder(folder.file("a/b/c"))
        #expect(try files.list(folder.file("a/b")) == ["c"])
        #expect(try files.status(folder.file("a/b/c"))?.isRegular == false)
    }

    @Test func anErrorNamesThePathAndSaysWhatToDo() throws {
        let folder = try DiskFolder()
        try Data().write(to: URL(fileURLWithPath: folder.file("file")))
        let error = #expect(throws: CacheError.self) { try files.makeFolder(folder.file("file/below")) }
        #expect(error?.code == .system)
        let message = try #require(error?.message)
        #expect(message.contains("Making the folder \(folder.file("file/below")) failed: Not a directory"))
        #expect(message.contains("every part of the path but the last is a folder"))
    }

    @Test func twoBuffersAreFilledAsFarAsTheFileGoes() throws {
        let folder = try DiskFolder()
        try Data(0..<100).write(to: URL(fileURLWithPath: folder.file("a")))
        // Not `#require`, which accepts no noncopyable values.
        guard let file = try files.open(folder.file("a")) else {
            Issue.record("nothing was found")
            return
        }
        for (offset, first, second) in [(0, 60, 40), (0, 0, 10), (10, 10, 0), (50, 30, 30), (90, 20, 20), (100, 5, 5)] {
            var one = [UInt8](repeating: 0, count: first)
            var other = [UInt8](repeating: 0, count: second)
            let count = try one.withUnsafeMutableBytes { one in
                try other.withUnsafeMutableBytes { other in try file.read(into: one, and: other, at: offset) }
            }
            #expect(count == min(first + second, 100 - offset))
            #expect(Array((one + other).prefix(count)) == (0..<count).map { UInt8(offset + $0) })
        }
    }

    @Test func blockingWorkReturnsOrThrowsToTheCaller() async throws {
        #expect(await IO.run { 7 } == 7)
        let error = await #expect(throws: CacheError.self) {
            try await IO.run { () throws -> Int in throw CacheError(.busy, "busy") }
        }
        #expect(error?.code == .busy)
    }
}
