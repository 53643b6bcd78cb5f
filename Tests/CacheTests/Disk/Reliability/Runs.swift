import ChildProcesses
import Foundation

extension ChildProcess {
    /// Starts `CacheProcess`.
    convenience init(_ arguments: [String]) throws {
        try self.init(command: [Self.executable("CacheProcess")] + arguments)
    }
}

/// Runs blocking work on a thread of its own, because the work waits for threads of the pools.
func offThread<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result { try work() }) }
    }
}

/// A Boolean value that indicates whether the tests may take hours. Set `TANGO_LONG=1` for that.
let isLongRun = ProcessInfo.processInfo.environment["TANGO_LONG"] == "1"
