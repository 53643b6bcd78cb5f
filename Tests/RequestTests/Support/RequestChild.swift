import Foundation

/// A run of `RequestProcess`: what it has told, and how it ended.
struct RequestChild: Sendable {
    let facts: [String: String]
    let status: Int32
    let isKilled: Bool

    init(_ arguments: String..., environment: [String: String] = [:]) async throws {
        let (output, status, isKilled) = try await withCheckedThrowingContinuation {
            (continuation: CheckedContinuation<(Data, Int32, Bool), any Error>) in
            Thread.detachNewThread {
                continuation.resume(with: Result { try Self.run(arguments, environment) })
            }
        }
        let lines = String(decoding: output, as: UTF8.self).split(separator: "\n")
        let pairs = lines.compactMap { line -> (String, String)? in
            guard let space = line.firstIndex(of: " ") else { return nil }
            return (String(line[..<space]), String(line[line.index(after: space)...]))
        }
        facts = Dictionary(pairs, uniquingKeysWith: { $1 })
        self.status = status
        self.isKilled = isKilled
    }

    subscript(_ name: String) -> String? { facts[name] }

    func number(_ name: String) -> Int? { facts[name].flatMap { Int($0) } }

    private static func run(_ arguments: [String], _ environment: [String: String]) throws -> (Data, Int32, Bool) {
        let process = Process()
        let output = Pipe()
        process.executableURL = executable
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardOutput = output
        try process.run()
        let bytes = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (bytes, process.terminationStatus, process.terminationReason == .uncaughtSignal)
    }

    /// The executable beside the tests.
    private static let executable: URL = {
        let bundles = Bundle.allBundles.map(\.bundleURL) + [Bundle.main.bundleURL]
        let places = [URL(fileURLWithPath: CommandLine.arguments[0])] + bundles
        for place in places {
            for folder in [place.deletingLastPathComponent(), place] {
                let url = folder.appendingPathComponent("RequestProcess")
                if FileManager.default.isExecutableFile(atPath: url.path) { return url }
            }
        }
        return URL(fileURLWithPath: "RequestProcess")
    }()
}
