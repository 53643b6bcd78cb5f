import Foundation
import Synchronization
import TangoCache

@testable import RedisStore

/// A Redis server of one test, which the test may kill, stop and start again.
final class TestServer: Sendable {
    let port: Int
    /// A socket that reserves the port for this object, also while the server does not run.
    private let place: CInt
    /// The folder of its files.
    let folder: URL
    private let arguments: [String]
    private let process = Mutex<pid_t?>(nil)

    /// Starts a server.
    init(_ arguments: String...) throws {
        (place, port) = try Self.reservePort()
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("redis-\(UUID().uuidString)")
        self.arguments = arguments
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try start()
    }

    deinit {
        kill()
        close(place)
        try? FileManager.default.removeItem(at: folder)
    }

    func start() throws {
        let program = ProcessInfo.processInfo.environment["TANGO_REDIS_SERVER"] ?? "redis-server"
        let words =
            ["/usr/bin/env", program, "--bind", "127.0.0.1", "--port", "\(port)", "--dir", folder.path, "--save", ""]
            + ["--logfile", folder.appendingPathComponent("log").path] + arguments
        var pointers: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        defer { for pointer in pointers { free(pointer) } }
        var identifier: pid_t = 0
        let code = posix_spawn(&identifier, "/usr/bin/env", nil, nil, &pointers, environ)
        guard code == 0 else { throw CacheError(.system, "The server did not start.") }
        process.withLock { $0 = identifier }
    }

    func signal(_ number: Int32) {
        if let identifier = process.withLock({ $0 }) { _ = Glibc.kill(identifier, number) }
    }

    /// Ends the server at once, and waits for its end.
    func kill() {
        guard let identifier = process.withLock({ $0 }) else { return }
        signal(SIGKILL)
        var status: Int32 = 0
        waitpid(identifier, &status, 0)
        process.withLock { $0 = nil }
    }

    /// Returns a configuration for the server.
    func configuration(budget: Duration = .milliseconds(200)) throws -> RedisConfiguration {
        var configuration = try RedisConfiguration("redis://127.0.0.1:\(port)")
        configuration.prefix = "fault"
        configuration.budget = budget
        return configuration
    }

    /// Binds a socket to a free port. Redis shares the port, because neither socket is exclusive and this one does not listen.
    private static func reservePort() throws -> (place: CInt, port: Int) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var isShared: CInt = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &isShared, socklen_t(MemoryLayout<CInt>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                bind(descriptor, generic, size) == 0 && getsockname(descriptor, generic, &size) == 0
            }
        }
        guard isBound else {
            close(descriptor)
            throw CacheError(.system, "There is no free port.")
        }
        return (descriptor, Int(UInt16(bigEndian: address.sin_port)))
    }
}

/// Waits until a condition holds: for another process, which tells nothing.
func eventually(_ condition: @Sendable () async -> Bool) async throws {
    while !(await condition()) { try await Task.sleep(for: .milliseconds(5)) }
}

extension RedisStore {
    /// Waits until the server replies.
    func untilReachable() async throws {
        try await eventually { self.health.isReachable }
    }

    /// Returns whether a read succeeds and finds nothing.
    func isMissing(_ key: CacheKey) async -> Bool {
        do {
            return try await get(key) == nil
        } catch {
            return false
        }
    }

    /// Sends a command, whatever its reply is.
    func command(_ words: String...) async throws -> Reply {
        var commands = Commands()
        commands.add(words.map { Array($0.utf8) })
        return try await loop.perform(commands, within: .seconds(20))[0]
    }
}
