import Foundation
import RedisStore
import TangoCache

/// Compares the store with `redis-benchmark` on the server of TANGO_REDIS, in one run and with as many commands in flight.
///
///     .ci/redis swift run -c release --package-path Packages/RedisStore RedisBenchmark
///
/// A `get` consists of two commands: GET, and ZRANGE for the incarnation. The rate of the store is given in `get`s and in
/// commands.
@main
struct RedisBenchmark {
    static let connections = 2
    static let inFlight = 64

    static func main() async throws {
        let address = ProcessInfo.processInfo.environment["TANGO_REDIS"] ?? "redis://127.0.0.1:6379"
        var configuration = try RedisConfiguration(address)
        configuration.prefix = "benchmark"
        configuration.connections = connections
        configuration.budget = .seconds(20)
        let store = try RedisStore(configuration)
        let entry = CacheEntry(body: Data(repeating: 7, count: 1_000))
        try await store.set(entry, for: "key")
        let count = Int(CommandLine.arguments.dropFirst().first ?? "") ?? 200_000
        // Alternately, and the best of three, because other processes may use the machine.
        var reference = 0.0
        var gets = 0.0
        for _ in 0..<3 {
            reference = max(reference, try redisBenchmark(address, count))
            gets = max(gets, try await rate(count) { _ = try await store.get("key") })
        }
        let many = try await rate(count / 50) { _ = try await store.getMany(Array(repeating: "key", count: 50)) } * 50
        let sets = try await rate(count / 10) { try await store.set(entry, for: "key") }
        let front = TieredStore(over: store)
        _ = try await front.get("key")
        let hits = try await rate(count) { _ = try await front.get("key") }
        print("redis-benchmark GET    \(Int(reference)) commands/s")
        print("store.get              \(Int(gets)) gets/s, \(Int(gets * 2)) commands/s")
        print("store.getMany of 50    \(Int(many)) entries/s")
        print("store.set              \(Int(sets)) sets/s")
        print("TieredStore, in memory \(Int(hits)) gets/s")
        print("ratio of commands      \(Int(gets * 200 / reference)) %")
        print("ratio of gets          \(Int(gets * 100 / reference)) %")
        try await store.removeAll()
        store.close()
    }

    /// Returns the operations in a second, with 64 of them in flight.
    private static func rate(_ count: Int, _ body: @escaping @Sendable () async throws -> Void) async throws -> Double {
        let start = ContinuousClock.now
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<inFlight {
                group.addTask { for _ in 0..<count / inFlight { try await body() } }
            }
            for try await _ in group {}
        }
        let (seconds, attoseconds) = (ContinuousClock.now - start).components
        return Double(count / inFlight * inFlight) / (Double(seconds) + Double(attoseconds) * 1e-18)
    }

    /// Returns the commands in a second of `redis-benchmark`.
    private static func redisBenchmark(_ address: String, _ count: Int) throws -> Double {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "redis-benchmark", "-p", URLComponents(string: address)?.port.map { "\($0)" } ?? "6379",
            "-c", "\(connections)", "-P", "\(inFlight / connections)", "-n", "\(count)", "--csv", "GET", "benchmark:0:1:ekey",
        ]
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        let fields = text.split(separator: "\n").last?.split(separator: ",") ?? []
        return fields.count > 1 ? Double(fields[1].filter { $0 != "\"" }) ?? 0 : 0
    }
}
