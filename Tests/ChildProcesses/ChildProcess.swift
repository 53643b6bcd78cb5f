import Foundation
import Synchronization

/// A process that a test has started, with its output as lines. The test can stop, kill and await it.
///
/// Its methods block: call them on a thread of their own. Foundation's `Process` is not used, because it reads beyond
/// its list of open descriptors if there are many, which may crash the tests.
package final class ChildProcess: Sendable {
    private struct State {
        var bytes: [UInt8] = []
        var isAtEnd = false
        var status: CInt?
    }

    package let identifier: pid_t
    private let output: CInt
    private let state = Mutex(State())
    /// Locked between the creation of a pipe and the mark that keeps child processes from inheriting it. Not every
    /// system has one call for both.
    private static let starting = Mutex(())

    /// Starts a program with arguments and additional environment variables.
    ///
    /// - Parameter input: The descriptor of its input; nil for none.
    /// - Parameter output: The descriptor of its output; nil for a pipe that the test reads.
    /// - Parameter errors: The descriptor of its errors; nil for that of the tests.
    package init(
        command: [String], environment: [String: String] = [:], input: CInt? = nil, output target: CInt? = nil,
        errors: CInt? = nil
    ) throws {
        let ends = try Self.pipe()
        var actions = Actions()
        defer { posix_spawn_file_actions_destroy(&actions.value) }
        posix_spawn_file_actions_adddup2(&actions.value, target ?? ends.writing, 1)
        if let errors { posix_spawn_file_actions_adddup2(&actions.value, errors, 2) }
        if let input {
            posix_spawn_file_actions_adddup2(&actions.value, input, 0)
        } else {
            posix_spawn_file_actions_addopen(&actions.value, 0, "/dev/null", O_RDONLY, 0)
        }
        #if os(Linux)
            actions.keepOthers()
        #endif
        let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        var arguments = command.map { strdup($0) } + [nil]
        var settings = variables.map { strdup("\($0)=\($1)") } + [nil]
        defer { for text in arguments + settings { free(text) } }
        var identifier: pid_t = 0
        let number = Self.starting.withLock { _ in
            posix_spawnp(&identifier, command[0], &actions.value, nil, &arguments, &settings)
        }
        close(ends.writing)
        guard number == 0 else {
            close(ends.reading)
            throw POSIXError(POSIXErrorCode(rawValue: number) ?? .ENOENT)
        }
        self.identifier = identifier
        output = ends.reading
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

        #if os(Linux)
            /// Closes all descriptors in the process except its input, output and errors, if the C library supports it.
            /// Otherwise a connection of another test would stay open while the process runs.
            mutating func keepOthers() {
                typealias CloseFrom = @convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, CInt) -> CInt
                // Swift does not see its declaration.
                guard let address = dlsym(nil, "posix_spawn_file_actions_addclosefrom_np") else { return }
                _ = unsafeBitCast(address, to: CloseFrom.self)(&value, 3)
            }
        #endif
    }

    /// A pipe that no other process inherits.
    package static func pipe() throws -> (reading: CInt, writing: CInt) {
        var ends: [CInt] = [0, 0]
        try starting.withLock { _ in
            guard Foundation.pipe(&ends) == 0 else { throw POSIXError(.EMFILE) }
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        }
        return (ends[0], ends[1])
    }

    /// Returns the path of an executable of the package, beside the tests.
    package static func executable(_ name: String) -> String {
        let bundles = Bundle.allBundles.map(\.bundleURL) + [Bundle.main.bundleURL]
        let places = [URL(fileURLWithPath: CommandLine.arguments[0])] + bundles
        for place in places {
            for folder in [place.deletingLastPathComponent(), place] {
                let path = folder.appendingPathComponent(name).path
                if FileManager.default.isExecutableFile(atPath: path) { return path }
            }
        }
        return name
    }

    /// Returns the next line, or nil at the end.
    package func line() -> String? {
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

    /// Returns all remaining lines.
    package func lines() -> [String] {
        var lines: [String] = []
        while let line = line() { lines.append(line) }
        return lines
    }

    package func send(_ signal: CInt) {
        if state.withLock({ $0.status == nil }) { kill(identifier, signal) }
    }

    /// A Boolean value that indicates whether the process is running.
    package var isRunning: Bool {
        state.withLock { state in
            guard state.status == nil else { return false }
            var status: CInt = 0
            if waitpid(identifier, &status, WNOHANG) == identifier { state.status = status }
            return state.status == nil
        }
    }

    /// Waits for the end and returns the status.
    @discardableResult
    package func end() -> CInt {
        state.withLock { state in
            if let status = state.status { return status }
            var status: CInt = 0
            while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
            state.status = status
            return status
        }
    }
}
