import ChildProcesses
import Foundation
import Testing

@testable import TangoCache

@Suite struct VolumeTests {
    /// Mounts in a separate namespace, if the system lets an ordinary process do so.
    private static let canMount: Bool = {
        let folder = ScratchFolder()
        try? FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: true)
        let command = ["unshare", "-rm", "mount", "-t", "tmpfs", "tmpfs", folder.path]
        guard let process = try? ChildProcess(command) else { return false }
        return process.end() == 0
    }()

    /// Runs `CacheProcess` after shell commands with the folder in `$1`, and returns its output.
    private func told(_ mounts: String, _ command: String, _ folder: ScratchFolder) async throws -> [String] {
        try await offThread {
            let script = "\(mounts) && exec \"$0\" \(command) \"$1\""
            let process = try ChildProcess(
                command: ["unshare", "-rm", "sh", "-c", script, ChildProcess.executable("CacheProcess"), folder.path])
            return process.lines()
        }
    }

    static let fullAsExpected = [
        "set diskFull", "large diskFull", "stream diskFull", "many diskFull", "stored true lost 0", "others 0",
        "left 0",
        "again ok", "readable true", "reopened lost 0",
    ]

    @Test func aStoreOutlivesAFullVolume() async throws {
        let folder = ScratchFolder()
        try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: true)
        guard Self.canMount else {
            // Otherwise a limit of the process replaces the volume, as in the next test.
            return try await aStoreOutlivesALimitOfTheProcess()
        }
        let lines = try await told("mount -t tmpfs -o size=3m tmpfs \"$1\"", "full", folder)
        #expect(lines == Self.fullAsExpected)
    }

    @Test func aStoreOutlivesALimitOfTheProcess() async throws {
        let folder = ScratchFolder()
        try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: true)
        let lines = try await offThread { try ChildProcess(["full", folder.path, "limit"]).lines() }
        #expect(lines == Self.fullAsExpected)
    }

    @Test func onAFullVolumeAReaderInTheWayIsWaitedForOnce() async throws {
        let folder = ScratchFolder()
        let pipe = try ChildProcess.pipe()
        let lines = try await offThread { [path = folder.path] in
            let process = try ChildProcess(
                command: [ChildProcess.executable("CacheProcess"), "crowd", path], input: pipe.reading)
            close(pipe.reading)
            guard process.line() == "ready" else { return ["not ready"] }
            // A read transaction prevents emptying the log.
            let reader = try Database(Place(folder: path).database, .reader, timeout: 10_000)
            try reader.run("BEGIN")
            _ = try reader.integer("SELECT count(*) FROM entry")
            _ = write(pipe.writing, "\n", 1)
            close(pipe.writing)
            let lines = process.lines()
            reader.rollback()
            return lines
        }
        #expect(lines == ["first diskFull", "failed 300", "at once", "again ok"])
    }

    static let frozenAsExpected = [
        "right 5 of 5", "listed 5", "count 5", "set readOnly", "large readOnly", "stream readOnly", "remove readOnly",
        "removeAll readOnly", "maintain readOnly", "still true", "done",
    ]

    @Test(arguments: [
        ("", "killed"), ("", "closed"), ("rm \"$1\"/index/*-shm && ", "closed"),
        ("rm \"$1\"/index/*-shm \"$1\"/index/*-wal \"$1\"/lock && rm -r \"$1\"/instances && ", "closed"),
    ])
    func aStoreIsReadWhereNothingCanBeWritten(_ before: String, _ end: String) async throws {
        let folder = ScratchFolder()
        #expect(try await offThread { try ChildProcess(["sample", folder.path, end]).lines() } == ["done"])
        if Self.canMount {
            let mounts = before + "mount --bind \"$1\" \"$1\" && mount -o remount,bind,ro \"$1\""
            #expect(try await told(mounts, "frozen", folder) == Self.frozenAsExpected)
        } else if getuid() != 0 {
            let mode = before + "chmod -R a-w \"$1\""
            let lines = try await offThread {
                let script = "\(mode) && \"$0\" frozen \"$1\"; chmod -R u+w \"$1\""
                return try ChildProcess(command: [
                    "sh", "-c", script, ChildProcess.executable("CacheProcess"), folder.path,
                ]).lines()
            }
            #expect(lines == Self.frozenAsExpected)
        }
    }
}
