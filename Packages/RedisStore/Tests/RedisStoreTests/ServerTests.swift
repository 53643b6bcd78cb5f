import Foundation
import TangoCache
import Testing

@testable import RedisStore

/// A server that is healthy, and yet refuses commands or is replaced by another one.
@Suite(.serialized, .enabled(if: RedisServer.isThere, Comment(rawValue: RedisServer.hint)))
struct ServerTests {
    private func configuration(_ port: Int, budget: Duration = .seconds(5)) throws -> RedisConfiguration {
        var configuration = try RedisConfiguration("redis://127.0.0.1:\(port)")
        configuration.prefix = "fault"
        configuration.budget = budget
        return configuration
    }

    // MARK: The clock

    /// Returns a reply with all times set back.
    private static func setBack(_ bytes: [UInt8], by seconds: Int) -> [UInt8] {
        var bytes = bytes
        let start = Array("*2\r\n$10\r\n".utf8)
        for place in bytes.indices.dropLast(start.count + 9) where bytes[place...].starts(with: start) {
            let range = place + start.count..<place + start.count + 10
            if let time = Int(String(decoding: bytes[range], as: UTF8.self)) {
                bytes.replaceSubrange(range, with: "\(time - seconds)".utf8)
            }
        }
        return bytes
    }

    @Test(arguments: [10, 100_000])
    func entriesAreStoredAfterTheServersClockWasSetForward(_ seconds: Int) async throws {
        let server = try TestServer()
        let isEarly = Guarded(true)
        // The store connects at the earlier time.
        let proxy = try Proxy(to: server.port) { bytes, _ in
            Proxy.Passed(bytes: isEarly.value ? Self.setBack(bytes, by: seconds) : bytes)
        }
        let store = try RedisStore(configuration(proxy.port), onEvent: { _ in })
        try await eventually { store.health.connects == store.configuration.connections }
        isEarly.change { $0 = false }
        for key in ["a", "b"] as [CacheKey] {
            try await store.set(CacheEntry(body: Data("new".utf8)), for: key)
            #expect(try await store.get(key) != nil)
        }
        let writer = try await store.writer(for: "c", entry: CacheEntry(body: Data()))
        try await writer.write(Data("new".utf8))
        try await writer.commit()
        #expect(try await store.get("c") != nil)
        #expect(store.health.outages == 0)
        store.close()
        proxy.close()
    }

