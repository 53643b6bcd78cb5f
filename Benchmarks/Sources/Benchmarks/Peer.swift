import Foundation
import Harness

/// Another program that runs the same workloads by other means, and prints its times as JSON.
struct Peer {
    enum Failure: Error {
        case absent
        case exited(code: Int32)
    }

    static let node = Peer(
        name: "Node", group: "Node: native promises, for comparison (one thread, garbage collected)",
        executable: "node", arguments: ["--expose-gc"], script: "node-promises.mjs")

    static let diskcache = Peer(
        name: "python-diskcache", group: "python-diskcache, for comparison (a cache in SQLite and files)",
        executable: "python3", arguments: [], script: "diskcache-peer.py")

    let name: String
    let group: String
    let executable: String
    let arguments: [String]
    let script: String

    /// Runs the program, with the number of rounds and the folder for its files as its last arguments.
    func measure(rounds: Int, folder: String) throws -> [ForeignRow] {
        let process = Process()
        let output = Pipe()
        process.executableURL = try found()
        process.arguments = arguments + [Files.package.appendingPathComponent(script).path, String(rounds), folder]
        process.standardOutput = output
        try process.run()
        let text = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        // The agreed exit code of a program that lacks a dependency.
        if process.terminationStatus == 3 { throw Failure.absent }
        guard process.terminationStatus == 0 else { throw Failure.exited(code: process.terminationStatus) }
        return try JSONDecoder().decode([Line].self, from: text).map { line in
            ForeignRow(group: group, name: line.name, nanoseconds: line.nanoseconds)
        }
    }

    private struct Line: Decodable {
        let name: String
        let nanoseconds: Double
    }

    private func found() throws -> URL {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        for directory in path.split(separator: ":") {
            let candidate = URL(fileURLWithPath: String(directory)).appendingPathComponent(executable)
            if FileManager.default.isExecutableFile(atPath: candidate.path) { return candidate }
        }
        throw Failure.absent
    }
}
