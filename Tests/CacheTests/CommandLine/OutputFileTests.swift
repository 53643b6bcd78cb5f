import ChildProcesses
import Foundation
import Testing

@testable import CacheTool
@testable import TangoCache

/// The file that `show --output` writes.
@Suite struct OutputFileTests {
    private let scratch = ScratchFolder()
    private var target: String { scratch.path + "/body" }

    init() throws {
        try FileManager.default.createDirectory(at: scratch.url, withIntermediateDirectories: true)
    }

    private func mode(_ path: String) throws -> Int {
        try #require(FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
    }

    @Test func aNewFileIsForItsOwnerOnly() async throws {
        let folder = try await ToolFolder()
        #expect(await Tool.result("show", folder.path, "large", "--output", target).code == .done)
        #expect(try mode(target) == 0o600)
    }

    @Test(arguments: [0o640, 0o755, 0o600]) func aFileThatIsReplacedKeepsItsMode(_ permissions: Int) async throws {
        let folder = try await ToolFolder()
        try Data("former".utf8).write(to: URL(filePath: target))
        chmod(target, mode_t(permissions))
        #expect(await Tool.result("show", folder.path, "large", "--output", target).code == .done)
        #expect(try mode(target) == permissions)
        #expect(try Data(contentsOf: URL(filePath: target)) == ToolFolder.samples[3].entry.body)
    }

    @Test(arguments: [true, false]) func aLinkStaysALinkAndItsFileIsWritten(_ exists: Bool) async throws {
        let folder = try await ToolFolder()
        if exists { try Data("former".utf8).write(to: URL(filePath: target)) }
        let link = scratch.path + "/link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "body")
        #expect(await Tool.result("show", folder.path, "large", "--output", link).code == .done)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "body")
        #expect(try Data(contentsOf: URL(filePath: target)) == ToolFolder.samples[3].entry.body)
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path).sorted() == ["body", "link"])
    }

    @Test func aPipeIsWrittenTo() async throws {
        let folder = try await ToolFolder()
        #expect(mkfifo(target, 0o600) == 0)
        async let read = offThread { [target] in
            let pipe = try FileHandle(forReadingFrom: URL(filePath: target))
            defer { try? pipe.close() }
            return try pipe.readToEnd()
        }
        #expect(await Tool.result("show", folder.path, "large", "--output", target).code == .done)
        #expect(try await read == ToolFolder.samples[3].entry.body)
        var status = stat()
        #expect(lstat(target, &status) == 0)
        #expect(status.st_mode & S_IFMT == S_IFIFO)
    }

    @Test func aDeviceIsWrittenTo() async throws {
        let folder = try await ToolFolder()
        let link = scratch.path + "/null"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "/dev/null")
        #expect(await Tool.result("show", folder.path, "large", "--output", link).code == .done)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "/dev/null")
        var status = stat()
        #expect(stat("/dev/null", &status) == 0)
        #expect(status.st_mode & S_IFMT == S_IFCHR)
    }

    @Test func aFolderIsRefused() async throws {
        let folder = try await ToolFolder()
        let result = await Tool.result("show", folder.path, "a", "--output", scratch.path)
        #expect(result.code == .unusable)
        #expect(result.errors.contains(scratch.path))
        #expect(scratch.files.isEmpty)
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP]) func nothingIsLeftWhereTheToolIsInterrupted(_ signal: CInt) async throws
    {
        // A pipe replaces the store's file: the tool waits for it with its own file half written.
        let folder = try await ToolFolder([
            ("film", CacheEntry(body: Data(repeating: 7, count: 64 << 20)))
        ])
        let status = try await offThread { [target, path = folder.path, scratch] in
            let process = try ChildProcess(command: [
                ChildProcess.executable("tango-cache"), "show", path, "film", "--output", target,
            ])
            // The first bytes of the temporary file show that the tool is writing it.
            while scratch.files.isEmpty, process.isRunning { sched_yield() }
            process.send(signal)
            return process.end()
        }
        let isDone = status == 0
        #expect(isDone || status & 0x7f == signal)
        #expect(scratch.files == (isDone ? ["body"] : []))
    }
}
