import CacheConformance
import Foundation
import TangoCache
import Testing

@testable import RedisStore

/// A server that fails. No fault makes the store return an old entry, or slow for longer than the budget, and it recovers
/// by itself.
@Suite(.serialized, .enabled(if: RedisServer.isThere, Comment(rawValue: RedisServer.hint)))
struct FaultTests {
    /// The operations during each fault.
    private static let count = 10_000

    enum Fault: CaseIterable, Sendable {
        case kill, stop, pause, restartWithData, restartWithoutData

        var arguments: [String] { self == .restartWithData ? ["--appendonly", "yes", "--appendfsync", "no"] : [] }

        func happen(to server: TestServer, _ store: RedisStore) async throws {
            switch self {
            case .kill: server.kill()
            case .stop: server.signal(SIGSTOP)
            case .pause: _ = try? await store.command("CLIENT", "PAUSE", "600")
            case .restartWithData, .restartWithoutData:
                server.kill()
                try server.start()
            }
        }

        func end(on server: TestServer) throws {
            switch self {
            case .kill: try server.start()
            case .stop: server.signal(SIGCONT)
            case .pause, .restartWithData, .restartWithoutData: break
            }
        }
    }

    @Test(arguments: Fault.allCases) func noOldEntryIsReturnedAndTheStoreRecovers(_ fault: Fault) async throws {
        let server =
            fault == .restartWithData ? try TestServer("--appendonly", "yes", "--appendfsync", "no") : try TestServer()
        let store = try RedisStore(server.configuration(), onEvent: { _ in })
        try await store.untilReachable()
        let workload = Workload(store)
        async let work: Void = workload.run(Self.count)
        try await eventually { workload.hits > 50 }
        try await fault.happen(to: server, store)
        if fault != .pause { try await eventually { !store.health.isReachable || store.health.outages > 0 } }
        try fault.end(on: server)
        await work
        try await store.untilReachable()
        let outages = store.health.outages
        #expect(outages >= 1)
        // The same keys again. Entries from before the fault must be the newest ones.
        await workload.run(Self.count)
        #expect(workload.mistakes == [])
        try await eventually { store.health.owedRemovals == 0 }
        try await store.set(CacheEntry(body: Data("a".utf8)), for: "a")
        #expect(try await store.get("a")?.body == Data("a".utf8))
        store.close()
    }

    @Test func entriesFromBeforeARestartAreNotTrusted() async throws {
        let server = try TestServer("--appendonly", "yes", "--appendfsync", "always")
        let store = try RedisStore(server.configuration(budget: .seconds(5)), onEvent: { _ in })
        try await store.untilReachable()
        try await store.set(CacheEntry(body: Data("old".utf8), tags: ["user"]), for: "a")
        server.kill()
        try await eventually { !store.health.isReachable }
        try server.start()
        try await store.untilReachable()
        #expect(try await store.command("EXISTS", "fault:0:1:ea") == .integer(1))
        #expect(try await store.get("a") == nil)
        store.close()
    }

    @Test func aRemovalThatFailedIsRepeatedAndHidesItsEntries() async throws {
        let server = try TestServer()
        let store = try RedisStore(server.configuration(), onEvent: { _ in })
        let other = try RedisStore(server.configuration(budget: .seconds(5)), onEvent: { _ in })
        try await store.untilReachable()
        try await other.untilReachable()
        for name in ["a", "b", "c/1"] {
            try await store.set(
                CacheEntry(body: Data(name.utf8), tags: name == "b" ? ["user"] : []), for: CacheKey(name))
        }
        server.signal(SIGSTOP)
        await #expect(throws: CacheError.self) { try await store.remove("a") }
        await #expect(throws: CacheError.self) { try await store.remove(tag: "user") }
        await #expect(throws: CacheError.self) { try await store.remove(prefix: "c/") }
        #expect(store.health.owedRemovals == 3)
        server.signal(SIGCONT)
        try await store.untilReachable()
        try await eventually { store.health.owedRemovals == 0 }
        for key in ["a", "b", "c/1"] as [CacheKey] {
            #expect(try await store.get(key) == nil)
            try await eventually { await other.isMissing(key) }
        }
        store.close()
        other.close()
    }

