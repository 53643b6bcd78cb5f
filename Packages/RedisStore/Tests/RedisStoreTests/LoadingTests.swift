import Foundation
import TangoCache
import Testing

@testable import RedisStore

/// Entries that one of many callers makes.
@Suite(.serialized, .enabled(if: RedisServer.isThere, Comment(rawValue: RedisServer.hint)))
struct LoadingTests {
    private struct Failure: Error {}

    @Test func aSlowEntryIsMadeAFewTimesOnly() async throws {
        let configuration = try RedisServer.configuration()
        let stores = try (0..<3).map { _ in try RedisStore(configuration) }
        let (made, isOpen) = (Guarded(0), Guarded(false))
        try await withThrowingTaskGroup(of: CacheEntry.self) { group in
            for number in 0..<30 {
                let store = stores[number % 3]
                group.addTask {
                    try await store.entry(for: "page", makingFor: .milliseconds(300)) {
                        made.change { $0 += 1 }
                        try await eventually { isOpen.value }
                        return CacheEntry(body: Data("page".utf8))
                    }
                }
            }
            // The third caller begins after 900 milliseconds, and the fourth one after 2,100.
            try await eventually { made.value >= 3 }
            isOpen.change { $0 = true }
            for try await entry in group { #expect(entry.body == Data("page".utf8)) }
        }
        #expect(made.value <= 4)
        for store in stores { store.close() }
    }

    @Test func aCallerThatHasWaitedAndFailsLetsTheOthersMakeTheirOwn() async throws {
        let configuration = try RedisServer.configuration()
        let store = try RedisStore(configuration)
        let lock = "\(configuration.prefix):0:1:wpage"
        // The process that holds the lock ends.
        _ = try await store.command("SET", lock, "another process", "PX", "1500")
        await #expect(throws: Failure.self) {
            try await store.entry(for: "page", makingFor: .seconds(1)) {
                // This caller has waited, so the next one waits for longer.
                #expect(try await store.command("PTTL", lock).number ?? 0 > 1_000)
                throw Failure()
            }
        }
        #expect(try await store.command("GET", lock).text == "!")
        store.close()
    }

    @Test func aCallerThatHasNotWaitedAndFailsLetsTheNextOneTry() async throws {
        let configuration = try RedisServer.configuration()
        let store = try RedisStore(configuration)
        await #expect(throws: Failure.self) {
            try await store.entry(for: "page", makingFor: .seconds(60)) { throw Failure() }
        }
        #expect(try await store.command("EXISTS", "\(configuration.prefix):0:1:wpage") == .integer(0))
        store.close()
    }

    @Test func callersMakeTheirOwnWhileTheLockGivesUp() async throws {
        let configuration = try RedisServer.configuration()
        let store = try RedisStore(configuration)
        _ = try await store.command("SET", "\(configuration.prefix):0:1:wpage", "!", "PX", "60000")
        let making = Guarded(0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    _ = try await store.entry(for: "page", makingFor: .seconds(60)) {
                        making.change { $0 += 1 }
                        // All of them make it at the same time.
                        try await eventually { making.value == 8 }
                        return CacheEntry(body: Data())
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await store.get("page") != nil)
        store.close()
    }

    /// An actor whose state is used while an entry is made.
    private actor Renderer {
        var count = 0

        func page(_ store: RedisStore) async throws -> CacheEntry {
            try await store.entry(for: "actor", makingFor: .seconds(2)) {
                count += 1
                return CacheEntry(body: Data("\(count)".utf8))
            }
        }
    }

    @MainActor private final class Screen {
        var count = 0

        func page(_ store: RedisStore) async throws -> CacheEntry {
            try await store.entry(for: "screen", makingFor: .seconds(2)) {
                MainActor.assertIsolated()
                count += 1
                return CacheEntry(body: Data("\(count)".utf8))
            }
        }
    }

    @Test func actorsAndTheMainActorMakeEntries() async throws {
        let store = try RedisStore(RedisServer.configuration())
        #expect(try await Renderer().page(store).body == Data("1".utf8))
        #expect(try await Screen().page(store).body == Data("1".utf8))
        store.close()
    }
}
