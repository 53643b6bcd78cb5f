import Foundation
import Testing

@testable import TangoCache

@Suite struct EntryFileStreamTests {
    private let files = FileSystem()

    /// The sizes of the portions of a body.
    private static let cuts: [[Int]] = [
        [], [1], [0, 1, 0], [65_536], [65_535, 1], [65_535, 2], [1, 65_536], [1, 65_535, 65_536], [200_000],
        [10, 200_000, 10], [131_072, 131_072], [30_000, 30_000, 30_000, 30_000], [1_000_000, 3],
    ]

    @Test(arguments: cuts, [false, true]) func aFileWrittenInPortionsIsTheFileWrittenAtOnce(
        _ cut: [Int], _ hasStart: Bool
    ) throws {
        let folder = try DiskFolder()
        var entry = EntryFileTests.entry(cut.reduce(hasStart ? 7 : 0, +), metadata: ["a": "b"], tags: ["t"])
        let whole = entry.body
        try #require(try EntryFile.write(entry, for: "key", to: folder.file("whole"), on: files))
        entry.body = hasStart ? whole.prefix(7) : Data()
        let writer = try #require(try EntryFile.Writer(entry, for: "key", to: folder.file("parts"), on: files))
        var position = entry.body.count
        for count in cut {
            try writer.append(whole[position..<(position + count)])
            position += count
        }
        try writer.finish()
        #expect(
            FileManager.default.contents(atPath: folder.file("parts"))
                == FileManager.default.contents(atPath: folder.file("whole")))
    }

    @Test func aWriterThatIsReleasedLeavesNothing() throws {
        let folder = try DiskFolder()
        var writer = try EntryFile.Writer(EntryFileTests.entry(70_000), for: "k", to: folder.file("a"), on: files)
        try writer?.append(Data(count: 100_000))
        #expect(folder.names == ["a"])
        writer = nil
        #expect(folder.names == [])
    }

    @Test func aWriterThatIsFinishedLeavesItsFile() throws {
        let folder = try DiskFolder()
        var writer = try EntryFile.Writer(EntryFileTests.entry(5), for: "k", to: folder.file("a"), on: files)
        try writer?.finish()
        writer?.abandon()
        writer = nil
        #expect(folder.names == ["a"])
    }

    @Test func aFileThatWasNotFinishedIsNoEntry() throws {
        let folder = try DiskFolder()
        let path = folder.file("a")
        let writer = try #require(try EntryFile.Writer(EntryFileTests.entry(70_000), for: "k", to: path, on: files))
        #expect(throws: EntryFile.Damage.self) { try EntryFile.read(path, on: files) }
        writer.abandon()
    }

    @Test func aWriterTakesNothingAfterItsEnd() throws {
        let folder = try DiskFolder()
        let finished = try #require(
            try EntryFile.Writer(EntryFileTests.entry(5), for: "k", to: folder.file("a"), on: files))
        try finished.finish()
        let abandoned = try #require(
            try EntryFile.Writer(EntryFileTests.entry(5), for: "k", to: folder.file("b"), on: files))
        abandoned.abandon()
        for writer in [finished, abandoned] {
            #expect(throws: CacheError.self) { try writer.append(Data([1])) }
            #expect(throws: CacheError.self) { try writer.finish() }
        }
    }

    @Test(arguments: 1...5) func aWriterWhoseWriteFailsLeavesNothing(_ failing: Int) throws {
        let folder = try DiskFolder()
        let faults = DiskFaults()
        faults.fail(.write, with: ENOSPC) { $0 == failing }
        let error = #expect(throws: CacheError.self) {
            let writer = try #require(
                try EntryFile.Writer(EntryFileTests.entry(1), for: "k", to: folder.file("a"), on: faults.files))
            try writer.append(Data(count: 65_535))
            try writer.append(Data(count: 70_000))
            try writer.finish()
        }
        #expect(error?.code == .diskFull)
        #expect(folder.names == [])
    }

    @Test func aReaderReadsToTheEndWhateverHappensToTheFile() throws {
        let folder = try DiskFolder()
        let path = folder.file("a")
        let entry = EntryFileTests.entry(700_000)
        _ = try EntryFile.write(entry, for: "k", to: path, on: files)
        let reader = try #require(try EntryFile.Reader.open(path, on: files))
        var body = try #require(try reader.next())
        #expect(body.count < 700_000)
        try files.remove(path)
        _ = try EntryFile.write(EntryFileTests.entry(3), for: "other", to: path, on: files)
        while let portion = try reader.next() { body.append(portion) }
        #expect(body == entry.body)
    }

    @Test func aReaderReturnsWhatIsWholeAndThrowsAtTheDamage() throws {
        let folder = try DiskFolder()
        let path = folder.file("a")
        let entry = EntryFileTests.entry(700_000)
        _ = try EntryFile.write(entry, for: "k", to: path, on: files)
        let handle = try #require(FileHandle(forUpdatingAtPath: path))
        try handle.seek(toOffset: 400_000)
        try handle.write(contentsOf: Data([1, 2, 3, 4, 5]))
        try handle.close()
        let reader = try #require(try EntryFile.Reader.open(path, on: files))
        #expect(try reader.next() == entry.body.prefix(262_144))
        for _ in 1...2 {
            let error = #expect(throws: CacheError.self) { try reader.next() }
            #expect(error?.code == .damaged)
        }
    }
}