    @Test(arguments: [
        "noeviction", "allkeys-lru", "allkeys-lfu", "allkeys-random", "volatile-lru", "volatile-lfu", "volatile-random",
        "volatile-ttl",
    ])
    func anEvictingServerLosesEntriesButReturnsNoOldOnes(_ policy: String) async throws {
        let server = try TestServer("--maxmemory", "3mb", "--maxmemory-policy", policy)
        let store = try RedisStore(server.configuration(budget: .seconds(5)), onEvent: { _ in })
        try await store.untilReachable()
        let workload = Workload(store)
        await workload.run(Self.count)
        #expect(workload.mistakes == [])
        #expect(workload.hits > 0)
        store.close()
    }

    @Test func pinnedEntriesStayOnAServerThatEvictsVolatileKeys() async throws {
        let server = try TestServer("--maxmemory", "8mb", "--maxmemory-policy", "volatile-lru")
        let store = try RedisStore(server.configuration(budget: .seconds(5)), onEvent: { _ in })
        try await store.untilReachable()
        try await store.set(CacheEntry(body: Data("pin".utf8), pinned: true), for: "pinned")
        for number in 0..<400 {
            try await store.set(CacheEntry(body: Data(repeating: 1, count: 50_000)), for: "\(number)")
        }
        #expect(try await store.get("pinned")?.body == Data("pin".utf8))
        // The server chooses among samples, so any of the others may be gone.
        var present = 0
        for number in 0..<400 where try await store.get("\(number)") != nil { present += 1 }
        #expect(present < 400)
        store.close()
    }

    @Test func anEvictedIndexInvalidatesAllEntries() async throws {
        let server = try TestServer()
        let store = try RedisStore(server.configuration(budget: .seconds(5)), onEvent: { _ in })
        try await store.untilReachable()
        try await store.set(CacheEntry(body: Data("a".utf8), tags: ["user"]), for: "a")
        let moment = try #require(try await store.moment())
        _ = try await store.command("DEL", "fault:0:1:i")
        #expect(try await store.get("a") == nil)
        try await store.set(CacheEntry(body: Data("b".utf8)), for: "b")
        #expect(try await store.get("a") == nil)
        #expect(try await store.get("b") != nil)
        #expect(try await store.set(CacheEntry(body: Data("c".utf8)), for: "c", unlessRemovedSince: moment) == false)
        try await store.maintain()
        #expect(try await store.command("EXISTS", "fault:0:1:ea") == .integer(0))
        #expect(try await store.command("EXISTS", "fault:0:1:eb") == .integer(1))
        store.close()
    }

    @Test func anEvictedLogRefusesWhatBeganBefore() async throws {
        let server = try TestServer()
        let store = try RedisStore(server.configuration(budget: .seconds(5)), onEvent: { _ in })
        try await store.untilReachable()
        let moment = try #require(try await store.moment())
        _ = try await store.command("DEL", "fault:0:1:l")
        #expect(try await store.set(CacheEntry(body: Data("a".utf8)), for: "a", unlessRemovedSince: moment) == false)
        let later = try #require(try await store.moment())
        #expect(try await store.set(CacheEntry(body: Data("a".utf8)), for: "a", unlessRemovedSince: moment) == false)
        #expect(try await store.set(CacheEntry(body: Data("a".utf8)), for: "a", unlessRemovedSince: later))
        store.close()
    }

