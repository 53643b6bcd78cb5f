import Foundation
import LoopbackServer
import Synchronization
import TangoCache
import Testing

@testable import TangoRequest

/// How responses are kept: whole or not at all, while they are delivered, by whoever reads them.
@Suite(.timeLimit(.minutes(10)))
struct KeepingTests {
    private static let fresh = [("Cache-Control", "max-age=3600")]
    private static let portion = String(repeating: "0123456789abcdef", count: 1 << 10)
    private static let tag = [("ETag", "\"a\"")]

    private func streamed(_ count: Int, also headers: [(String, String)] = []) -> HTTPCacheOrigin.Reply {
        HTTPCacheOrigin.Reply(headers: Self.fresh + headers, portions: Array(repeating: Self.portion, count: count))
    }

    private func text(_ response: HTTPResponse) async throws -> String {
        var response = response
        try await response.collect()
        return String(decoding: response.body, as: UTF8.self)
    }

    @Test(arguments: [1, 2, 3, 20])
    func aStreamIsKeptWhileItIsRead(_ count: Int) async throws {
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

    @Test func aReaderThatLeavesEarlyKeepsNothing() async throws {
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

    @Test func aBodyThatNobodyReadsKeepsNothing() async throws {
        let site = try HTTPCacheSite()
        site.origin.reply = streamed(20)
        _ = try await site.send(delivery: .stream)
        #expect(try await site.store.statistics().count == 0)
    }

    @Test(arguments: [1, 20])
    func aBodyThatBreaksOffIsNotKept(_ count: Int) async throws {
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
    func theBeginningOfABodyThatBreaksOffIsKeptWhereTheRestCanBeAskedFor(_ count: Int) async throws {
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

    @Test func aLargeBodyIsNotWrittenAgainWhenItIsConfirmed() async throws {
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

    @Test func aLargeBodyThatIsReplacedIsRemoved() async throws {
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
    func whatHasLostItsBodyIsAskedForAgain(_ isFresh: Bool) async throws {
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

    @Test func aReaderIsNotDisturbedByWhoeverReplacesTheBody() async throws {
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

    @Test func aLimitHoldsForWhatIsKeptToo() async throws {
        let site = try HTTPCacheSite()
        site.origin.reply = streamed(20)
        _ = try await site.send()
        await #expect {
            try await site.send(delivery: .whole(limit: 100))
        } throws: { RequestError.Code.responseTooLarge ~= $0 }
    }

    @Test(arguments: ["memory", "SQLite", "files", "tiered"])
    func everyStoreWillDo(_ name: String) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "http-cache-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let store: any CacheStore =
            switch name {
            case "SQLite": try DiskStore(directory: folder)
            case "files": try DiskStore(directory: folder, engine: .files)
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
        #expect(try await store.statistics().count == 0)
    }

    @Test func manyAtOnceNeverMixHeadsAndBodies() async throws {
        let site = try HTTPCacheSite()
        site.origin.reply = HTTPCacheOrigin.Reply(headers: [("Cache-Control", "max-age=0"), ("Vary", "Foo")])
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<200 {
                group.addTask {
                    let foo = "\(number % 5)"
                    let response = try? await site.send("GET", "http://example.com/a", [("Foo", foo)])
                    guard let response, let count = response.headers["Origin-Count"] else {
                        Issue.record("no answer")
                        return
                    }
                    #expect(String(decoding: response.body, as: UTF8.self) == "answer \(count)")
                }
            }
        }
        let kept = try await site.kept()
        #expect(kept.count == 5)
        for response in kept {
            guard case .here(let data) = response.content.parts[0].place else {
                Issue.record("a small body is beside its head")
                continue
            }
            #expect(String(decoding: data, as: UTF8.self) == "answer \(response.headers["Origin-Count"] ?? "")")
        }
    }

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

    /// A body on a disk may have lost a bit, which is seen when it is read.
    @Test(arguments: [true, false])
    func whatIsKeptDamagedIsAskedForAgain(_ isFresh: Bool) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "http-cache-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let site = try HTTPCacheSite(store: try DiskStore(directory: folder))
        site.origin.reply = streamed(20, also: Self.tag)
        let body = try await site.send().body
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: [.fileSizeKey])
        var damaged = 0
        for case let file as URL in files ?? FileManager.DirectoryEnumerator() {
            guard file.path.contains("/bodies/"), let data = try? Data(contentsOf: file), data.count >= body.count
            else { continue }
            var bytes = data
            bytes[bytes.count / 2] ^= 1
            try bytes.write(to: file)
            damaged += 1
        }
        #expect(damaged == 1)
        if !isFresh { site.wait(4000) }
        let response = try await site.send()
        #expect(response.source == .network)
        #expect(response.body == body)
        #expect(site.events.all.contains("failed"))
        #expect(!site.events.all.contains("hit"))
        #expect(!site.events.all.contains("validated"))
        #expect(site.explanations.all.last?.reason == .bodyMissing)
        #expect(site.misses.all.last == .unusable)
        #expect(try await site.send().source.isCache)
    }

    @Test func whatIsReadAfterARecordingIsOverIsNoPartOfIt() async throws {
        let ends = Noted<Int>()
        let recorder = BodyRecorder(ResponseShelf(store: MemoryStore(), tags: []), "a")
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

    /// What the server has by now is something else, even if there is no room for it.
    @Test(arguments: [1, 20], [true, false])
    func aNewerAnswerThatCannotBeKeptLeavesNoOlderOne(_ count: Int, _ isStreamed: Bool) async throws {
        let store = FullStore()
        let site = try HTTPCacheSite(store: store)
        site.origin.reply = HTTPCacheOrigin.Reply(headers: Self.fresh, body: "old")
        _ = try await site.send()
        store.isFull.set()
        site.wait(1)
        site.origin.reply = streamed(count)
        let newer = try await site.send(
            "GET", "http://example.com/a", [("Cache-Control", "no-cache")], delivery: isStreamed ? .stream : .whole())
        let new = try await text(newer)
        #expect(try await text(site.send()) == new)
        #expect(site.origin.requests.count == 3)
    }

    @Test func aPartOfWhatIsKeptInFullLeavesItsBytesWhereTheyAre() async throws {
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
    func aReaderThatHasReadAllNeedsNoEnd(_ count: Int) async throws {
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

    /// What a change has made obsolete is not given, even while it cannot be removed.
    @Test func whatCannotBeRemovedIsNotGiven() async throws {
        let store = FullStore()
        let site = try HTTPCacheSite(store: store)
        site.origin.reply = HTTPCacheOrigin.Reply(headers: Self.fresh, body: "old")
        _ = try await site.send()
        store.isFull.set()
        _ = try await site.send("POST")
        #expect(site.events.all == ["stored", "failed"])
        site.origin.reply.body = "new"
        #expect(try await text(site.send()) == "new")
        store.isFull.clear()
        for _ in 0..<2 { #expect(try await text(site.send()) == "new") }
        #expect(site.origin.requests.count == 4)
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
        #expect(changes.hasRemoved("a1", since: old))
        #expect(!changes.hasRemoved("a1", since: young))
        #expect(!changes.hasRemoved("c", since: old))
        for number in 0..<Changes.limit { changes.note(CacheKey("b\(number)")) }
        // It may have been forgotten that there was one, and so there may have been.
        #expect(changes.hasRemoved("a1", since: old))
        #expect(changes.hasRemoved("c", since: old))
        #expect(!changes.hasRemoved("c", since: changes.mark))
    }

    @Test(arguments: [("", 1), ("a", 2)])
    func onlyABodyThatHasSomethingMakesADifference(_ text: String, _ count: Int) async throws {
        let site = try HTTPCacheSite()
        site.origin.reply = HTTPCacheOrigin.Reply(headers: Self.fresh)
        for _ in 0..<2 { _ = try await site.send(body: .data(Data(text.utf8))) }
        #expect(site.origin.requests.count == count)
    }

    /// Whoever passes requests on has bytes, and often there are none.
    @Test(arguments: [HTTPMethod.get, .head, .trace])
    func whereNoBodyIsExpectedAnEmptyOneIsNone(_ method: HTTPMethod) async throws {
        let server = try LoopbackServer()
        defer { server.stop() }
        server.answer(with: .text("a").header("Cache-Control", "max-age=60"))
        let client = Client(cache: MemoryStore())
        let endpoint = Endpoint(method: method, path: server.url.absoluteString, body: .data(Data()))
        let response: HTTPResponse = try await client.request(endpoint).value
        #expect(response.status == 200)
        #expect(try #require(server.requests.first).headers["Content-Length"] == nil)
    }

    @Test func whatAStoreHasOfAnotherFormIsNothing() async throws {
        let site = try HTTPCacheSite(store: BytesStore())
        site.origin.reply = HTTPCacheOrigin.Reply(headers: Self.fresh)
        _ = try await site.send()
        let key = HTTPCacheKey.responses(to: URL(string: "http://example.com/a")!, of: "")
        var random = SeededNumbers(seed: 3)
        let good = try #require(try await site.store.get(key))
        let lines = try #require(good.metadata["http"])
        for _ in 0..<500 {
            var bytes = Array(lines.utf8)
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[place] = UInt8.random(in: 0..<128, using: &random)
                case 1: bytes.removeSubrange(place...)
                default: bytes.insert(contentsOf: "999999999999999999\n".utf8, at: place)
                }
                if bytes.isEmpty { break }
            }
            var bad = good
            bad.metadata["http"] = String(decoding: bytes, as: UTF8.self)
            for response in StoredResponseCoding.responses(bad) where response.content.isComplete {
                #expect(response.content.count <= good.body.count)
            }
        }
        #expect(StoredResponseCoding.responses(CacheEntry(body: Data())).isEmpty)
    }

    @Test func aStoreThatFailsCostsNothingButTheCache() async throws {
        let site = try HTTPCacheSite(store: FailingStore())
        site.origin.reply = HTTPCacheOrigin.Reply(headers: Self.fresh)
        #expect(try await text(site.send()) == "answer 1")
        #expect(try await text(site.send(delivery: .stream)) == "answer 2")
        site.origin.reply = streamed(20)
        #expect(try await text(site.send(delivery: .stream)).utf8.count == 20 * Self.portion.utf8.count)
        _ = try await site.send("POST")
        #expect(Set(site.events.all).isSubset(of: ["failed", "removed"]))
        #expect(site.events.all.contains("failed"))
    }

    @Test(arguments: [Double.infinity, -.infinity, .nan, 1e300, -1e300, 0])
    func aClockThatIsWrongDoesNoHarm(_ now: Double) async throws {
        let site = try HTTPCacheSite(store: BytesStore())
        let url = try #require(URL(string: "http://example.com/a"))
        let cache = HTTPCacheInterceptor(store: site.store, now: { Date(timeIntervalSince1970: now) })
        let client = Client(transport: site.origin, interceptors: [cache])
        site.origin.reply = HTTPCacheOrigin.Reply(headers: Self.fresh + Self.tag)
        for _ in 0..<2 { #expect(try await client.send(HTTPRequest(url: url)).status == 200) }
        #expect(try await site.send().status == 200)
        #expect(try await client.send(HTTPRequest(url: url)).status == 200)
    }

    @Test func oneIdentityNeverSeesWhatAnotherWasGiven() async throws {
        let store = MemoryStore()
        let one = try HTTPCacheSite(store: store, identity: "one")
        one.origin.reply = HTTPCacheOrigin.Reply(
            headers: Self.fresh + [("Vary", "Cookie, Authorization")], body: "for one")
        _ = try await one.send("GET", "http://example.com/a", [("Cookie", "a=1")])
        #expect(try await one.send("GET", "http://example.com/a", [("Cookie", "a=2")]).source.isCache)
        let two = try HTTPCacheSite(store: store, identity: "two")
        two.origin.reply = HTTPCacheOrigin.Reply(headers: Self.fresh, body: "for two")
        #expect(try await text(two.send()) == "for two")
        let nobody = try HTTPCacheSite(store: store)
        nobody.origin.reply = HTTPCacheOrigin.Reply(headers: Self.fresh, body: "for nobody")
        #expect(try await text(nobody.send()) == "for nobody")
        #expect(try await text(one.send()) == "for one")
        try await store.remove(tag: HTTPCacheInterceptor.tag(identity: "one"))
        one.origin.reply.body = "anew"
        #expect(try await text(one.send()) == "anew")
        #expect(try await text(two.send()) == "for two")
    }

    @Test func noKeyShowsACredential() async throws {
        let site = try HTTPCacheSite()
        site.origin.reply = HTTPCacheOrigin.Reply(headers: Self.fresh)
        _ = try await site.send("GET", "http://example.com/a", [("Authorization", "Bearer secret")])
        for try await item in site.store.entries() {
            #expect(item.key.text?.contains("secret") == false)
            #expect(item.metadata.values.allSatisfy { !$0.contains("secret") })
        }
    }
}

extension HTTPCacheSite {
    /// The entries that hold nothing but a body.
    func bodyKeys() async throws -> [CacheKey] {
        var keys: [CacheKey] = []
        for try await item in store.entries() where item.metadata.isEmpty { keys.append(item.key) }
        return keys
    }

    /// What is kept for the URL of most tests.
    func kept() async throws -> [StoredResponse] {
        try await ResponseShelf(store: store, tags: [])
            .responses(for: HTTPCacheKey.responses(to: URL(string: "http://example.com/a")!, of: ""))
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

/// A store that takes nothing new once it is full, and then fails to remove what has a prefix.
private final class FullStore: CacheStore {
    final class Full: Sendable {
        private let value = Mutex(false)
        func set() { value.withLock { $0 = true } }
        func clear() { value.withLock { $0 = false } }
        func check() throws {
            if value.withLock(\.self) { throw CacheError(.diskFull, "There is no room.") }
        }
    }

    private let memory = MemoryStore()
    let isFull = Full()

    func get(_ key: CacheKey) async throws -> CacheEntry? { memory.peek(key) }

    func set(_ entry: CacheEntry, for key: CacheKey) async throws {
        try isFull.check()
        try memory.put(entry, for: key)
    }

    func remove(_ key: CacheKey) async throws { memory.drop(key) }

    func remove(prefix: CacheKey) async throws -> Int {
        try isFull.check()
        return try await memory.remove(prefix: prefix)
    }

    func removeAll(progress: @escaping @Sendable (CacheProgress) -> Void) async throws { memory.dropAll() }
    func entries() -> CacheEntries { memory.entries() }
}

/// A store that never works.
private final class FailingStore: CacheStore {
    private let error = CacheError(.diskFull, "There is no room.")

    func get(_ key: CacheKey) async throws -> CacheEntry? { throw error }
    func set(_ entry: CacheEntry, for key: CacheKey) async throws { throw error }
    func remove(_ key: CacheKey) async throws { throw error }
    func removeAll(progress: @escaping @Sendable (CacheProgress) -> Void) async throws { throw error }
    func entries() -> CacheEntries { CacheEntries { throw CacheError(.diskFull, "There is no room.") } }
}
