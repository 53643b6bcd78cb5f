import Foundation
import LoopbackServer
import Synchronization
import TangoCache
import Testing

@testable import TangoRequest

/// What has been overtaken by the time it comes: it neither comes back nor takes the place of anything.
@Suite(.timeLimit(.minutes(10)))
struct OvertakenTests: RepliesToKeep {
    @Test(arguments: ["POST", "sign out"])
    func whatWasOnItsWayDuringAChangeIsNotKept(_ change: String) async throws {
        let site = try HTTPCacheSite()
        site.origin.reply = streamed(3)
        let old = try await site.send(delivery: .stream)
        var iterator = old.stream.makeAsyncIterator()
        _ = try await iterator.next()
        if change == "POST" {
            site.origin.reply = HTTPCacheOrigin.Reply()
            _ = try await site.send("POST")
        } else {
            try await site.cache.shelf.removeAll()
        }
        while try await iterator.next() != nil {}
        #expect(try await site.kept().isEmpty)
        #expect(try await site.store.statistics().count == 0)
        site.origin.reply = HTTPCacheOrigin.Reply(headers: Self.fresh, body: "new")
        #expect(try await text(site.send()) == "new")
        #expect(try await text(site.send()) == "new")
        #expect(site.explanations.all.last?.reason == .fresh)
    }

    /// What is read, changed and written must not bring back what was removed in between.
    @Test(arguments: ["GET", "HEAD"], ["POST", "sign out"])
    func whatIsRemovedWhileItIsWrittenStaysRemoved(_ method: String, _ change: String) async throws {
        let store = HeldWrites()
        let site = try HTTPCacheSite(store: store)
        site.origin.reply = HTTPCacheOrigin.Reply(headers: Self.tag + [("Cache-Control", "max-age=10")], body: "old")
        _ = try await site.send()
        site.wait(20)
        let gate = Gate()
        store.hold(by: gate)
        let updating = Task { try await site.send(method) }
        try await gate.reached()
        if change == "POST" { _ = try await site.send("POST") } else { try await site.cache.shelf.removeAll() }
        gate.open()
        _ = try await updating.value
        #expect(try await site.kept().isEmpty)
        #expect(try await store.statistics().count == 0)
    }

    /// Who reads while others remove may have read what they removed.
    @Test(arguments: ["POST", "sign out", "tag"])
    func whatIsFoundWhileItIsRemovedStaysRemoved(_ change: String) async throws {
        let store = HeldWrites()
        let site = try HTTPCacheSite(store: store)
        let owner = Client(cache: store, transport: site.origin)
        site.origin.reply = HTTPCacheOrigin.Reply(headers: Self.fresh + Self.tag, body: "old")
        let url = try #require(URL(string: "http://example.com/a"))
        _ = try await (change == "tag" ? owner : site.client).send(HTTPRequest(url: url))
        let (writing, removing, removed) = (Gate(), Gate(), Gate())
        store.hold(by: writing, removing: removing, removed: removed)
        let remover = Task {
            switch change {
            case "POST": _ = try await site.send("POST")
            case "sign out": try await site.cache.shelf.removeAll()
            default: try await owner.removeCachedAnswers(tagged: HTTPCacheInterceptor.tag(identity: nil))
            }
        }
        try await removing.reached()
        let updating = Task {
            _ = try await (change == "tag" ? owner : site.client).send(
                HTTPRequest(url: url, headers: ["Cache-Control": "no-cache"]))
        }
        try await writing.reached()
        removing.open()
        try await removed.reached()
        writing.open()
        try await updating.value
        removed.open()
        try await remover.value
        #expect(try await store.statistics().count == 0)
    }

