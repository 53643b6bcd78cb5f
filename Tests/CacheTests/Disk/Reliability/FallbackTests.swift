import ChildProcesses
import Testing

@Suite struct FallbackTests {
    private let folder = ScratchFolder()

    @Test func withoutSQLitePlainFilesAreUsedAndThatIsReportedOnce() async throws {
        let lines = try await offThread { [path = folder.path] in
            let process = try ChildProcess(command: [
                "env", "TANGO_SQLITE_LIBRARY=libmissing.so.0", ChildProcess.executable("CacheProcess"), "engine", path,
            ])
            let lines = process.lines()
            process.end()
            return lines
        }
        try #require(lines.count == 3)
        #expect(lines[0].hasPrefix("sqlite: system: SQLite cannot be used"))
        #expect(lines[1].hasPrefix("event: the store falls back to another engine: SQLite cannot be used"))
        #expect(lines[1].contains("libmissing.so.0"))
        #expect(lines[2] == "files true")
    }
}
