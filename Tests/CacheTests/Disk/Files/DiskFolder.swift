import Foundation
import Synchronization

@testable import TangoCache

/// A unique folder below the temporary directory. It is removed with the last reference.
final class DiskFolder: Sendable {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.appendingPathComponent("tango-files-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    func file(_ name: String) -> String {
        "\(path)/\(name)"
    }

    var names: [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    }
}

/// Makes selected file system calls fail. Calls of each kind are counted from one.
final class DiskFaults: Sendable {
    struct Rule: Sendable {
        var call: FileFailure.Call
        var number: CInt
        /// Returns whether the call with this number fails.
        var when: @Sendable (Int) -> Bool
    }

    private struct State {
        var rules: [Rule] = []
        var counts: [FileFailure.Call: Int] = [:]
    }

    private let state = Mutex(State())

    /// A file system that fails according to the rules.
    var files: FileSystem {
        FileSystem(fault: { call, _, _ in self.ask(call) })
    }

    /// Makes calls fail from now on.
    func fail(_ call: FileFailure.Call, with number: CInt, when: @escaping @Sendable (Int) -> Bool = { _ in true }) {
        state.withLock { state in
            state.rules.append(Rule(call: call, number: number, when: when))
            state.counts = [:]
        }
    }

    private func ask(_ call: FileFailure.Call) -> CInt? {
        state.withLock { state in
            state.counts[call, default: 0] += 1
            let count = state.counts[call, default: 0]
            return state.rules.first { $0.call == call && $0.when(count) }?.number
        }
    }
}
