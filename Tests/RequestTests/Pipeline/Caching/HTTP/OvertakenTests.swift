import Foundation
import LoopbackServer
import Synchronization
import TangoCache
import TangoMeasuring
import Testing

@testable import TangoHTTP
@testable import TangoRequest
@testable import TestSupport

/// Responses that are obsolete when they arrive. They are not stored, and replace nothing.
@Suite(.timeLimit(.minutes(20)))
struct OvertakenTests: RepliesToKeep {
    @Test(arguments: ["POST", "sign out"])
    func responsesInFlightDuringAChangeAreNotCached(_ change: String) async throws {
        let site = try HTTPCacheSite()
        site.origin.reply = streamed(3)
        let old = try await site.send(delivery: .stream)
        var iterator = old.stream.makeAsyncIterator()
        _ = try await iterator.next()
        if change == "POST" {
            site.origin.reply = HTTPCacheOrigin.Reply()
            _ = try await site.send("POST")
        } else {
            try await site.signOut()
        }
        while try await iterator.next() != nil {}
        #expect(try await site.cachedResponses().isEmpty)
        #expect(try await site.store.statistics().count == 0)
        site.origin.reply = HTTPCacheOrigin.Reply(headers: Self.fresh, body: "new")
        #expect(try await text(site.send()) == "new")
        #expect(try await text(site.send()) == "new")
        #expect(site.explanations.all.last?.reason == .fresh)
    }

    /// An edit must not restore an entry that was removed between its read and its write.
    @Test(arguments: ["GET", "HEAD"], ["POST", "sign out"])
    func entriesRemovedWhileBeingWrittenStayRemoved(_ method: String, _ change: String) async throws {
        let store = HeldWrites()
        let site = try HTTPCacheSite(store: store)
        site.origin.reply = HTTPCacheOrigin.Reply(headers: Self.tag + [("Cache-Control", "max-age=10")], body: "old")
        _ = try await site.send()
        site.wait(20)
        let gate = Gate()
        store.hold(by: gate)
        _ = try await site.send(method)
        try await gate.reached()
        let changing = Task {
            if change == "POST" { _ = try await site.send("POST") } else { try await site.signOut() }
        }
        if change == "POST" { try await changing.value }
        gate.open()
        try await changing.value
        await site.settle()
        #expect(try await site.cachedResponses().isEmpty)
        #expect(try await store.statistics().count == 0)
    }

