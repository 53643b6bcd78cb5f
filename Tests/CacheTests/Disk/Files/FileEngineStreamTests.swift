import Foundation
import Testing

@testable import TangoCache

@Suite struct FileEngineStreamTests {
    private func read(_ reader: CacheReader) async throws -> Data {
        var body = Data()
        for try await portion in reader { body.append(portion) }
        return body
    }

    @Test func aBodyIsWrittenAndReadInPortions() async throws {
        let bench = try FileBench()
        let engine = try bench.engine(CacheLimits(bytes: 10 << 20))
        let body = EntryFileTests.body(700_000)
        let start = CacheEntry(body: body.prefix(1_000), metadata: ["a": "b"])
        let writer = CacheWriter(try engine.writer(for: "film", entry: start))
        try await writer.write(body[1_000..<300_000])
        try await writer.write(body[300_000...])
        #expect(try engine.get("film") == nil)
        try await writer.commit()
        let entry = try #require(try engine.get("film"))
        #expect(entry.body == body)
        #expect(entry.metadata == ["a": "b"])
        #expect(entry.written == bench.now)
        let reader = try #require(try engine.reader(for: "film"))
        #expect(reader.item.size == 700_000)
        #expect(try await read(reader) == body)
        #expect(bench.temporary == [])
    }

    @Test func aReaderOutlivesItsEntry() async throws {
        let bench = try FileBench()
        let engine = try bench.engine()
        try await engine.set(bench.entry(700_000), for: "film")
        let removed = try #require(try engine.reader(for: "film"))
        try await engine.set(bench.entry(3), for: "film")
        let replaced = try #require(try engine.reader(for: "film"))
        try await engine.remove(["film"])
        #expect(try await read(removed) == EntryFileTests.body(700_000))
        #expect(try await read(replaced) == EntryFileTests.body(3))
    }

    @Test func anAbandonedWriterLeavesNothing() async throws {
        let bench = try FileBench()
        let engine = try bench.engine()
        try await engine.set(bench.entry(3), for: "film")
        do {
            let writer = CacheWriter(try engine.writer(for: "film", entry: bench.entry(100_000)))
            try await writer.write(Data(count: 100_000))
            #expect(bench.temporary.count == 1)
        }
        #expect(bench.temporary == [])
        #expect(try engine.get("film")?.body.count == 3)
    }

    @Test func damageFoundByAReaderIsReportedAndRemoved() async throws {
        let bench = try FileBench()
        let engine = try bench.engine()
        try await engine.set(bench.entry(700_000), for: "film")
        try bench.damage("film", at: 600_000)
        let reader = try #require(try engine.reader(for: "film"))
        for _ in 1...3 {
            let error = await #expect(throws: CacheError.self) { try await read(reader) }
            #expect(error?.code == .damaged)
        }
        guard case .damaged("film", _)? = bench.events.first, bench.events.count == 1 else {
            Issue.record("\(bench.events)")
            return
        }
        #expect(!FileManager.default.fileExists(atPath: bench.path("film")))
        #expect(try engine.get("film") == nil)
        #expect(try engine.fill() == DiskFill())
        #expect(bench.events.count == 1)
    }

    @Test func damageFoundByAReaderDoesNotRemoveWhatHasTakenItsPlace() async throws {
        let bench = try FileBench()
        let engine = try bench.engine()
        try await engine.set(bench.entry(700_000), for: "film")
        try bench.damage("film", at: 600_000)
        let reader = try #require(try engine.reader(for: "film"))
        try await engine.set(bench.entry(3), for: "film")
        await #expect(throws: CacheError.self) { try await read(reader) }
        #expect(bench.events.count == 1)
        #expect(try engine.get("film")?.body.count == 3)
    }

    @Test func aBodyThatBecomesTooLargeEndsEarly() async throws {
        let bench = try FileBench()
        let engine = try bench.engine(CacheLimits(bytes: 100_000))
        let writer = CacheWriter(try engine.writer(for: "film", entry: bench.entry(10)))
        try await writer.write(Data(count: 60_000))
        let error = await #expect(throws: CacheError.self) { try await writer.write(Data(count: 60_000)) }
        #expect(error?.code == .tooLarge)
        #expect(bench.temporary == [])
        await #expect(throws: CacheError.self) { try await writer.commit() }
        #expect(try engine.fill() == DiskFill())
    }

    @Test func aStreamThatIsTooLargeAtOnceIsRejected() throws {
        let bench = try FileBench()
        let engine = try bench.engine(CacheLimits(bytes: 1_000))
        var entries = [bench.entry(1_000), bench.entry(1), bench.entry(1)]
        entries[1].metadata = ["a": String(repeating: "b", count: 1_000)]
        entries[2].tags = [String(repeating: "t", count: 1_000)]
        for entry in entries {
            let error = #expect(throws: CacheError.self) { try engine.writer(for: "film", entry: entry) }
            #expect(error?.code == .tooLarge)
        }
        #expect(bench.temporary == [])
    }
}
