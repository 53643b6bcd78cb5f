import ChildProcesses
import Foundation

/// A finished run of `RequestProcess`: the facts that it printed, and its exit status.
struct RequestChild: Sendable {
    let facts: [String: String]
    let status: Int32
    let isKilled: Bool

    init(_ arguments: String..., environment: [String: String] = [:]) async throws {
        try await self.init(arguments, environment: environment)
    }

    init(_ arguments: [String], environment: [String: String] = [:]) async throws {
        let (lines, status) = try await withCheckedThrowingContinuation {
            (continuation: CheckedContinuation<([String], CInt), any Error>) in
            Thread.detachNewThread {
                continuation.resume(
                    with: Result {
                        let command = [ChildProcess.executable("RequestProcess")] + arguments
                        let process = try ChildProcess(command: command, environment: environment)
                        return (process.lines(), process.end())
                    })
            }
        }
        let pairs = lines.compactMap { line -> (String, String)? in
            guard let space = line.firstIndex(of: " ") else { return nil }
            return (String(line[..<space]), String(line[line.index(after: space)...]))
        }
        facts = Dictionary(pairs, uniquingKeysWith: { $1 })
        isKilled = status & 0x7f != 0
        self.status = status >> 8 & 0xff
    }

    subscript(_ name: String) -> String? { facts[name] }

    func number(_ name: String) -> Int? { facts[name].flatMap { Int($0) } }
}
