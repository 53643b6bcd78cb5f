import Foundation
import LoopbackServer
import TangoAuth
import TangoCache
import TangoCookies
import TangoMeasuring
import Testing

@testable import TangoHTTP
@testable import TangoRequest
@testable import TestSupport

/// Storing of responses during delivery, and reading of their bodies from the store.
@Suite(.timeLimit(.minutes(20)))
struct KeepingTests: RepliesToKeep {
    @Test(arguments: [1, 2, 3, 20])
    func streamIsStoredWhileItIsRead(_ count: Int) async throws {
        let site = try HTTPCacheSite()
        site.origin.reply = streamed(count)
        var response = try await site.send(delivery: .stream)
        #expect(response.isStreaming)
        var iterator = response.stream.makeAsyncIterator()
        var all = Data()
        for _ in 0..<count {
            all.append(try #require(try await iterator.next()))
            #expect(try await site.store.statistics().count == 0)
        }
        #expect(try await iterator.next() == nil)
        #expect(site.events.all == ["stored"])
        #expect(all.count == count * Self.portion.utf8.count)
        response = try await site.send(delivery: .stream)
        #expect(response.source.isCache)
        #expect(try await text(response) == String(decoding: all, as: UTF8.self))
        let whole = try await site.send()
        #expect(whole.body == all)
        #expect(site.origin.requests.count == 1)
    }

    @Test func readerThatLeavesEarlyStoresNothing() async throws {
        let site = try HTTPCacheSite()
        site.origin.reply = streamed(20)
        do {
            let response = try await site.send(delivery: .stream)
            for try await _ in response.stream { break }
        }
        site.origin.reply = streamed(2)
        #expect(try await text(site.send(delivery: .stream)).utf8.count == 2 * Self.portion.utf8.count)
        #expect(site.origin.requests.count == 2)
    }

    @Test func unreadBodyIsNotStored() async throws {
        let site = try HTTPCacheSite()
        site.origin.reply = streamed(20)
        _ = try await site.send(delivery: .stream)
        #expect(try await site.store.statistics().count == 0)
    }

    @Test(arguments: [1, 20])
    func truncatedBodyIsNotStored(_ count: Int) async throws {
        let site = try HTTPCacheSite()
        site.origin.reply = streamed(count)
        site.origin.reply.breaks = true
        await #expect(throws: RequestError.self) { try await text(site.send(delivery: .stream)) }
        #expect(try await site.store.statistics().count == 0)
        site.origin.reply = streamed(count)
        _ = try await text(site.send(delivery: .stream))
        #expect(site.origin.requests.count == 2)
    }

    @Test(arguments: [1, 20])
    func truncatedBodyIsStoredIfTheRestCanBeRequested(_ count: Int) async throws {
        let site = try HTTPCacheSite()
        let length = count * Self.portion.utf8.count
        let rest = "the rest"
        let total = length + rest.utf8.count
        site.origin.reply = streamed(count, also: Self.tag + [("Content-Length", "\(total)")])
        site.origin.reply.breaks = true
        await #expect(throws: RequestError.self) { try await text(site.send(delivery: .stream)) }
        site.origin.reply = HTTPCacheOrigin.Reply(
            status: 206, headers: Self.fresh + Self.tag + [("Content-Range", "bytes \(length)-\(total - 1)/\(total)")],
            body: rest)
        let response = try await site.send()
        #expect(site.origin.requests.last?.headers["Range"] == "bytes=\(length)-")
        #expect(response.status == 200)
        #expect(response.body.count == total)
        #expect(response.body.suffix(8) == Data(rest.utf8))
        #expect(try await site.send().body == response.body)
        #expect(site.origin.requests.count == 2)
        let range = try await site.send("GET", "http://example.com/a", [("Range", "bytes=\(length - 2)-\(length + 2)")])
        #expect(String(decoding: range.body, as: UTF8.self) == "efthe")
        #expect(site.origin.requests.count == 2)
    }

    @Test func revalidatedLargeBodyIsNotWrittenAgain() async throws {
        let site = try HTTPCacheSite()
        site.origin.reply = streamed(20, also: Self.tag)
        let body = try await site.send().body
        let before = try await Set(site.bodyKeys())
        #expect(before.count == 1)
        site.wait(4000)
        let response = try await site.send()
        #expect(response.source == .validated)
        #expect(response.body == body)
        #expect(try await Set(site.bodyKeys()) == before)
    }

    @Test func replacedLargeBodyIsRemoved() async throws {
        let site = try HTTPCacheSite()
        site.origin.reply = streamed(20)
        _ = try await site.send()
        let before = try await Set(site.bodyKeys())
        site.wait(4000)
        site.origin.reply = streamed(21)
        _ = try await site.send()
        let after = try await Set(site.bodyKeys())
        #expect(after.count == 1)
        #expect(after.isDisjoint(with: before))
    }

    @Test(arguments: [true, false])
    func responseWithoutItsBodyIsRequestedAgain(_ isFresh: Bool) async throws {
        let site = try HTTPCacheSite()
        site.origin.reply = streamed(20, also: Self.tag)
        _ = try await site.send()
        for key in try await site.bodyKeys() { try await site.store.remove(key) }
        if !isFresh { site.wait(4000) }
        let response = try await site.send()
        #expect(response.source == .network)
        #expect(response.body.count == 20 * Self.portion.utf8.count)
        #expect(site.origin.requests.last?.headers.contains("If-None-Match") == false)
        #expect(site.explanations.all.last?.reason == .bodyMissing)
        #expect(try await site.send().source.isCache)
    }

    @Test func readerFinishesABodyThatIsReplacedMeanwhile() async throws {
        let site = try HTTPCacheSite()
        site.origin.reply = streamed(20)
        _ = try await site.send()
        let response = try await site.send(delivery: .stream)
        var iterator = response.stream.makeAsyncIterator()
        var count = try #require(try await iterator.next()).count
        _ = try await site.send("POST")
        site.origin.reply = HTTPCacheOrigin.Reply(headers: Self.fresh, body: "new")
        #expect(try await text(site.send()) == "new")
        while let portion = try await iterator.next() { count += portion.count }
        #expect(count == 20 * Self.portion.utf8.count)
    }

    @Test func responseLimitAppliesToCachedResponses() async throws {
        let site = try HTTPCacheSite()
        site.origin.reply = streamed(20)
        _ = try await site.send()
        await #expect {
            try await site.send(delivery: .whole(limit: 100))
        } throws: { RequestError.Code.responseTooLarge ~= $0 }
    }