    /// Whoever reads slowly has an old answer in the end.
    @Test(arguments: [3, 20], [true, false])
    func anOlderAnswerThatEndsLateReplacesNothing(_ count: Int, _ breaks: Bool) async throws {
        let site = try HTTPCacheSite()
        let length = (count + (breaks ? 1 : 0)) * Self.portion.utf8.count
        site.origin.reply = streamed(count, also: Self.tag + [("Content-Length", "\(length)")])
        site.origin.reply.breaks = breaks
        let old = try await site.send(delivery: .stream)
        site.wait(1)
        site.origin.reply = HTTPCacheOrigin.Reply(headers: Self.fresh + [("ETag", "\"b\"")], body: "new")
        _ = try await site.send()
        do { for try await _ in old.stream {} } catch { #expect(breaks) }
        #expect(try await text(site.send()) == "new")
        #expect(site.origin.requests.count == 2)
        #expect(try await site.bodyKeys().isEmpty)
    }

    @Test(arguments: ["HEAD", "no-store"])
    func anOlderAnswerThatComesLateRemovesNothing(_ kind: String) async throws {
        let site = try HTTPCacheSite()
        let gate = Gate()
        site.origin.gate = { try? await gate.opened() }
        let control = kind == "HEAD" ? Self.fresh : [("Cache-Control", "no-store")]
        site.origin.reply = HTTPCacheOrigin.Reply(headers: control + Self.tag, body: "old")
        let old = Task { try await site.send(kind == "HEAD" ? "HEAD" : "GET") }
        try await gate.reached()
        site.origin.gate = nil
        site.wait(1)
        site.origin.reply = HTTPCacheOrigin.Reply(headers: Self.fresh + [("ETag", "\"b\"")], body: "new")
        _ = try await site.send()
        gate.open()
        _ = try await old.value
        #expect(try await text(site.send()) == "new")
        #expect(site.origin.requests.count == 2)
    }

    @Test func aClockThatWentBackLetsNewerAnswersIn() async throws {
        let site = try HTTPCacheSite()
        site.origin.reply = HTTPCacheOrigin.Reply(headers: Self.fresh, body: "old")
        _ = try await site.send()
        site.wait(-5000)
        site.origin.reply.body = "new"
        #expect(try await text(site.send()) == "new")
        #expect(try await text(site.send()) == "new")
        #expect(site.origin.requests.count == 2)
    }

    @Test(arguments: [1, 300])
    func changesOfOtherURLsDoNotMatter(_ count: Int) async throws {
        let site = try HTTPCacheSite()
        site.origin.reply = streamed(3)
        let response = try await site.send(delivery: .stream)
        site.origin.reply = HTTPCacheOrigin.Reply()
        for number in 0..<count { _ = try await site.send("POST", "http://example.com/\(number)") }
        for try await _ in response.stream {}
        #expect(try await site.kept().count == 1)
    }

    @Test func aChangeIsRememberedUntilThereAreVeryManyOthers() {
        let changes = Changes()
        let old = changes.mark
        changes.note("a")
        let young = changes.mark
        for number in 0..<Changes.limit / 2 {
            changes.note(CacheKey("b\(number)"))
            changes.note(CacheKey("b\(number)"))
        }
        #expect(changes.hasRemoved("a", since: old))
        #expect(!changes.hasRemoved("a", since: young))
        #expect(!changes.hasRemoved("a1", since: old))
        #expect(!changes.hasRemoved("c", since: old))
        for number in 0..<Changes.limit { changes.note(CacheKey("b\(number)")) }
        // It may have been forgotten that there was one, and so there may have been.
        #expect(changes.hasRemoved("a", since: old))
        #expect(changes.hasRemoved("c", since: old))
        #expect(!changes.hasRemoved("c", since: changes.mark))
    }
}

/// A store whose writes wait at a gate, once there is one, and so do removals of many, before and after.
private final class HeldWrites: CacheStore {
    private let memory = MemoryStore()
    private let gates = Mutex<(set: Gate?, remove: Gate?, removed: Gate?)>((nil, nil, nil))

    func hold(by gate: Gate, removing: Gate? = nil, removed: Gate? = nil) {
        gates.withLock { $0 = (gate, removing, removed) }
    }

    func get(_ key: CacheKey) async throws -> CacheEntry? { memory.peek(key) }

    func set(_ entry: CacheEntry, for key: CacheKey) async throws {
        try await gates.withLock(\.set)?.opened()
        try memory.put(entry, for: key)
    }

    func remove(tag: String) async throws -> Int { try await held { try await memory.remove(tag: tag) } }
    func remove(prefix: CacheKey) async throws -> Int { try await held { try await memory.remove(prefix: prefix) } }

    private func held(_ work: () async throws -> Int) async throws -> Int {
        let (_, removing, removed) = gates.withLock(\.self)
        try await removing?.opened()
        let count = try await work()
        try await removed?.opened()
        return count
    }

    func remove(_ key: CacheKey) async throws { memory.drop(key) }
    func removeAll(progress: @escaping @Sendable (CacheProgress) -> Void) async throws { memory.dropAll() }
    func entries() -> CacheEntries { memory.entries() }
}
