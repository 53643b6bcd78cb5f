import ChildProcesses
import Foundation
import Testing

@testable import TangoCache

/// The executable on stores that an application uses at the same time.
@Suite struct ToolProcessTests {
    @Test func everyCommandWorksWhileTheStoreIsWrittenTo() async throws {
        let folder = try await ToolFolder()
        let store = try folder.open()
        let isDone = Guarded(false)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                var round = 0
                while !isDone.value {
                    let entry = CacheEntry(body: Data(count: round % 3 == 0 ? 30_000 : 300), tags: ["busy"])
                    try await store.set(entry, for: CacheKey("busy/\(round % 50)"))
                    #expect(try await store.get("a") != nil)
                    round += 1
                }
            }
            group.addTask {
                defer { isDone.change { $0 = true } }
                for arguments in [["stats"], ["list", "--sort", "size"], ["verify"], ["verify", "--repair"]] {
                    let result = try await ToolProcess.run(
                        [arguments[0], folder.path, "--json"] + arguments.dropFirst())
                    #expect(result.code == 0, "\(arguments) \(result.errors)")
                    #expect(result.errors.isEmpty)
                    _ = try JSONSerialization.jsonObject(with: result.output)
                }
                let body = try await ToolProcess.run(["show", folder.path, "large", "--body"])
                #expect(body.code == 0)
                #expect(body.output == ToolFolder.samples[3].entry.body)
                #expect(try await ToolProcess.run(["purge", folder.path, "--tag", "busy"]).code < 2)
                #expect(try await ToolProcess.run(["purge", folder.path, "b/2"]).code == 0)
            }
            try await group.waitForAll()
        }
        #expect(try await store.get("b/2") == nil)
        #expect(try await store.get("b/1")?.body.count == 2000)
        await store.close()
    }

    @Test(
        arguments: [
            (["help"], 0), (["--version"], 0), ([], 2), (["lst", "F"], 2), (["purge", "F"], 2),
            (["stats", "/nowhere/at/all"], 3),
        ] as [([String], Int32)])
    func theExitCodeIsForScripts(_ arguments: [String], _ code: Int32) async throws {
        let result = try await ToolProcess.run(arguments)
        #expect(result.code == code)
        #expect(result.output.isEmpty == (code != 0))
        #expect(result.errors.isEmpty == (code == 0))
        if code != 0 { #expect(result.errors.hasPrefix("tango-cache: ")) }
    }

    @Test func theApplicationGoesOnAfterEverythingWasPurged() async throws {
        let folder = try await ToolFolder()
        let store = try folder.open()
        let result = try await ToolProcess.run(["purge", folder.path, "--all"])
        #expect(String(decoding: result.output, as: UTF8.self) == "Removed 4 entries, 202 kB.\n")
        #expect(try await store.get("a") == nil)
        #expect(try await store.get("large") == nil)
        try await store.set(CacheEntry(body: Data("new".utf8)), for: "a")
        #expect(try await ToolProcess.run(["show", folder.path, "a", "--body"]).output == Data("new".utf8))
        await store.close()
    }

    @Test func aLockThatIsHeldForLongIsAnError() async throws {
        let folder = try await ToolFolder()
        // A child of another test has the descriptors of this process until it runs its program.
        var taken = try FileLock.ifFree(folder.place.lock, on: FileSystem())
        while taken == nil {
            await Task.yield()
            taken = try FileLock.ifFree(folder.place.lock, on: FileSystem())
        }
        let lock = try #require(taken)
        let result = try await ToolProcess.run(["stats", folder.path])
        withExtendedLifetime(lock) {}
        #expect(result.code == 3)
        #expect(result.errors.contains("Another process has locked"))
    }

    @Test func aReaderThatLeavesEndsTheToolQuietly() async throws {
        let folder = try await ToolFolder()
        let pipe = try ChildProcess.pipe()
        close(pipe.reading)
        let writing = FileHandle(fileDescriptor: pipe.writing, closeOnDealloc: true)
        let result = try await ToolProcess.run(["list", folder.path], output: writing)
        #expect(result.code == 141)
        #expect(result.errors.isEmpty)
    }

    @Test func outputThatCannotBeWrittenIsAnError() async throws {
        let folder = try await ToolFolder()
        // A handle that is open for reading rejects writes.
        let closed = try FileHandle(forReadingFrom: URL(filePath: folder.place.database))
        let result = try await ToolProcess.run(["show", folder.path, "large", "--body"], output: closed)
        #expect(result.code == 3)
        #expect(result.errors.contains("The output cannot be written"))
    }
}
