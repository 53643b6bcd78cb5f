import Foundation
import Harness

/// The same workloads with Node's native promises, where `node` is installed.
enum Node {
    static let group = "Node: native promises, for comparison (one thread, garbage collected)"

    enum Failure: Error {
        case absent
        case exited(code: Int32)
    }

    /// Runs `node-promises.mjs`.
    static func measure(rounds: Int) throws -> [ForeignRow] {
        let process = Process()
        let output = Pipe()
        process.executableURL = try executable()
        process.arguments = ["--expose-gc", script.path, String(rounds)]
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure.exited(code: process.terminationStatus) }
        return text.split(separator: "\n").compactMap { line in
            let cells = line.split(separator: "\t")
            guard cells.count == 2, let nanoseconds = Double(cells[1]) else { return nil }
            return ForeignRow(group: group, name: String(cells[0]), nanoseconds: nanoseconds)
        }
    }

    private static var script: URL {
        var directory = URL(fileURLWithPath: #filePath)
        for _ in 0..<3 { directory.deleteLastPathComponent() }
        return directory.appendingPathComponent("node-promises.mjs")
    }

    private static func executable() throws -> URL {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        for directory in path.split(separator: ":") {
            let candidate = URL(fileURLWithPath: String(directory)).appendingPathComponent("node")
            if FileManager.default.isExecutableFile(atPath: candidate.path) { return candidate }
        }
        throw Failure.absent
    }
}