    /// Entries are hidden during their removal. Responses that arrive meanwhile are stored after it.
    @Test(arguments: ["POST", "sign out", "tag"])
    func responsesRequestedDuringARemovalAreCached(_ change: String) async throws {
        let store = HeldWrites()
        let site = try HTTPCacheSite(store: store)
        let owner = Client(cache: store) { $0.transport = site.origin }
        site.origin.reply = HTTPCacheOrigin.Reply(headers: Self.fresh + Self.tag, body: "old")
        let url = try #require(URL(string: "http://example.com/a"))
        _ = try await owner.send(HTTPRequest(url: url))
        await owner.finishStoring()
        let (writing, removing, removed) = (Gate(), Gate(), Gate())
        store.hold(by: writing, removing: removing, removed: removed)
        let remover = Task {
            switch change {
            case "POST": _ = try await site.send("POST")
            case "sign out": try await site.signOut()
            default: try await owner.removeCachedResponses(tagged: Identity(nil).tag)
            }
        }
        try await removing.reached()
        site.origin.reply.body = "new"
        for _ in 0..<2 { #expect(try await text(owner.send(HTTPRequest(url: url))) == "new") }
        #expect(site.origin.requests.last?.headers.contains("If-None-Match") == false)
        removing.open()
        try await removed.reached()
        #expect(try await store.statistics().count == 0)
        #expect(writing.arrivals == 0)
        removed.open()
        try await remover.value
        writing.open()
        await owner.finishStoring()
        #expect(try await store.statistics().count == 1)
        let count = site.origin.requests.count
        #expect(try await text(owner.send(HTTPRequest(url: url))) == "new")
        #expect(site.origin.requests.count == count)
    }

    /// A slow reader finishes an old response after a newer one was stored.
    @Test(arguments: [3, 20], [true, false])
    func anOlderResponseThatEndsLateReplacesNothing(_ count: Int, _ breaks: Bool) async throws {
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
    func anOlderResponseThatArrivesLateRemovesNothing(_ kind: String) async throws {
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

    /// The server has forbidden in the meantime to store the response.
    @Test(arguments: ["no-store", "404", "Vary"])
    func anOlderResponseIsNotCachedAfterANewerUncacheableOne(_ kind: String) async throws {
        let site = try HTTPCacheSite()
        let gate = Gate()
        site.origin.gate = { try? await gate.opened() }
        site.origin.reply = HTTPCacheOrigin.Reply(headers: Self.fresh, body: "old")
        let old = Task { try await site.send() }
        try await gate.reached()
        site.origin.gate = nil
        site.wait(1)
        switch kind {
        case "no-store":
            site.origin.reply = HTTPCacheOrigin.Reply(headers: [("Cache-Control", "no-store")], body: "new")
        case "Vary": site.origin.reply = HTTPCacheOrigin.Reply(headers: Self.fresh + [("Vary", "*")], body: "new")
        default: site.origin.reply = HTTPCacheOrigin.Reply(status: 404, body: "new")
        }
        _ = try await site.send()
        gate.open()
        #expect(try await text(old.value) == "old")
        #expect(try await site.cachedResponses().isEmpty)
        #expect(try await text(site.send()) == "new")
        #expect(site.origin.requests.count == 3)
    }

    /// Of two requests in flight, the later one determines the cached response.
    @Test func aNewerResponseStaysWhenAnOlderUncacheableOneArrives() async throws {
        let site = try HTTPCacheSite()
        let (first, second) = (Gate(), Gate())
        site.origin.gate = { try? await first.opened() }
        site.origin.reply = HTTPCacheOrigin.Reply(headers: [("Cache-Control", "no-store")], body: "old")
        let old = Task { try await site.send() }
        try await first.reached()
        site.wait(1)
        site.origin.gate = { try? await second.opened() }
        site.origin.reply = HTTPCacheOrigin.Reply(headers: Self.fresh, body: "new")
        let new = Task { try await site.send() }
        try await second.reached()
        first.open()
        #expect(try await text(old.value) == "old")
        second.open()
        #expect(try await text(new.value) == "new")
        site.origin.gate = nil
        #expect(try await text(site.send()) == "new")
        #expect(site.origin.requests.count == 2)
    }

    /// A response that must not be cached can still make the cached one obsolete.
    @Test(arguments: [
        (200, true), (203, true), (204, true), (205, true), (301, true), (308, true), (404, true), (410, true),
        (302, false), (400, false), (429, false), (500, false), (503, false),
    ])
    func uncacheableResponseRemovesTheOlderOneUnlessItIsTemporary(_ status: Int, _ removes: Bool) async throws {
        let site = try HTTPCacheSite()
        site.origin.reply = HTTPCacheOrigin.Reply(headers: Self.fresh, body: "old")
        _ = try await site.send()
        site.origin.reply = HTTPCacheOrigin.Reply(status: status, headers: [("Cache-Control", "no-store")], body: "")
        _ = try await site.send("GET", "http://example.com/a", [("Cache-Control", "no-cache")])
        site.origin.reply = HTTPCacheOrigin.Reply(headers: Self.fresh, body: "newer")
        #expect(try await site.send().source.isCache == !removes)
    }

    @Test func newerResponsesAreCachedAfterAClockWentBack() async throws {
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
        #expect(try await site.cachedResponses().count == 1)
    }
}

/// A store whose writes wait at a gate, once there is one. Removals of many entries wait at two, before and after.
private final class HeldWrites: StoreOverMemory {
    let memory = MemoryStore()
    private let gates = Mutex<(set: Gate?, remove: Gate?, removed: Gate?)>((nil, nil, nil))

    func hold(by gate: Gate, removing: Gate? = nil, removed: Gate? = nil) {
        gates.withLock { $0 = (gate, removing, removed) }
    }

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
}
