import Foundation
import RedisStore
import TangoCache

/// Compares the store with `redis-benchmark` on the server of TANGO_REDIS, in one run and with as many commands in flight.
///
///     .ci/redis swift run -c release --package-path Packages/RedisStore RedisBenchmark
///
/// Single reads are compared with GET, although each also verifies an entry and resumes a task. `getMany` sends the same
/// MGET as `redis-benchmark`, and a ZRANGE for the incarnation.
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
        // Alternately, and the best of five, because other processes may use the machine.
        var reference = (get: 0.0, mget: 0.0)
        var own = (get: 0.0, mget: 0.0)
        for _ in 0..<5 {
            reference.get = max(reference.get, try redisBenchmark(address, count, keys: 1))
            own.get = max(own.get, try await rate(count) { _ = try await store.get("key") })
            reference.mget = max(reference.mget, try redisBenchmark(address, count / 10, keys: 50) * 50)
            let keys = Array(repeating: CacheKey("key"), count: 50)
            own.mget = max(own.mget, try await rate(count / 10) { _ = try await store.getMany(keys) } * 50)
        }
        let sets = try await rate(count / 10) { try await store.set(entry, for: "key") }
        let front = TieredStore(over: store)
        _ = try await front.get("key")
        let memory = MemoryStore()
        try await memory.set(entry, for: "key")
        var hits = (alone: 0.0, tiered: 0.0)
        for _ in 0..<5 {
            hits.alone = max(hits.alone, try await rate(count * 5) { _ = try await memory.get("key") })
            hits.tiered = max(hits.tiered, try await rate(count * 5) { _ = try await front.get("key") })
        }
        func line(_ name: String, _ own: Double, _ of: String, _ reference: Double) {
            let ratio = Int(own * 100 / reference)
            print("\(name) \(Int(own)) entries/s, \(of) \(Int(reference)), ratio \(ratio) %")
        }
        line("get             ", own.get, "redis-benchmark", reference.get)
        line("getMany, 50 keys", own.mget, "redis-benchmark", reference.mget)
        print("set              \(Int(sets)) entries/s")
        line("TieredStore, in memory", hits.tiered, "MemoryStore alone", hits.alone)
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
    private static func redisBenchmark(_ address: String, _ count: Int, keys: Int) throws -> Double {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments =
            [
                "redis-benchmark", "-p", URLComponents(string: address)?.port.map { "\($0)" } ?? "6379",
                "-c", "\(connections)", "-P", "\(inFlight / connections)", "-n", "\(count)", "--csv",
                keys == 1 ? "GET" : "MGET",
            ] + Array(repeating: "benchmark:0:1:ekey", count: keys)
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        let fields = text.split(separator: "\n").last?.split(separator: ",") ?? []
        return fields.count > 1 ? Double(fields[1].filter { $0 != "\"" }) ?? 0 : 0
    }
}
