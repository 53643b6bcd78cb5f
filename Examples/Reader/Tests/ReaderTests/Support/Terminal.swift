import Foundation

/// Runs the program as a user does, with a folder for all that it stores.
final class Terminal: Sendable {
    struct Result: Sendable {
        let status: Int32, output: String, errors: String
    }

    let folder: URL
    private let server: URL

    init(server: URL) throws {
        self.server = server
        folder = FileManager.default.temporaryDirectory.appending(path: "reader-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Runs a command to its end.
    func reader(_ arguments: String..., input: String = "") async throws -> Result {
        try await reader(arguments, input: input)
    }

    func reader(_ arguments: [String], input: String = "") async throws -> Result {
        let running = try Running(arguments, in: self, input: input)
        return await running.result()
    }

    /// Starts a command, and kills it as soon as it has written a text to standard error.
    func reader(_ arguments: String..., killedAfter text: String) async throws -> Result {
        let running = try Running(arguments, in: self, input: "")
        await running.kill(after: text)
        return await running.result()
    }

    /// A process, whose outputs are read on threads that may block.
    private final class Running: Sendable {
        private let process = Process()
        private let output = Pipe(), errors = Pipe(), input = Pipe()
        private let remaining: Task<String, Never>

        init(_ arguments: [String], in terminal: Terminal, input text: String) throws {
            process.executableURL = Terminal.program
            process.arguments = ["--data", terminal.folder.appending(path: "data").path] + arguments
            process.currentDirectoryURL = terminal.folder
            var environment = ProcessInfo.processInfo.environment
            environment["READER_SERVER"] = "\(terminal.server)"
            // Otherwise, progress bars write nothing.
            environment["CI"] = nil
            process.environment = environment
            process.standardOutput = output
            process.standardError = errors
            process.standardInput = input
            try process.run()
            input.fileHandleForWriting.write(Data(text.utf8))
            try input.fileHandleForWriting.close()
            let output = output.fileHandleForReading
            remaining = Task.detached { String(decoding: output.readDataToEndOfFile(), as: UTF8.self) }
        }

        func kill(after text: String) async {
            let handle = errors.fileHandleForReading
            await Task.detached {
                var seen = ""
                while !seen.contains(text) {
                    let portion = handle.availableData
                    if portion.isEmpty { return }
                    seen += String(decoding: portion, as: UTF8.self)
                }
            }.value
            Foundation.kill(process.processIdentifier, SIGKILL)
        }

        func result() async -> Result {
            let handle = errors.fileHandleForReading
            let process = process
            let errors = await Task.detached { handle.readDataToEndOfFile() }.value
            let output = await remaining.value
            await Task.detached { process.waitUntilExit() }.value
            return Result(
                status: process.terminationStatus, output: output, errors: String(decoding: errors, as: UTF8.self))
        }
    }

    /// The executable, which is built beside the tests.
    private static let program: URL = {
        let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL
        let tests = bundle ?? URL(filePath: CommandLine.arguments[0])
        return tests.deletingLastPathComponent().appending(path: "reader")
    }()
}