    @Test func aClockThatAlwaysDisagreesFailsTheOperation() async throws {
        let server = try TestServer()
        let proxy = try Proxy(to: server.port) { bytes, _ in Proxy.Passed(bytes: Self.setBack(bytes, by: 10)) }
        let store = try RedisStore(configuration(proxy.port), onEvent: { _ in })
        try await store.untilReachable()
        let error = await #expect(throws: CacheError.self) {
            try await store.set(CacheEntry(body: Data()), for: "a")
        }
        #expect(error?.code == .unreachable)
        #expect(try await store.get("a") == nil)
        store.close()
        proxy.close()
    }

    // MARK: Refusals

    @Test(arguments: ["redis_mode:cluster", "redis_mode:sentinel", "server_mode:cluster", "server_mode:sentinel"])
    func clustersAndSentinelsAreRefused(_ mode: String) async throws {
        let server = try TestServer()
        let proxy = try Proxy(to: server.port) { bytes, _ in
            var bytes = bytes
            for standalone in ["redis_mode:standalone", "server_mode:standalone"].map({ Array($0.utf8) }) {
                for place in bytes.indices where bytes[place...].starts(with: standalone) {
                    // The reply keeps its length.
                    let filler = String(repeating: "\n", count: standalone.count - mode.utf8.count)
                    bytes.replaceSubrange(place..<place + standalone.count, with: "\(mode)\(filler)".utf8)
                }
            }
            return Proxy.Passed(bytes: bytes)
        }
        let store = try RedisStore(configuration(proxy.port), onEvent: { _ in })
        try await eventually { store.health.lastFailure?.code == .refused }
        #expect(store.health.lastFailure?.message.contains("cluster") == true)
        #expect(store.health.isReachable == false)
        store.close()
        proxy.close()
    }

    @Test func aDatabaseThatTheServerLacksIsReported() async throws {
        let server = try TestServer()
        var configuration = try configuration(server.port)
        configuration.database = 99
        let store = try RedisStore(configuration, onEvent: { _ in })
        try await eventually { store.health.lastFailure?.code == .refused }
        #expect(store.health.lastFailure?.message.contains("database") == true)
        store.close()
    }

    @Test func aScriptThatBlocksTheServerIsReported() async throws {
        let server = try TestServer("--lua-time-limit", "10")
        let store = try RedisStore(configuration(server.port), onEvent: { _ in })
        try await store.untilReachable()
        let blocked = try RawConnection(to: server.port)
        try blocked.send("EVAL 'while true do end' 0")
        // Until the server has noticed that the script is slow, commands wait.
        let error = await #expect(throws: CacheError.self) {
            while true { _ = try await store.get("a") }
        }
        #expect(error?.code == .refused)
        #expect(error?.message.contains("SCRIPT KILL") == true)
        #expect(try RawConnection(to: server.port).reply(to: "SCRIPT KILL") == "+OK")
        try await eventually { await store.isMissing("a") }
        store.close()
    }

    @Test func aUserWhoMayNotPublishIsReported() async throws {
        let server = try TestServer()
        let admin = try RedisStore(configuration(server.port), onEvent: { _ in })
        try await admin.untilReachable()
        _ = try await admin.command("ACL", "SETUSER", "app", "on", ">password", "~*", "resetchannels", "+@all")
        var configuration = try configuration(server.port)
        configuration.username = "app"
        configuration.password = "password"
        let store = try RedisStore(configuration, onEvent: { _ in })
        try await store.untilReachable()
        let error = await #expect(throws: CacheError.self) {
            try await store.set(CacheEntry(body: Data()), for: "a")
        }
        #expect(error?.code == .refused)
        #expect(error?.message.contains("channels") == true)
        store.close()
        admin.close()
    }

    @Test func aUserWhoMayNotSubscribeConnectsLessAndLessOften() async throws {
        let server = try TestServer()
        let admin = try RedisStore(configuration(server.port), onEvent: { _ in })
        try await admin.untilReachable()
        _ = try await admin.command("ACL", "SETUSER", "app", "on", ">password", "~*", "resetchannels", "+@all")
        let proxy = try Proxy(to: server.port)
        var configuration = try configuration(proxy.port)
        configuration.username = "app"
        configuration.password = "password"
        let store = try RedisStore(configuration, onEvent: { _ in })
        try await eventually { store.health.connects == 2 }
        let start = ContinuousClock.now
        let changes = try #require(store.changes())
        try await eventually { proxy.connections == 2 + 7 }
        // The pauses between seven attempts take at least 10, 20, 40, 80, 160 and 320 milliseconds.
        #expect(ContinuousClock.now - start >= .milliseconds(630))
        let health = store.health
        #expect(health.feedFailure?.code == .refused)
        #expect(health.feedFailure?.message.contains("channels") == true)
        #expect(health.connects == 2)
        #expect(health.isReachable)
        _ = try await admin.command("ACL", "SETUSER", "app", "&fault:*")
        var iterator = changes.makeAsyncIterator()
        #expect(await iterator.next() == .all)
        #expect(store.health.feedFailure == nil)
        try await admin.remove("a")
        #expect(await iterator.next() == .key("a"))
        store.close()
        admin.close()
        proxy.close()
    }

    // MARK: Failover

    /// A primary with a replica, and a proxy that leads to the primary.
    private func fleet() async throws -> (primary: TestServer, replica: TestServer, proxy: Proxy) {
        let (primary, replica) = (try TestServer("--repl-diskless-sync-delay", "0"), try TestServer())
        let proxy = try Proxy(to: primary.port)
        try await eventually {
            let answer = try? RawConnection(to: replica.port).reply(to: "REPLICAOF 127.0.0.1 \(primary.port)")
            return answer == "+OK"
        }
        try await eventually { (try? RawConnection(to: primary.port).reply(to: "WAIT 1 10")) == ":1" }
        return (primary, replica, proxy)
    }

    @Test func theStoreFollowsAPlannedFailover() async throws {
        let (primary, replica, proxy) = try await fleet()
        let store = try RedisStore(configuration(proxy.port), onEvent: { _ in })
        try await store.untilReachable()
        var changes = try #require(store.changes()).makeAsyncIterator()
        #expect(await changes.next() == .all)
        try await store.set(CacheEntry(body: Data("old".utf8)), for: "a")
        try await eventually { (try? RawConnection(to: primary.port).reply(to: "WAIT 1 10")) == ":1" }

        #expect(try RawConnection(to: primary.port).reply(to: "FAILOVER") == "+OK")
        try await eventually {
            (try? RawConnection(to: primary.port).reply(to: "SET x y"))?.hasPrefix("-READONLY") == true
        }
        proxy.lead(to: replica.port)
        let error = await #expect(throws: CacheError.self) {
            try await store.set(CacheEntry(body: Data("new".utf8)), for: "a")
        }
        #expect(error?.code == .refused)
        #expect(error?.message.contains("primary") == true)
        try await eventually { (try? await store.set(CacheEntry(body: Data("new".utf8)), for: "a")) != nil }
        #expect(try await store.get("a")?.body == Data("new".utf8))
        #expect(store.health.isReachable)
        // The feed follows too, so the former primary is no longer needed.
        #expect(await changes.next() == .all)
        primary.kill()
        let other = try RedisStore(configuration(replica.port), onEvent: { _ in })
        try await other.remove("a")
        #expect(await changes.next() == .key("a"))
        #expect(try await store.get("a") == nil)
        #expect(store.health.interruptedFeeds == 1)
        store.close()
        other.close()
        proxy.close()
    }

    @Test func aReplicaIsRefusedUntilItIsAPrimary() async throws {
        let (primary, replica, proxy) = try await fleet()
        proxy.lead(to: replica.port)
        let store = try RedisStore(configuration(proxy.port), onEvent: { _ in })
        try await eventually { store.health.lastFailure != nil }
        #expect(store.health.lastFailure?.code == .refused)
        #expect(store.health.lastFailure?.message.contains("replica") == true)
        #expect(store.health.isReachable == false)
        #expect(try RawConnection(to: replica.port).reply(to: "REPLICAOF NO ONE") == "+OK")
        try await store.untilReachable()
        try await store.set(CacheEntry(body: Data()), for: "a")
        store.close()
        primary.kill()
        proxy.close()
    }

    // MARK: Removals

    /// A server that replies, and yet refuses to change anything.
    enum Refusing: CaseIterable, Sendable {
        case cannotSave, isBusy

        func begin(on server: TestServer) async throws -> RawConnection {
            let connection = try RawConnection(to: server.port)
            switch self {
            case .cannotSave:
                let obstacle = server.folder.appendingPathComponent("dump.rdb/obstacle")
                try FileManager.default.createDirectory(at: obstacle, withIntermediateDirectories: true)
                #expect(try connection.reply(to: "CONFIG SET save '3600 1'") == "+OK")
                #expect(try connection.reply(to: "BGSAVE").hasPrefix("+Background"))
                try await eventually {
                    (try? RawConnection(to: server.port).reply(to: "SET x y"))?.hasPrefix("-MISCONF") == true
                }
            case .isBusy:
                try connection.send("EVAL 'while true do end' 0")
                try await eventually {
                    (try? RawConnection(to: server.port).reply(to: "GET x"))?.hasPrefix("-BUSY") == true
                }
            }
            return connection
        }

        func end(on server: TestServer) async throws {
            let connection = try RawConnection(to: server.port)
            switch self {
            case .cannotSave:
                try FileManager.default.removeItem(at: server.folder.appendingPathComponent("dump.rdb"))
                try await eventually {
                    _ = try? RawConnection(to: server.port).reply(to: "BGSAVE")
                    return (try? RawConnection(to: server.port).reply(to: "SET x y")) == "+OK"
                }
            case .isBusy:
                #expect(try connection.reply(to: "SCRIPT KILL") == "+OK")
                try await eventually { (try? RawConnection(to: server.port).reply(to: "SET x y")) == "+OK" }
            }
        }
    }

    @Test(arguments: Refusing.allCases)
    func aRefusedRemovalIsRepeatedOnTheSameConnection(_ refusing: Refusing) async throws {
        let server = try TestServer("--lua-time-limit", "10")
        let store = try RedisStore(configuration(server.port, budget: .seconds(20)), onEvent: { _ in })
        let other = try RedisStore(configuration(server.port, budget: .seconds(20)), onEvent: { _ in })
        try await eventually { store.health.connects == 2 && other.health.isReachable }
        for key in ["a", "b"] as [CacheKey] {
            try await store.set(CacheEntry(body: Data("old".utf8), tags: ["t"]), for: key)
        }
        let connection = try await refusing.begin(on: server)
        for _ in 0..<2 {
            let error = await #expect(throws: CacheError.self) { try await store.remove(tag: "t") }
            #expect(error?.code == .refused)
        }
        #expect(store.health.owedRemovals == 1)
        if refusing == .cannotSave {
            #expect(try await store.get("a") == nil)
            #expect(try await other.get("a") != nil)
        }
        try await refusing.end(on: server)
        try await eventually { store.health.owedRemovals == 0 }
        for key in ["a", "b"] as [CacheKey] { #expect(try await other.get(key) == nil) }
        #expect(store.health.connects == 2)
        #expect(store.health.outages == 0)
        withExtendedLifetime(connection) {}
        store.close()
        other.close()
    }

    @Test func aRemovalThatSucceedsLaterPaysTheDebt() async throws {
        let server = try TestServer()
        let store = try RedisStore(configuration(server.port, budget: .seconds(20)), onEvent: { _ in })
        try await store.untilReachable()
        try await store.set(CacheEntry(body: Data()), for: "users/1")
        _ = try await Refusing.cannotSave.begin(on: server)
        await #expect(throws: CacheError.self) { try await store.remove("users/1") }
        await #expect(throws: CacheError.self) { try await store.remove(prefix: "users/") }
        #expect(store.health.owedRemovals == 2)
        try await Refusing.cannotSave.end(on: server)
        try await store.remove(prefix: "users/")
        #expect(store.health.owedRemovals == 0)
        store.close()
    }

    // MARK: Versions

    private func lifetimes(_ store: RedisStore) async throws -> [String: Int] {
        var lifetimes: [String: Int] = [:]
        for key in try await store.command("KEYS", "*").parts?.compactMap(\.text) ?? [] {
            lifetimes[key] = try await store.command("PTTL", key).number
        }
        return lifetimes
    }

    /// The server may evict a part of a body before the whole body is there.
    @Test func partsOfABodyThatIsNotStoredDoNotStay() async throws {
        let server = try TestServer()
        let proxy = try Proxy(to: server.port) { bytes, _ in
            _ = try? RawConnection(to: server.port).reply(
                to: #"EVAL "for _, k in ipairs(redis.call('KEYS', '*:1')) do redis.call('DEL', k) end return 1" 0"#)
            return Proxy.Passed(bytes: bytes)
        }
        let store = try RedisStore(configuration(proxy.port, budget: .seconds(20)), onEvent: { _ in })
        try await store.untilReachable()
        let body = Data(count: store.configuration.chunkSize * 3)
        let error = await #expect(throws: CacheError.self) {
            try await store.set(CacheEntry(body: body, pinned: true), for: "a")
        }
        #expect(error?.code == .full)
        let chunks = try await lifetimes(store).filter { $0.key.hasSuffix(":0") || $0.key.hasSuffix(":2") }
        #expect(chunks.count == 2)
        #expect(chunks.values.allSatisfy { $0 > 0 }, "\(chunks)")
        store.close()
        proxy.close()
    }

    @Test func nothingRemainsOfAVersionThatIsNoLongerUsed() async throws {
        let server = try TestServer()
        // The longest life of an entry, and a day.
        let longest = 31 * 86_400_000
        for version in 1...4 {
            var configuration = try configuration(server.port, budget: .seconds(20))
            configuration.version = version
            let store = try RedisStore(configuration, onEvent: { _ in })
            try await store.untilReachable()
            switch version {
            case 1:
                try await store.set(CacheEntry(body: Data(count: 300_000), tags: ["t"]), for: "a")
                let short = CacheEntry(body: Data(), expires: Date(timeIntervalSinceNow: 60))
                try await store.set(short, for: "b")
                try await store.remove("c")
            case 2:
                try await store.remove(tag: "t")
                try await store.removeAll()
            case 3:
                _ = try await store.moment()
                _ = try await store.command("DEL", "fault:3:1:l")
                _ = try await store.moment()
            default:
                try await store.remove("a")
                _ = try await store.command("DEL", "fault:4:1:l")
                try await store.remove("a")
            }
            let lifetimes = try await lifetimes(store)
            #expect(lifetimes["fault:\(version):1:i"] != nil)
            #expect(lifetimes["fault:\(version):1:l"] != nil)
            #expect(lifetimes.values.allSatisfy { $0 > 0 && $0 <= longest }, "\(lifetimes)")
            // The index lives longer than its entries.
            if version == 1 { #expect(lifetimes["fault:1:1:i"] ?? 0 > lifetimes["fault:1:1:ea"] ?? 0) }
            store.close()
        }
    }

    @Test func anIndexWithAPinnedEntryStays() async throws {
        let server = try TestServer()
        let store = try RedisStore(configuration(server.port, budget: .seconds(20)), onEvent: { _ in })
        try await store.untilReachable()
        try await store.set(CacheEntry(body: Data()), for: "a")
        try await store.set(CacheEntry(body: Data(), pinned: true), for: "pinned")
        try await store.set(CacheEntry(body: Data()), for: "b")
        let lifetimes = try await lifetimes(store)
        #expect(lifetimes["fault:0:1:i"] == -1)
        #expect(lifetimes["fault:0:1:epinned"] == -1)
        #expect(lifetimes["fault:0:1:l"] ?? -1 > 0)
        #expect(try await store.get("pinned") != nil)
        #expect(try await store.statistics().count == 3)
        #expect(try await store.remove(prefix: "") == 3)
        try await store.set(CacheEntry(body: Data(), pinned: true), for: "pinned")
        try await store.removeAll()
        try await store.set(CacheEntry(body: Data()), for: "a")
        #expect(try await self.lifetimes(store)["fault:0:1:i"] ?? -1 > 0)
        store.close()
    }
}