    @Test(arguments: ["memory", "disk", "tiered"])
    func allKindsOfStoresWork(_ name: String) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "http-cache-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let store: any CacheStore =
            switch name {
            case "disk": try DiskStore(directory: folder)
            case "tiered": TieredStore(memory: MemoryStore(), over: try DiskStore(directory: folder))
            default: MemoryStore()
            }
        let site = try HTTPCacheSite(store: store)
        site.origin.reply = streamed(20, also: Self.tag)
        let body = try await site.send("GET", "http://example.com/large").body
        site.origin.reply = HTTPCacheOrigin.Reply(headers: Self.fresh + [("Vary", "Foo"), ("Übung", "é")], body: "one")
        _ = try await site.send("GET", "http://example.com/small", [("Foo", "1")])
        site.origin.reply.body = "two"
        _ = try await site.send("GET", "http://example.com/small", [("Foo", "2")])
        await site.settle()
        let again = try HTTPCacheSite(store: store)
        #expect(try await again.send("GET", "http://example.com/large").body == body)
        #expect(
            try await text(again.send("GET", "http://example.com/large", [("Range", "bytes=16383-16385")])) == "f01")
        #expect(try await text(again.send("GET", "http://example.com/small", [("Foo", "1")])) == "one")
        let two = try await again.send("GET", "http://example.com/small", [("Foo", "2")])
        #expect(try await text(two) == "two")
        #expect(two.headers["übung"] == nil || two.headers["Übung"] == "é")
        #expect(again.origin.requests.isEmpty)
        _ = try await again.send("DELETE", "http://example.com/small")
        _ = try await again.send("DELETE", "http://example.com/large")
        await again.settle()
        #expect(try await store.statistics().count == 0)
    }

    @Test func concurrentRequestsDoNotMixHeadsAndBodies() async throws {
        let site = try HTTPCacheSite()
        site.origin.reply = HTTPCacheOrigin.Reply(headers: [("Cache-Control", "max-age=0"), ("Vary", "Foo")])
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<200 {
                group.addTask {
                    let foo = "\(number % 5)"
                    let response = try? await site.send("GET", "http://example.com/a", [("Foo", foo)])
                    guard let response, let count = response.headers["Origin-Count"] else {
                        Issue.record("no response")
                        return
                    }
                    #expect(String(decoding: response.body, as: UTF8.self) == "origin \(count)")
                }
            }
        }
        let cached = try await site.cachedResponses()
        #expect(cached.count == 5)
        for response in cached {
            guard case .here(let data) = response.content.parts[0].place else {
                Issue.record("a small body is not in the entry of its head")
                continue
            }
            #expect(String(decoding: data, as: UTF8.self) == "origin \(response.headers["Origin-Count"] ?? "")")
        }
    }

    @Test func bytesReadAfterTheEndOfARecordingAreNotRecorded() async throws {
        let ends = Noted<Int>()
        let recorder = BodyRecorder(ResponseStore(shared: SharedStore.of(MemoryStore()), identity: Identity(nil)), "a")
        let body = RecordedBody(BodyStream(ScriptedBody(["one", "two"])), recorder: recorder) { recorder, _ in
            ends.note(recorder.count)
        }
        _ = try await body.next()
        body.cancel()
        await ends.reaches(1)
        while try await body.next() != nil {}
        #expect(recorder.count == 3)
        #expect(ends.all == [3])
    }

    @Test func partOfAWholeResponseDoesNotRewriteItsBody() async throws {
        let site = try HTTPCacheSite()
        site.origin.reply = streamed(20, also: Self.tag)
        let body = try await site.send().body
        let keys = try await site.bodyKeys()
        site.origin.reply = HTTPCacheOrigin.Reply(
            status: 206,
            headers: Self.fresh + Self.tag + [("Test", "2"), ("Content-Range", "bytes 0-1/\(body.count)")], body: "01",
            knowsConditions: false)
        let part = try await site.send(
            "GET", "http://example.com/a", [("Range", "bytes=0-1"), ("If-Match", "\"a\"")])
        #expect(part.status == 206)
        let whole = try await site.send()
        #expect(whole.body.count == body.count)
        #expect(whole.headers["Test"] == "2")
        #expect(site.origin.requests.count == 2)
        #expect(try await site.bodyKeys() == keys)
    }

    @Test(arguments: [2, 20])
    func bodyIsStoredOnceItsLengthHasBeenRead(_ count: Int) async throws {
        let site = try HTTPCacheSite()
        site.origin.reply = streamed(count, also: [("Content-Length", "\(count * Self.portion.utf8.count)")])
        do {
            let response = try await site.send(delivery: .stream)
            var iterator = response.stream.makeAsyncIterator()
            for _ in 0..<count { _ = try await iterator.next() }
        }
        await site.events.reaches(1)
        #expect(site.events.all == ["stored"])
        #expect(try await site.send().body.count == count * Self.portion.utf8.count)
        #expect(site.origin.requests.count == 1)
    }

    @Test(arguments: [("", 1), ("a", 2)])
    func onlyARequestBodyThatIsNotEmptyPreventsReuse(_ text: String, _ count: Int) async throws {
        let site = try HTTPCacheSite()
        site.origin.reply = HTTPCacheOrigin.Reply(headers: Self.fresh)
        for _ in 0..<2 { _ = try await site.send(body: .data(Data(text.utf8))) }
        #expect(site.origin.requests.count == count)
    }

    /// Code that forwards requests often passes empty data as the body.
    @Test(arguments: [HTTPMethod.get, .head, .trace])
    func emptyBodyIsOmittedForMethodsWithoutABody(_ method: HTTPMethod) async throws {
        let server = try LoopbackServer()
        defer { server.stop() }
        server.answer(with: .text("a").header("Cache-Control", "max-age=60"))
        let client = Client(cache: MemoryStore())
        let endpoint = Endpoint(method: method, path: server.url.absoluteString, body: .data(Data()))
        let response: HTTPResponse = try await client.request(endpoint).value
        #expect(response.status == 200)
        #expect(try #require(server.requests.first).headers["Content-Length"] == nil)
    }

    @Test(arguments: [Double.infinity, -.infinity, .nan, 1e300, -1e300, 0])
    func requestsSucceedWithAWrongClock(_ now: Double) async throws {
        let site = try HTTPCacheSite(store: BytesStore())
        let url = try #require(URL(string: "http://example.com/a"))
        let client = Client(cache: site.store) {
            $0.transport = site.origin
            $0.now = { Date(timeIntervalSince1970: now) }
        }
        site.origin.reply = HTTPCacheOrigin.Reply(headers: Self.fresh + Self.tag)
        for _ in 0..<2 { #expect(try await client.send(HTTPRequest(url: url)).status == 200) }
        #expect(try await site.send().status == 200)
        #expect(try await client.send(HTTPRequest(url: url)).status == 200)
    }

    @Test func identitiesDoNotShareResponses() async throws {
        let store = MemoryStore()
        let one = try HTTPCacheSite(store: store, identity: "one")
        one.origin.reply = HTTPCacheOrigin.Reply(
            headers: Self.fresh + [("Vary", "Cookie, Authorization")], body: "for one")
        func send(_ token: String, _ cookie: String) async throws -> Bool {
            let headers = [("Authorization", token), ("Cookie", cookie)]
            return try await one.send("GET", "http://example.com/a", headers).source.isCache
        }
        _ = try await send("t1", "a=1")
        // The identity stands for the token, and not for cookies.
        #expect(try await send("t2", "a=1"))
        #expect(try await !send("t2", "a=2"))
        let two = try HTTPCacheSite(store: store, identity: "two")
        two.origin.reply = HTTPCacheOrigin.Reply(headers: Self.fresh, body: "for two")
        #expect(try await text(two.send()) == "for two")
        let signedOut = try HTTPCacheSite(store: store)
        signedOut.origin.reply = HTTPCacheOrigin.Reply(headers: Self.fresh, body: "for none")
        #expect(try await text(signedOut.send()) == "for none")
        #expect(try await text(one.send()) == "for one")
        try await store.remove(tag: Identity("one").tag)
        one.origin.reply.body = "anew"
        #expect(try await text(one.send()) == "anew")
        #expect(try await text(two.send()) == "for two")
    }

    @Test func keysAndMetadataContainNoCredentials() async throws {
        let site = try HTTPCacheSite()
        site.origin.reply = HTTPCacheOrigin.Reply(headers: Self.fresh)
        _ = try await site.send("GET", "http://example.com/a", [("Authorization", "Bearer secret")])
        for try await item in site.store.entries() {
            #expect(item.key.text?.contains("secret") == false)
            #expect(item.metadata.values.allSatisfy { !$0.contains("secret") })
        }
    }

    /// The call ends before the store has the response. The change on the server that the call shows does not concern its own
    /// response.
    @Test func responseToPostIsStoredAfterTheCall() async throws {
        let store = LateReads()
        let site = try HTTPCacheSite(
            store: store,
            willStore: { entry in
                // The removal of the older responses is over, so the store is read before it is changed.
                let isOver = DispatchSemaphore(value: 0)
                Task {
                    await SharedStore.of(store).finish()
                    isOver.signal()
                }
                isOver.wait()
                return entry
            })
        site.origin.reply.headers = [("Expires", "{3600}"), ("Content-Location", "http://example.com/a")]
        site.origin.reply.body = "posted"
        _ = try await site.send("POST")
        store.gate.open()
        await site.settle()
        #expect(try await site.send().body == Data("posted".utf8))
        #expect(site.origin.requests.count == 1)
    }

    /// A store whose reads wait at a gate.
    private final class LateReads: CacheStore {
        let gate = Gate()
        private let inner = BytesStore()

        func get(_ key: CacheKey) async throws -> CacheEntry? {
            try await gate.opened()
            return try await inner.get(key)
        }

        func set(_ entry: CacheEntry, for key: CacheKey) async throws { try await inner.set(entry, for: key) }

        func remove(_ key: CacheKey) async throws { try await inner.remove(key) }

        func removeAll(progress: @escaping @Sendable (CacheProgress) -> Void) async throws {
            try await inner.removeAll(progress: progress)
        }

        func entries() -> CacheEntries { inner.entries() }
    }
}
