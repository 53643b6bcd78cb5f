import Foundation
import Synchronization

/// A process that a test has started: what it writes, line by line, and the way to stop, kill and await it.
///
/// Its methods block; call them inside `offThread`.
final class ChildProcess: Sendable {
    private struct State {
        var bytes: [UInt8] = []
        var isAtEnd = false
        var status: CInt?
    }

    private let identifier: pid_t
    private let output: CInt
    private let state = Mutex(State())

    /// Starts `CacheProcess`.
    convenience init(_ arguments: [String]) throws {
        try self.init(command: [Self.executable] + arguments)
    }

    init(command: [String]) throws {
        var ends: [CInt] = [0, 0]
        guard pipe(&ends) == 0 else { throw POSIXError(.EMFILE) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        var actions = Actions()
        defer { posix_spawn_file_actions_destroy(&actions.value) }
        posix_spawn_file_actions_adddup2(&actions.value, ends[1], 1)
        var arguments = command.map { strdup($0) }
        arguments.append(nil)
        defer { for argument in arguments { free(argument) } }
        var identifier: pid_t = 0
        let number = posix_spawnp(&identifier, command[0], &actions.value, nil, &arguments, environ)
        close(ends[1])
        guard number == 0 else {
            close(ends[0])
            throw POSIXError(POSIXErrorCode(rawValue: number) ?? .ENOENT)
        }
        self.identifier = identifier
        output = ends[0]
    }

    deinit {
        if state.withLock({ $0.status == nil }) {
            kill(identifier, SIGKILL)
            var status: CInt = 0
            waitpid(identifier, &status, 0)
        }
        close(output)
    }

    private struct Actions {
        #if canImport(Darwin)
            var value: posix_spawn_file_actions_t? = nil
        #else
            var value = posix_spawn_file_actions_t()
        #endif

        init() {
            posix_spawn_file_actions_init(&value)
        }
    }

    /// The executable beside the tests.
    static let executable: String = {
        let bundles = Bundle.allBundles.map(\.bundleURL) + [Bundle.main.bundleURL]
        let places = [URL(fileURLWithPath: CommandLine.arguments[0])] + bundles
        for place in places {
            let path = place.deletingLastPathComponent().appendingPathComponent("CacheProcess").path
            if FileManager.default.isExecutableFile(atPath: path) { return path }
            let inside = place.appendingPathComponent("CacheProcess").path
            if FileManager.default.isExecutableFile(atPath: inside) { return inside }
        }
        return "CacheProcess"
    }()

    /// The next line, nil at the end.
    func line() -> String? {
        state.withLock { state in
            while true {
                if let end = state.bytes.firstIndex(of: UInt8(ascii: "\n")) {
                    defer { state.bytes.removeSubrange(...end) }
                    return String(decoding: state.bytes[..<end], as: UTF8.self)
                }
                guard !state.isAtEnd else { return nil }
                let count = withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 1) { buffer in
                    let count = read(output, buffer.baseAddress, buffer.count)
                    if count > 0 { state.bytes.append(contentsOf: buffer[..<count]) }
                    return count
                }
                if count < 0, errno == EINTR { continue }
                if count <= 0 { state.isAtEnd = true }
            }
        }
    }

    /// All lines that are left.
    func lines() -> [String] {
        var lines: [String] = []
        while let line = line() { lines.append(line) }
        return lines
    }

    func send(_ signal: CInt) {
        if state.withLock({ $0.status == nil }) { kill(identifier, signal) }
    }

    /// Waits for the end, and returns the status.
    @discardableResult
    func end() -> CInt {
        state.withLock { state in
            if let status = state.status { return status }
            var status: CInt = 0
            while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
            state.status = status
            return status
        }
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
