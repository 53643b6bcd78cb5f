import ChildProcesses
import Foundation
import Testing

@testable import TangoCache

/// A folder whose engine changes from one process to the next.
@Suite struct EngineChangeTests {
    private let folder = ScratchFolder()

    init() throws {
        try #require(Database.problem == nil)
    }

    /// Returns the output of a process that takes some steps, with or without SQLite.
    private func process(sqlite: Bool = true, _ steps: String...) async throws -> [String] {
        try await offThread { [path = folder.path] in
            let environment = sqlite ? [:] : ["TANGO_SQLITE_LIBRARY": "libmissing.so.0"]
            let process = try ChildProcess(
                command: [ChildProcess.executable("CacheProcess"), "steps", path] + steps, environment: environment)
            return process.lines()
        }
    }

    @Test func aFailureToLoadSQLiteIsNotRemembered() async throws {
        let told = try await process("starved:automatic", "open:automatic", "set:a", "get:a")
        #expect(told == ["starved:automatic system", "open:automatic sqlite", "set:a done", "get:a found"])
    }

    @Test func aFailureToLoadLeavesTheEntriesOfSQLiteRemovable() async throws {
        #expect(try await process("open:automatic", "set:a").last == "set:a done")
        let told = try await process("starved:automatic", "open:automatic", "removeAll")
        #expect(told == ["starved:automatic system", "open:automatic sqlite", "removeAll done"])
        #expect(try await process("open:automatic", "get:a").last == "get:a nothing")
    }

    @Test func withoutSQLiteAFolderOfSQLiteIsRefused() async throws {
        #expect(try await process("open:automatic", "set:a").last == "set:a done")
        #expect(try await process(sqlite: false, "open:automatic") == ["open:automatic system"])
        #expect(try await process("open:automatic", "get:a") == ["open:automatic sqlite", "get:a found"])
    }

    @Test func aFolderOfPlainFilesStaysOneWhereSQLiteCanBeUsed() async throws {
        #expect(
            try await process(sqlite: false, "open:automatic", "set:a", "set:b") == [
                "open:automatic files", "set:a done", "set:b done",
            ])
        #expect(try await process("open:automatic", "get:a") == ["open:automatic files", "get:a found"])
        #expect(try await process("open:automatic", "removeAll") == ["open:automatic files", "removeAll done"])
        #expect(try await process(sqlite: false, "open:automatic", "get:a").last == "get:a nothing")
        #expect(try await process("open:automatic", "get:b").last == "get:b nothing")
    }

    @Test(arguments: [("sqlite", "files"), ("files", "sqlite")])
    func anEngineThatIsChosenStartsEmptyAndSoDoesTheOtherLater(_ former: String, _ new: String) async throws {
        #expect(try await process("open:\(former)", "set:a").last == "set:a done")
        #expect(
            try await process("open:\(new)", "get:a", "set:b") == ["open:\(new) \(new)", "get:a nothing", "set:b done"])
        #expect(
            try await process("open:\(former)", "get:a", "get:b") == [
                "open:\(former) \(former)", "get:a nothing", "get:b nothing",
            ])
    }

    @Test(arguments: ["automatic", "sqlite", "files"])
    func aFolderWithTheEntriesOfBothStartsEmpty(_ engine: String) async throws {
        let other = ScratchFolder()
        #expect(try await process("open:sqlite", "set:a").last == "set:a done")
        let files = try DiskStore(directory: other.url, engine: .files)
        try await files.set(CacheEntry(body: Data("b".utf8)), for: "b")
        try FileManager.default.copyItem(atPath: other.path + "/entries", toPath: folder.path + "/entries")
        let told = try await process("open:\(engine)", "get:a", "get:b", "set:c")
        #expect(Array(told.dropFirst()) == ["get:a nothing", "get:b nothing", "set:c done"])
        #expect(try await process("open:\(engine)", "get:c").last == "get:c found")
    }
}
