import Foundation
import Testing

@testable import TangoCache

@Suite struct FileEngineFaultTests {
    private static let faults: [(FileSystem.Call, CInt, CacheError.Code)] = [
        (.create, ENOSPC, .diskFull), (.create, EROFS, .readOnly), (.create, EACCES, .readOnly),
        (.create, EMFILE, .system), (.write, ENOSPC, .diskFull), (.write, EDQUOT, .diskFull),
        (.write, EFBIG, .diskFull),
        (.write, EIO, .system), (.rename, ENOSPC, .diskFull), (.rename, EACCES, .readOnly), (.rename, EPERM, .readOnly),
        (.touch, EIO, .system), (.status, EIO, .system), (.list, EIO, .system), (.makeFolder, EROFS, .readOnly),
    ]

    @Test(arguments: faults) func aFailedSetChangesNothingAndSaysWhy(
        _ call: FileSystem.Call, _ number: CInt, _ code: CacheError.Code
    ) async throws {
        let bench = try FileBench()
        let engine = try bench.engine(CacheLimits(bytes: 100_000))
        try await bench.engine().set(bench.entry(10), for: "a")
        if call == .makeFolder { try FileManager.default.removeItem(atPath: bench.folder.file("cache/temporary")) }
        bench.faults.fail(call, with: number)
        for size in [20, 70_000] {
            let error = await #expect(throws: CacheError.self) { try await engine.set(bench.entry(size), for: "a") }
            #expect(error?.code == code)
            #expect(error?.message.contains(bench.folder.path) == true)
            #expect((error?.underlying as? SystemError)?.number == number)
        }
        if call != .status {
            #expect(try engine.get("a")?.body.count == 10)
        }
        #expect(bench.temporary == [])
        bench.faults.mend()
        #expect(try await engine.keys() == ["a"])
        try await engine.set(bench.entry(20), for: "a")
        #expect(try engine.get("a")?.body.count == 20)
        #expect(try engine.fill().count == 1)
    }

    @Test(arguments: faults.filter { $0.0 != .status && $0.0 != .makeFolder }) func aFailedWriterLeavesNothing(
        _ call: FileSystem.Call, _ number: CInt, _ code: CacheError.Code
    ) async throws {
        let bench = try FileBench()
        let engine = try bench.engine(CacheLimits(bytes: 1_000_000))
        try await bench.engine().set(bench.entry(10), for: "a")
        bench.faults.fail(call, with: number)
        let error = await #expect(throws: CacheError.self) {
            let writer = CacheWriter(try engine.writer(for: "a", entry: bench.entry(70_000)))
            try await writer.write(Data(count: 70_000))
            try await writer.commit()
        }
        #expect(error?.code == code)
        #expect(bench.temporary == [])
        #expect(try engine.get("a")?.body.count == 10)
    }

    @Test func aStoreThatCannotBeWrittenToIsReadStill() async throws {
        let bench = try FileBench()
        let engine = try bench.engine(CacheLimits(count: 10))
        try await engine.set(bench.entry(10), for: "a")
        try await engine.set(bench.entry(10), for: "damaged")
        try bench.damage("damaged", at: 66)
        for call in [FileSystem.Call.create, .write, .touch, .rename, .remove, .makeFolder] {
            bench.faults.fail(call, with: EROFS)
        }
        bench.advance(by: 1_000)
        #expect(try engine.get("a")?.body.count == 10)
        #expect(try engine.get("damaged") == nil)
        #expect(try engine.reader(for: "a") != nil)
        #expect(try await engine.keys() == ["a"])
        let error = await #expect(throws: CacheError.self) { try await engine.remove(["a"]) }
        #expect(error?.code == .readOnly)
    }

    @Test func anErrorOnReadingIsThrownAndLosesNothing() async throws {
        let bench = try FileBench()
        let engine = try bench.engine()
        try await engine.set(bench.entry(10), for: "a")
        for call in [FileSystem.Call.open, .read, .status] {
            bench.faults.fail(call, with: EIO)
            let error = #expect(throws: CacheError.self) { try engine.get("a") }
            #expect(error?.code == .system)
            bench.faults.mend()
            #expect(try engine.get("a") != nil)
        }
        #expect(bench.events.isEmpty)
    }

    @Test func aSweptTemporaryFileIsWrittenAgain() async throws {
        let bench = try FileBench()
        let engine = try bench.engine()
        // A rename that finds no file is retried once, in case the folder was missing. Then the file is written again.
        bench.faults.sweep(bench.folder.file("cache/temporary"), times: 2)
        try await engine.set(bench.entry(10), for: "a")
        #expect(try engine.get("a")?.body.count == 10)
        bench.faults.sweep(bench.folder.file("cache/temporary"), times: .max)
        let error = await #expect(throws: CacheError.self) { try await engine.set(bench.entry(20), for: "a") }
        #expect(error?.code == .system)
        bench.faults.mend()
        #expect(try engine.get("a")?.body.count == 10)
    }

    @Test(arguments: [(1, 1), (3, 3), (2, 1)]) func aVolumeThatIsFullTakesNoneOfMany(_ create: Int, _ write: Int)
        async throws
    {
        let bench = try FileBench()
        let engine = try bench.engine(CacheLimits(bytes: 1_000_000))
        try await engine.set(bench.entry(10), for: "1")
        let many = (1...3).map { (key: CacheKey("\($0)"), entry: bench.entry(20)) }
        for (call, number) in [(FileSystem.Call.create, create), (.write, write)] {
            bench.faults.fail(call, with: ENOSPC) { $0 == number }
            let error = await #expect(throws: CacheError.self) { try await engine.set(many) }
            #expect(error?.code == .diskFull)
            #expect(bench.temporary == [])
            #expect(try await engine.keys() == ["1"])
            #expect(try engine.get("1")?.body.count == 10)
            bench.faults.mend()
        }
        try await engine.set(many)
        #expect(try engine.getMany(["1", "2", "3"]).map { $0?.body.count } == [20, 20, 20])
    }

    @Test func oneThatIsTooLargeRefusesAllOfMany() async throws {
        let bench = try FileBench()
        let engine = try bench.engine(CacheLimits(bytes: 1_000))
        let error = await #expect(throws: CacheError.self) {
            try await engine.set([(key: "a", entry: bench.entry(1)), (key: "b", entry: bench.entry(1_000))])
        }
        #expect(error?.code == .tooLarge)
        var tagged = bench.entry(1)
        tagged.tags = [String(repeating: "t", count: 1_000)]
        let many = [(key: CacheKey("a"), entry: bench.entry(1)), (key: "b", entry: tagged)]
        await #expect(throws: CacheError.self) { try await engine.set(many) }
        #expect(try engine.fill() == DiskFill())
        #expect(bench.temporary == [])
    }

    @Test func aFailedRenameLeavesNoTemporaryFiles() async throws {
        let bench = try FileBench()
        let engine = try bench.engine()
        bench.faults.fail(.rename, with: EIO) { $0 > 1 }
        await #expect(throws: CacheError.self) {
            try await engine.set((1...5).map { (key: CacheKey("\($0)"), entry: bench.entry($0)) })
        }
        #expect(bench.temporary == [])
    }
}