    @Test func aKeyOfTheWrongTypeIsAMissAndIsReplaced() async throws {
        let server = try TestServer()
        let store = try RedisStore(server.configuration(budget: .seconds(5)), onEvent: { _ in })
        try await store.untilReachable()
        try await store.set(CacheEntry(body: Data()), for: "z")
        _ = try await store.command("RPUSH", "fault:0:1:ea", "x")
        _ = try await store.command("SET", "fault:0:1:eb", "T1 is not an entry, although it begins like one, or is it?")
        #expect(try await store.get("a") == nil)
        #expect(try await store.getMany(["a", "b"]).allSatisfy { $0 == nil })
        for key in ["a", "b"] as [CacheKey] {
            try await store.set(CacheEntry(body: Data("new".utf8), tags: ["t"]), for: key)
            #expect(try await store.get(key)?.body == Data("new".utf8))
        }
        #expect(store.health.damaged == 2)
        _ = try await store.command("DEL", "fault:0:1:i")
        _ = try await store.command("SET", "fault:0:1:i", "x")
        let error = await #expect(throws: CacheError.self) {
            try await store.set(CacheEntry(body: Data()), for: "a")
        }
        #expect(error?.message.contains("another prefix") == true)
        store.close()
    }

    @Test(arguments: ["wrong", nil]) func aWrongPasswordIsReportedWithoutIt(_ password: String?) async throws {
        let server = try TestServer("--requirepass", "right")
        var configuration = try server.configuration(budget: .seconds(5))
        configuration.password = "right"
        let right = try RedisStore(configuration, onEvent: { _ in })
        try await right.untilReachable()
        try await right.set(CacheEntry(body: Data()), for: "a")
        configuration.password = password
        let store = try RedisStore(configuration, onEvent: { _ in })
        try await eventually { store.health.lastFailure != nil }
        // Later operations fail at once, for the same reason.
        for _ in 0..<2 {
            let error = await #expect(throws: CacheError.self) { try await store.get("a") }
            #expect(error?.code == .refused)
            #expect(error?.message.contains("Check the user name and the password.") == true)
            #expect(error?.message.contains("wrong") == false)
        }
        store.close()
        right.close()
    }

    @Test func aServerWithoutAProcessFailsAtOnce() async throws {
        let server = try TestServer()
        server.kill()
        let store = try RedisStore(server.configuration(), onEvent: { _ in })
        for _ in 0..<100 {
            let error = await #expect(throws: CacheError.self) { try await store.get("a") }
            #expect(error?.code == .unreachable)
        }
        #expect(store.health.isReachable == false)
        store.close()
        let error = await #expect(throws: CacheError.self) { try await store.get("a") }
        #expect(error?.code == .closed)
    }

    @Test(arguments: FaultyProxy.Fault.allCases)
    func spoiledRepliesNeverBecomeEntries(_ fault: FaultyProxy.Fault) async throws {
        let server = try TestServer()
        let direct = try RedisStore(server.configuration(), onEvent: { _ in })
        try await direct.untilReachable()
        let proxy = try FaultyProxy(to: server.port, fault)
        var configuration = try RedisConfiguration("redis://127.0.0.1:\(proxy.port)")
        configuration.prefix = "fault"
        configuration.budget = .milliseconds(200)
        let store = try RedisStore(configuration, onEvent: { _ in })
        try await store.untilReachable()
        let workload = Workload(store)
        proxy.spoil(true)
        while proxy.count < 5 { await workload.run(Self.count) }
        proxy.spoil(false)
        try await store.untilReachable()
        await workload.run(Self.count)
        // A spoiled reply may say that a change was made which was not: the replies to changes have no checksum.
        let mistakes =
            fault.isLie ? workload.mistakes.filter { $0.contains("another key") } : workload.mistakes
        #expect(mistakes == [])
        #expect(workload.hits > 0)
        store.close()
        direct.close()
        proxy.close()
    }

    @Test func aFullServerRefusesEntriesAndStillReadsAndRemoves() async throws {
        let server = try TestServer("--maxmemory", "4mb", "--maxmemory-policy", "noeviction")
        let store = try RedisStore(server.configuration(budget: .seconds(5)), onEvent: { _ in })
        try await store.untilReachable()
        let entry = CacheEntry(body: Data(repeating: 1, count: 20_000), tags: ["t"])
        var stored = 0
        let error = await #expect(throws: CacheError.self) {
            while true {
                try await store.set(entry, for: CacheKey("\(stored)"))
                stored += 1
            }
        }
        #expect(error?.message.contains("maxmemory") == true)
        #expect(stored > 10)
        // The refused command took memory too, which is free again. Now even a small entry finds none.
        _ = try await store.command("CONFIG", "SET", "maxmemory", "2mb")
        #expect(try await store.get("0")?.body == entry.body)
        await #expect(throws: CacheError.self) { try await store.set(CacheEntry(body: Data([2])), for: "0") }
        #expect(try await store.get("0")?.body == entry.body)
        try await store.remove("0")
        #expect(try await store.remove(tag: "t") == stored - 1)
        #expect(store.health.owedRemovals == 0)
        // The server frees memory in the background.
        try await eventually { (try? await store.set(entry, for: "a")) != nil }
        store.close()
    }

    /// The commands that the article lists.
    private static func commands() throws -> [String] {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let article = root.appendingPathComponent("Sources/RedisStore/RedisStore.docc/RedisStore.md")
        let blocks = try String(contentsOf: article, encoding: .utf8).components(separatedBy: "```")
        let block = try #require(blocks.first { $0.contains("ZRANGEBYLEX") })
        return block.split(whereSeparator: \.isWhitespace).filter { $0 != "text" }.map { $0.lowercased() }
    }

    @Test func aUserNeedsOnlyTheCommandsOfTheArticle() async throws {
        let server = try TestServer()
        let admin = try RedisStore(server.configuration(budget: .seconds(5)), onEvent: { _ in })
        try await admin.untilReachable()
        let names = try Self.commands().map { "+\($0)" }
        #expect(names.count > 20)
        var rules = Commands()
        rules.add(
            (["ACL", "SETUSER", "app", "on", ">password", "resetchannels", "~fault:*", "&fault:*"] + names)
                .map { Array($0.utf8) })
        #expect(try await admin.loop.perform(rules, within: .seconds(5))[0].text == "OK")
        var configuration = try server.configuration(budget: .seconds(20))
        configuration.username = "app"
        configuration.password = "password"
        configuration.database = 3
        let own = configuration
        try await CacheStoreConformance.check { try RedisStore(own, onEvent: { _ in }) }
        let store = try RedisStore(own, onEvent: { _ in })
        try await store.maintain()
        let made = try await store.entry(for: "a", makingFor: .seconds(5)) { CacheEntry(body: Data([1])) }
        #expect(made.body == Data([1]))
        store.close()
        admin.close()
    }

    @Test func entriesNeedAsMuchMemoryAsTheArticleSays() async throws {
        let server = try TestServer()
        let store = try RedisStore(server.configuration(budget: .seconds(5)), onEvent: { _ in })
        try await store.untilReachable()
        func used() async throws -> Int {
            let lines = try await store.command("INFO", "memory").text?.split(whereSeparator: \.isNewline) ?? []
            return lines.first { $0.hasPrefix("used_memory:") }.flatMap { Int($0.dropFirst(12)) } ?? 0
        }
        var last = try await used()
        var needed: [Int] = []
        for tags in [[], ["user 1"]] as [Set<String>] {
            for number in 0..<2_000 {
                let key = CacheKey("https://example.com/users/\(number)?\(tags.count)")
                try await store.set(CacheEntry(body: Data(repeating: 1, count: 1_000), tags: tags), for: key)
            }
            let now = try await used()
            needed.append((now - last) / 2_000)
            last = now
        }
        print("bytes for an entry of 1000 bytes without and with a tag: \(needed)")
        #expect((1_400...1_750).contains(needed[0]))
        #expect(needed[1] - needed[0] < 150)
        store.close()
    }

    @Test func aStoppedServerIgnoresASetThatItFindsTooLate() async throws {
        let server = try TestServer()
        let store = try RedisStore(server.configuration(), onEvent: { _ in })
        try await store.untilReachable()
        try await store.set(CacheEntry(body: Data("a".utf8)), for: "early")
        server.signal(SIGSTOP)
        await #expect(throws: CacheError.self) { try await store.set(CacheEntry(body: Data("a".utf8)), for: "late") }
        server.signal(SIGCONT)
        try await store.untilReachable()
        #expect(try await store.command("EXISTS", "fault:0:1:eearly") == .integer(1))
        #expect(try await store.command("EXISTS", "fault:0:1:elate") == .integer(0))
        store.close()
    }

    @Test func flushedScriptsAreSentAgain() async throws {
        let server = try TestServer()
        let store = try RedisStore(server.configuration(budget: .seconds(5)), onEvent: { _ in })
        try await store.untilReachable()
        _ = try await store.command("SCRIPT", "FLUSH")
        try await store.set(CacheEntry(body: Data("a".utf8)), for: "a")
        #expect(try await store.get("a") != nil)
        store.close()
    }
}
