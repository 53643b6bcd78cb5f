import Foundation
import RedisStore
import Synchronization
import TangoCache
import Testing

/// Several processes with one server.
@Suite(.serialized, .enabled(if: RedisServer.isThere, Comment(rawValue: RedisServer.hint)))
struct FleetTests {
    /// A process of the fleet: see `RedisProcess`.
    private final class Member {
        private let process = Process()
        private let input = Pipe()
        private let output = Pipe()
        private var read = Data()

        init(_ configuration: RedisConfiguration, _ origin: URL, isTiered: Bool) throws {
            process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
                .appendingPathComponent("RedisProcess")
            let address = RedisServer.address ?? ""
            process.arguments = [address, configuration.prefix, origin.path, isTiered ? "tiered" : "plain"]
            process.standardInput = input
            process.standardOutput = output
            try process.run()
        }

        /// Lets the process make a request, and returns the version that it served.
        func serve(_ version: Int) throws -> Int {
            try input.fileHandleForWriting.write(contentsOf: Data("\(version)\n".utf8))
            while true {
                if let end = read.firstIndex(of: 10) {
                    defer { read = Data(read[(end + 1)...]) }
                    return Int(String(decoding: read[..<end], as: UTF8.self)) ?? -1
                }
                let more = output.fileHandleForReading.availableData
                if more.isEmpty { return -1 }
                read += more
            }
        }

        func end() throws {
            try input.fileHandleForWriting.close()
            process.waitUntilExit()
        }
    }

    @Test(arguments: [false, true]) func noProcessServesWhatAnotherHasSignedOut(_ isTiered: Bool) async throws {
        let configuration = try RedisServer.configuration()
        let origin = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: origin) }
        try Data("0".utf8).write(to: origin)
        let member = try Member(configuration, origin, isTiered: isTiered)
        let store = try RedisStore(configuration)
        var wrong: [String] = []
        for round in 1...signOutRounds {
            for _ in 0..<Int.random(in: 0..<200) { await Task.yield() }
            try Data("\(round)".utf8).write(to: origin, options: .atomic)
            try await store.remove(tag: "user")
            let served = try member.serve(round)
            if served < round { wrong.append("\(served) in round \(round)") }
        }
        #expect(wrong == [])
        try member.end()
        store.close()
    }

    @Test func oneProcessMakesAnEntryAndTheOthersWait() async throws {
        let configuration = try RedisServer.configuration()
        let stores = try (0..<8).map { _ in try RedisStore(configuration) }
        let made = Guarded(0)
        try await withThrowingTaskGroup(of: CacheEntry.self) { group in
            for number in 0..<64 {
                let store = stores[number % 8]
                group.addTask { [made] in
                    try await store.entry(for: "page", makingFor: .seconds(60)) {
                        made.change { $0 += 1 }
                        for _ in 0..<1_000 { await Task.yield() }
                        return CacheEntry(body: Data("page".utf8))
                    }
                }
            }
            for try await entry in group { #expect(entry.body == Data("page".utf8)) }
        }
        #expect(made.value == 1)
        for store in stores { store.close() }
    }

    @Test func aLockThatItsHolderLosesDoesNoHarm() async throws {
        let configuration = try RedisServer.configuration()
        let one = try RedisStore(configuration)
        let other = try RedisStore(configuration)
        let order = Guarded<[String]>([])
        let first = try await one.entry(for: "page", makingFor: .milliseconds(1)) {
            // The lock has expired meanwhile, so the other process makes the entry too.
            try await eventually { [other, order] in
                let second = try? await other.entry(for: "page", makingFor: .milliseconds(1)) {
                    order.change { $0.append("other") }
                    return CacheEntry(body: Data("other".utf8))
                }
                return second?.body == Data("other".utf8)
            }
            order.change { $0.append("one") }
            return CacheEntry(body: Data("one".utf8))
        }
        #expect(first.body == Data("one".utf8))
        #expect(order.value == ["other", "one"])
        #expect(try await other.get("page")?.body == Data("one".utf8))
        one.close()
        other.close()
    }

    @Test func anEntryThatIsRemovedWhileItIsMadeIsNotStored() async throws {
        let configuration = try RedisServer.configuration()
        let one = try RedisStore(configuration)
        let other = try RedisStore(configuration)
        let made = try await one.entry(for: "page", makingFor: .seconds(60)) {
            try await other.remove(tag: "pages")
            return CacheEntry(body: Data("old".utf8), tags: ["pages"])
        }
        #expect(made.body == Data("old".utf8))
        #expect(try await other.get("page") == nil)
        one.close()
        other.close()
    }

    @Test func memoryForgetsEverythingAfterAGapInTheFeed() async throws {
        let server = try TestServer()
        let redis = try RedisStore(server.configuration(), onEvent: { _ in })
        let store = TieredStore(over: redis)
        try await redis.untilReachable()
        let other = try RedisStore(server.configuration(), onEvent: { _ in })
        defer { other.close() }
        try await other.untilReachable()
        try await eventually {
            // Until the feed is subscribed, memory forgets what it has. A removal by another process that is followed alone
            // shows that it is.
            for key: CacheKey in ["a", "b"] { try? await store.set(CacheEntry(body: Data("old".utf8)), for: key) }
            guard store.peek("b") != nil, (try? await other.remove("b")) != nil else { return false }
            try? await eventually { store.peek("b") == nil }
            return store.peek("a") != nil
        }
        server.kill()
        try await eventually { !redis.health.isReachable && redis.health.interruptedFeeds > 0 }
        #expect(store.peek("a")?.body == Data("old".utf8))
        try server.start()
        try await eventually { store.peek("a") == nil }
        redis.close()
    }

    @Test func aStoppedServerSlowsRequestsByAtMostTheBudget() async throws {
        let server = try TestServer()
        let redis = try RedisStore(server.configuration(budget: .milliseconds(100)), onEvent: { _ in })
        let store = TieredStore(over: redis)
        try await redis.untilReachable()
        try await store.set(CacheEntry(body: Data("front".utf8)), for: "front")
        server.signal(SIGSTOP)
        var times: [Duration] = []
        for number in 0..<1_000 {
            let start = ContinuousClock.now
            _ = try? await store.get(CacheKey("\(number)"))
            times.append(ContinuousClock.now - start)
        }
        times.sort()
        print("with the server stopped: p50 \(times[500]), p99 \(times[990]), longest \(times[999])")
        // The number of operations that wait does not depend on how fast the machine is. The breaker opens at the first.
        #expect(times.count { $0 > .milliseconds(50) } <= 10)
        #expect(redis.health.timeouts >= 1)
        #expect(redis.health.refused >= 900)
        server.signal(SIGCONT)
        try await redis.untilReachable()
        try await store.set(CacheEntry(body: Data("a".utf8)), for: "a")
        redis.close()
    }
}
