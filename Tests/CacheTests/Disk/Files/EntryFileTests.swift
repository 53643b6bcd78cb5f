import Foundation
import Testing

@testable import TangoCache

@Suite struct EntryFileTests {
    private let files = FileSystem()

    /// Returns a body whose blocks all differ.
    static func body(_ count: Int) -> Data {
        var state: UInt64 = 0x1234_5678
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        for _ in 0..<count {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            bytes.append(UInt8(truncatingIfNeeded: state >> 33))
        }
        return Data(bytes)
    }

    static func entry(_ count: Int, metadata: [String: String] = [:], tags: Set<String> = []) -> CacheEntry {
        CacheEntry(
            body: body(count), metadata: metadata, tags: tags, written: Date(timeIntervalSinceReferenceDate: 700.125))
    }

    static func same(_ one: CacheEntry, _ other: CacheEntry) -> Bool {
        one.body == other.body && one.metadata == other.metadata && one.tags == other.tags
            && one.pinned == other.pinned
            && one.written?.timeIntervalSinceReferenceDate.bitPattern
                == other.written?.timeIntervalSinceReferenceDate.bitPattern
            && one.expires?.timeIntervalSinceReferenceDate.bitPattern
                == other.expires?.timeIntervalSinceReferenceDate.bitPattern
    }

    private func portions(_ reader: EntryFile.Reader) throws -> Data {
        var body = Data()
        while let portion = try reader.next() { body.append(portion) }
        return body
    }

    private static let sizes = [
        0, 1, 63, 64, 3_900, 4_020, 4_024, 4_031, 4_032, 4_033, 4_096, 5_000, 65_535, 65_536, 65_537, 131_072, 131_073,
        262_144, 262_145, 1_000_003,
    ]

    @Test(arguments: sizes) func aBodyOfAnyLengthComesBack(_ size: Int) throws {
        let folder = try DiskFolder()
        let entry = Self.entry(size)
        let path = folder.file("a")
        try #require(try EntryFile.write(entry, for: "key", to: path, on: files))
        let stored = try #require(try EntryFile.read(path, expecting: "key", on: files))
        #expect(stored.key == "key")
        #expect(Self.same(stored.entry, entry))
        let reader = try #require(try EntryFile.Reader.open(path, on: files))
        #expect(reader.item.size == size)
        #expect(try portions(reader) == entry.body)
        #expect(try reader.next() == nil)
    }

    @Test(arguments: [
        CacheKey(""), CacheKey("a"), CacheKey(bytes: [0]), CacheKey(bytes: [0xff, 0, 0xfe]), CacheKey("été 🎏"),
        CacheKey(String(repeating: "long", count: 1_000)), CacheKey(String(repeating: "longer", count: 50_000)),
    ]) func aKeyOfAnyBytesComesBack(_ key: CacheKey) throws {
        let folder = try DiskFolder()
        for size in [0, 10, 70_000] {
            let entry = Self.entry(size, metadata: ["a": "b"])
            let path = folder.file("\(size)")
            _ = try EntryFile.write(entry, for: key, to: path, on: files)
            for expected in [key, nil, "another"] {
                let stored = try #require(try EntryFile.read(path, expecting: expected, on: files))
                #expect(stored.key == key)
                #expect(Self.same(stored.entry, entry))
            }
            #expect(try EntryFile.item(path, on: files)?.key == key)
        }
    }

    /// The times as numbers, because some dates have no description.
    private static let times: [Double?] = [
        nil, 0, -0.0, 0.1 + 0.2, -1e12, 1e12, .infinity, .leastNonzeroMagnitude, .greatestFiniteMagnitude,
    ]

    @Test(arguments: times) func datesComeBackToTheBit(_ time: Double?) throws {
        let folder = try DiskFolder()
        let date = time.map { Date(timeIntervalSinceReferenceDate: $0) }
        for pinned in [false, true] {
            var entry = CacheEntry(body: Data("x".utf8), expires: date, pinned: pinned)
            entry.written = date ?? Date(timeIntervalSinceReferenceDate: 1)
            let path = folder.file("\(pinned)")
            _ = try EntryFile.write(entry, for: "k", to: path, on: files)
            #expect(Self.same(try #require(try EntryFile.read(path, on: files)).entry, entry))
            let item = try #require(try EntryFile.item(path, on: files))
            #expect(item.pinned == pinned)
            #expect(
                item.written.timeIntervalSinceReferenceDate.bitPattern
                    == entry.written?.timeIntervalSinceReferenceDate.bitPattern)
        }
    }

    @Test func metadataAndTagsComeBackAndAreListed() throws {
        let folder = try DiskFolder()
        let metadata = Dictionary(uniqueKeysWithValues: (0..<500).map { ("name \($0)", "value \($0)") })
        let entry = Self.entry(100_000, metadata: metadata, tags: ["", "a", "é"])
        let path = folder.file("a")
        _ = try EntryFile.write(entry, for: "k", to: path, on: files)
        #expect(Self.same(try #require(try EntryFile.read(path, on: files)).entry, entry))
        let item = try #require(try EntryFile.item(path, on: files))
        #expect(item.metadata == metadata)
        #expect(item.tags == entry.tags)
        #expect(item.size == 100_000)
    }

    @Test func aBodyThatIsPartOfALargerOneIsWritten() throws {
        let folder = try DiskFolder()
        let slice = Self.body(1_000)[100..<900]
        let entry = CacheEntry(body: slice, written: Date())
        _ = try EntryFile.write(entry, for: "k", to: folder.file("a"), on: files)
        #expect(try EntryFile.read(folder.file("a"), on: files)?.entry.body == Data(slice))
    }

    @Test func aFolderInPlaceOfAFileIsMissing() throws {
        let folder = try DiskFolder()
        try files.makeFolder(folder.file("deep/er/folder"))
        for name in ["nothing", "nothing/at/all", "deep"] {
            guard try EntryFile.read(folder.file(name), on: files) == nil else {
                Issue.record("\(name) was found")
                continue
            }
        }
    }

    @Test func aFileIsNeverWrittenOverAnother() throws {
        let folder = try DiskFolder()
        let path = folder.file("a")
        _ = try EntryFile.write(Self.entry(1), for: "k", to: path, on: files)
        #expect(throws: CacheError.self) { try EntryFile.write(Self.entry(2), for: "k", to: path, on: files) }
        #expect(try EntryFile.read(path, on: files)?.entry.body.count == 1)
    }

    @Test func aMissingFolderIsTold() throws {
        let folder = try DiskFolder()
        #expect(try !EntryFile.write(Self.entry(1), for: "k", to: folder.file("no/a"), on: files))
        #expect(try EntryFile.Writer(Self.entry(1), for: "k", to: folder.file("no/a"), on: files) == nil)
    }

    @Test(arguments: [ENOSPC, EIO]) func afterAFailureNoFileIsLeft(_ number: CInt) throws {
        let folder = try DiskFolder()
        let faults = DiskFaults()
        faults.fail(.write, with: number)
        let error = #expect(throws: CacheError.self) {
            try EntryFile.write(Self.entry(10), for: "k", to: folder.file("a"), on: faults.files)
        }
        #expect(error?.code == (number == ENOSPC ? .diskFull : .system))
        #expect(error?.message.contains(folder.file("a")) == true)
        #expect(folder.names == [])
    }
}
