import ChildProcesses
import Foundation

extension ChildProcess {
    /// Starts `CacheProcess`.
    convenience init(_ arguments: [String]) throws {
        try self.init(command: [Self.executable("CacheProcess")] + arguments)
    }
}

/// Does what blocks on a thread of its own: those of the pools are needed by what it waits for.
func offThread<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result { try work() }) }
    }
}

/// Whether the tests may take hours: for whoever sets `TANGO_LONG=1`.
let isLongRun = ProcessInfo.processInfo.environment["TANGO_LONG"] == "1"
