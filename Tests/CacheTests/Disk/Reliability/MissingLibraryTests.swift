import ChildProcesses
import Foundation
import Testing

@testable import TangoCache

/// Stores where SQLite cannot be loaded, always or at times.
@Suite struct MissingLibraryTests {
    private let folder = ScratchFolder()

    init() throws {
        try #require(Database.problem == nil)
        try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: true)
    }

    /// Returns the output of a process with or without SQLite, whose cache folder is the one of this test.
    private func process(sqlite: Bool = true, _ command: String, _ steps: String...) async throws -> [String] {
        try await offThread { [path = folder.path] in
            var environment = ["XDG_CACHE_HOME": path + "/caches"]
            if !sqlite { environment["TANGO_SQLITE_LIBRARY"] = "libmissing.so.0" }
            let process = try ChildProcess(
                command: [ChildProcess.executable("CacheProcess"), command, path + "/store"] + steps,
                environment: environment)
            return process.lines()
        }
    }

    @Test func theErrorNamesThePackageAndTheSharedStoreServesFromMemory() async throws {
        let lines = try await process(sqlite: false, "missing")
        try #require(lines.count == 4)
        let error = lines[0]
        #expect(error.hasPrefix("system: SQLite cannot be used (libmissing.so.0: "))
        #expect(error.contains("libsqlite3-0 on Debian and Ubuntu, sqlite-libs on Fedora, Red Hat and Amazon Linux"))
        #expect(
            lines[1]
                == "event: entries stay in memory, because the disk cannot be used; opening is retried: \(error)")
        #expect(lines[2...] == ["removed", "count 1"])
        #expect(folder.files.filter { !$0.hasPrefix("caches") } == [])
    }

    /// Entries on the disk would reappear in the next process, so their removal must not seem to succeed.
    @Test func theEntriesOnTheDiskStayAndAreNotSaidToBeRemoved() async throws {
        #expect(try await process("missing") == ["opens", "removed", "count 1"])
        let lines = try await process(sqlite: false, "missing")
        #expect(lines.count == 4)
        #expect(lines.contains { $0.hasPrefix("not removed: system: The entries on disk were not removed") })
        #expect(lines.last == "count 1")
        #expect(try await process("missing") == ["opens", "removed", "count 2"])
    }

    @Test func aFailureToLoadIsNotRemembered() async throws {
        let told = try await process("steps", "starved", "open", "set:a", "get:a")
        #expect(told == ["starved system", "open done", "set:a done", "get:a found"])
    }

    @Test func aFailureToLoadLeavesTheEntriesRemovable() async throws {
        #expect(try await process("steps", "open", "set:a").last == "set:a done")
        #expect(
            try await process("steps", "starved", "open", "removeAll") == [
                "starved system", "open done", "removeAll done",
            ])
        #expect(try await process("steps", "open", "get:a").last == "get:a nothing")
    }

    @Test func withoutTheLibraryAFolderIsRefusedAndUnchanged() async throws {
        #expect(try await process("steps", "open", "set:a").last == "set:a done")
        #expect(try await process(sqlite: false, "steps", "open") == ["open system"])
        #expect(try await process("steps", "open", "get:a") == ["open done", "get:a found"])
    }

    /// The library fails to load once, and loads the next time.
    @Test func aLibraryIsTriedOnceMore() throws {
        let asked = Guarded(0)
        let store = try DiskStore(
            directory: folder.url, limits: .unlimited, role: .owner(version: 0), onEvent: { _ in },
            problem: {
                asked.change {
                    $0 += 1; return $0
                } == 1 ? "too many open files" : Database.problem
            })
        store.closeFiles()
        #expect(asked.value == 2)
    }

    /// Development versions stored entries in plain files, in a folder of this name.
    @Test func otherFilesInTheFolderAreLeftAlone() async throws {
        let other = folder.url.appending(path: "store/entries/46/4628835fa38fc7d1")
        try FileManager.default.createDirectory(
            at: other.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data("TNGO".utf8).write(to: other)
        let told = try await process("steps", "open", "set:a", "maintain", "verify", "removeAll", "get:a")
        #expect(
            told == ["open done", "set:a done", "maintain done", "verify sound", "removeAll done", "get:a nothing"])
        #expect(try Data(contentsOf: other) == Data("TNGO".utf8))
    }
}
