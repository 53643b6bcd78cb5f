import Foundation
import TangoCache
import Testing

@testable import RedisStore

/// Operations that share connections, and the loop that sleeps while others send.
@Suite(.serialized, .enabled(if: RedisServer.isThere, Comment(rawValue: RedisServer.hint)))
struct SharingTests {
    private func calls(_ store: RedisStore) async throws -> Int {
        let text = try await store.command("INFO", "commandstats").text ?? ""
        return text.split(whereSeparator: \.isNewline).reduce(0) { sum, line in
            guard line.hasPrefix("cmdstat_get:") || line.hasPrefix("cmdstat_mget:") else { return sum }
            return sum + (line.split(separator: "=")[1].split(separator: ",").first.flatMap { Int($0) } ?? 0)
        }
    }

    @Test func getsOf64TasksShareCommandsAndConnections() async throws {
        let server = try TestServer()
        let store = try RedisStore(server.configuration(budget: .seconds(20)), onEvent: { _ in })
        try await store.untilReachable()
        for number in 0..<10 { try await store.set(CacheEntry(body: Data([UInt8(number)])), for: "\(number)") }
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<64 {
                group.addTask {
                    var wrong = 0
                    for number in 0..<50 {
                        let entry = try await store.get("\(number % 10)")
                        if entry?.body != Data([UInt8(number % 10)]) { wrong += 1 }
                    }
                    return wrong
                }
            }
            for try await wrong in group { #expect(wrong == 0) }
        }
        #expect(try await calls(store) < 64 * 50)
        #expect(store.health.hits == 64 * 50)
        try await eventually { store.health.connects == store.configuration.connections }
        store.close()
    }

    /// The command does not fit into the buffers of the socket, so the loop sends the rest once the server reads.
    @Test func aCommandThatFillsTheSocketIsSentCompletely() async throws {
        let server = try TestServer()
        var configuration = try server.configuration(budget: .seconds(20))
        configuration.chunkSize = 16 << 20
        let store = try RedisStore(configuration, onEvent: { _ in })
        try await store.untilReachable()
        server.signal(SIGSTOP)
        let body = Data((0..<15_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        async let isStored: Void = store.set(CacheEntry(body: body), for: "large")
        try await eventually { store.loop.lines.contains { $0.condition.isBlocked } }
        // More commands wait behind it, on both connections.
        async let others = withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<200 { group.addTask { try await store.get("\(number)") == nil } }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        server.signal(SIGCONT)
        try await isStored
        #expect(try await others == 200)
        #expect(try await store.get("large")?.body == body)
        store.close()
    }

    /// Nothing was sent for long, so the loop would sleep for a minute.
    @Test func aCommandWakesAnIdleLoopForItsDeadline() async throws {
        let server = try TestServer()
        let store = try RedisStore(server.configuration(budget: .milliseconds(100)), onEvent: { _ in })
        try await store.untilReachable()
        try await eventually {
            store.loop.wakesAt.load(ordering: .relaxed) > (MonotonicTime.now + .seconds(30)).nanoseconds
        }
        server.signal(SIGSTOP)
        let read = Task { try await store.get("a") }
        // The loop would notice by itself, but much later than this.
        for _ in 0..<2_000 where store.health.timeouts == 0 { try await Task.sleep(for: .milliseconds(5)) }
        #expect(store.health.timeouts == 1)
        let error = await #expect(throws: CacheError.self) { try await read.value }
        #expect(error?.code == .unreachable)
        server.signal(SIGCONT)
        store.close()
    }

    @Test func closingFailsTheCommandsInFlight() async throws {
        let server = try TestServer()
        let store = try RedisStore(server.configuration(budget: .seconds(20)), onEvent: { _ in })
        try await store.untilReachable()
        server.signal(SIGSTOP)
        async let reads = withTaskGroup(of: CacheError.Code?.self) { group in
            for number in 0..<100 {
                group.addTask {
                    do {
                        _ = try await store.get("\(number)")
                        return nil
                    } catch {
                        return (error as? CacheError)?.code
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        try await eventually { store.loop.lines.contains { ($0.load ?? 0) > 0 } }
        store.close()
        #expect(await reads.allSatisfy { $0 == .closed })
        server.signal(SIGCONT)
    }

    /// The loop has taken the second command together with the first, whose reply has arrived.
    @Test func closingFailsCommandsThatTheLoopHasTaken() async throws {
        let server = try TestServer()
        var configuration = try server.configuration(budget: .seconds(20))
        configuration.connections = 1
        let store = try RedisStore(configuration, onEvent: { _ in })
        try await store.untilReachable()
        server.signal(SIGSTOP)
        async let first = store.command("PING")
        try await eventually { store.loop.lines[0].load == 1 }
        let second = Task { try await store.command("BLPOP", "missing", "0") }
        try await eventually { store.loop.lines[0].load == 2 }
        server.signal(SIGCONT)
        #expect(try await first == .string(Data("PONG".utf8)))
        store.close()
        let error = await #expect(throws: CacheError.self) { try await second.value }
        #expect(error?.code == .closed)
    }
}
