import Foundation
import Synchronization
import TangoCache
import Testing

@testable import TangoHTTP
@testable import TangoRequest
@testable import TestSupport

/// Background refreshes of stale responses, and hooks of the application.
@Suite(.timeLimit(.minutes(20)))
struct RefreshingTests {
    private static let swr = [("Cache-Control", "max-age=2, stale-while-revalidate=60"), ("ETag", "\"a\"")]

    /// A gate that holds requests until it is open.
    private final class Door: Sendable {
        private let state = Mutex((isOpen: false, waiting: [CheckedContinuation<Void, Never>]()))

        func pass() async {
            await withCheckedContinuation { continuation in
                let isOpen = state.withLock { state in
                    if !state.isOpen { state.waiting.append(continuation) }
                    return state.isOpen
                }
                if isOpen { continuation.resume() }
            }
        }

        func open() {
            let waiting = state.withLock { state in
                state.isOpen = true
                defer { state.waiting = [] }
                return state.waiting
            }
            for waiter in waiting { waiter.resume() }
        }
    }

    private func text(_ response: HTTPResponse) -> String { String(decoding: response.body, as: UTF8.self) }

    @Test func backgroundRefreshServesTheNextRequest() async throws {
        let site = try HTTPCacheSite()
        site.origin.reply = HTTPCacheOrigin.Reply(headers: Self.swr, body: "one")
        _ = try await site.send()
        site.wait(5)
        site.origin.reply = HTTPCacheOrigin.Reply(
            headers: [("Cache-Control", "max-age=60"), ("ETag", "\"b\"")], body: "two")
        let stale = try await site.send()
        #expect(text(stale) == "one")
        #expect(stale.source == .cache(age: .seconds(5), isStale: true))
        #expect(site.explanations.all.last?.outcome == .cachedAndRefreshing)
        await site.events.reaches(5)
        #expect(Set(site.events.all) == ["stored", "will refresh", "hit", "refreshed 200"])
        #expect(site.origin.requests.last?.headers["If-None-Match"] == "\"a\"")
        let fresh = try await site.send()
        #expect(text(fresh) == "two")
        #expect(!fresh.source.isStale)
        #expect(site.origin.requests.count == 2)
    }

    @Test func revalidationMakesAResponseFreshAgain() async throws {
        let site = try HTTPCacheSite()
        site.origin.reply = HTTPCacheOrigin.Reply(headers: Self.swr, body: "one")
        _ = try await site.send()
        site.wait(5)
        _ = try await site.send()
        await site.events.reaches(4)
        #expect(site.events.all.last == "refreshed 304")
        let fresh = try await site.send()
        #expect(text(fresh) == "one")
        #expect(!fresh.source.isStale)
    }

    @Test func requestsShareOneRefresh() async throws {
        let site = try HTTPCacheSite()
        site.origin.reply = HTTPCacheOrigin.Reply(headers: Self.swr, body: "one")
        _ = try await site.send()
        site.wait(5)
        let door = Door()
        site.origin.gate = { await door.pass() }
        for _ in 0..<20 { #expect(text(try await site.send()) == "one") }
        #expect(try site.refresher.count == 1)
        door.open()
        await site.events.reaches(23)
        #expect(site.events.all.filter { $0 == "will refresh" }.count == 1)
        #expect(site.origin.requests.count == 2)
    }

    @Test func refreshesAboveTheLimitWait() async throws {
        let site = try HTTPCacheSite()
        site.origin.reply = HTTPCacheOrigin.Reply(headers: Self.swr, body: "one")
        for number in 0..<10 { _ = try await site.send("GET", "http://example.com/\(number)") }
        site.wait(5)
        let door = Door()
        site.origin.gate = { await door.pass() }
        for number in 0..<10 {
            #expect(try await site.send("GET", "http://example.com/\(number)").source.isStale)
        }
        #expect(try site.refresher.count == 4)
        #expect(site.events.all.filter { $0 == "will refresh" }.count == 10)
        door.open()
        await site.events.reaches(40)
        #expect(site.events.all.filter { $0 == "refreshed 304" }.count == 10)
        for number in 0..<10 {
            #expect(try await !site.send("GET", "http://example.com/\(number)").source.isStale)
        }
        #expect(site.origin.requests.count == 20)
    }

    @Test func refreshIsRejectedIfTooManyWait() async {
        let refresher = BackgroundRefresher(limit: 1)
        let door = Door()
        let done = Noted<Int>()
        let count = BackgroundRefresher.waitLimit + 1
        for number in 0..<count {
            #expect(
                refresher.start(CacheKey("\(number)")) { _ in
                    await door.pass()
                    done.note(number)
                })
        }
        #expect(!refresher.start("1") { _ in })
        #expect(!refresher.start("one more") { _ in })
        #expect(refresher.count == 1)
        door.open()
        await done.reaches(count)
        #expect(done.all == Array(0..<count))
    }

    @Test func shutdownSkipsWaitingRefreshes() async {
        let refresher = BackgroundRefresher(limit: 1)
        let door = Door()
        let done = Noted<Int>()
        let left = Noted<Int>()
        for number in 0..<3 {
            refresher.start(CacheKey("\(number)")) { isWanted in
                guard isWanted else { return left.note(number) }
                await withTaskCancellationHandler {
                    await door.pass()
                } onCancel: {
                    door.open()
                }
                done.note(number)
            }
        }
        await refresher.shutdown()
        #expect(refresher.count == 0)
        #expect(done.all == [0])
        #expect(left.all == [1, 2])
    }

    @Test func removedResponseIsNotRefreshed() async throws {
        let site = try HTTPCacheSite()
        site.origin.reply = HTTPCacheOrigin.Reply(headers: Self.swr, body: "one")
        for number in 0..<5 { _ = try await site.send("GET", "http://example.com/\(number)") }
        site.wait(5)
        let door = Door()
        let reached = Noted<Bool>()
        site.origin.gate = {
            reached.note(true)
            await door.pass()
        }
        for number in 0..<5 { _ = try await site.send("GET", "http://example.com/\(number)") }
        await reached.reaches(4)
        try await site.signOut()
        door.open()
        await site.events.reaches(20)
        #expect(site.events.all.filter { $0 == "refresh failed" }.count == 1)
        #expect(site.origin.requests.count == 9)
        site.origin.gate = nil
        for number in 0..<5 {
            #expect(try await site.send("GET", "http://example.com/\(number)").source == .network)
        }
    }

    @Test func refreshDoesNotUndoANewerRevalidation() async throws {
        let site = try HTTPCacheSite()
        site.origin.reply = HTTPCacheOrigin.Reply(headers: Self.swr, body: "one")
        _ = try await site.send()
        site.wait(5)
        let door = Door()
        let reached = Noted<Bool>()
        site.origin.gate = {
            reached.note(true)
            await door.pass()
        }
        #expect(try await site.send().source.isStale)
        await reached.reaches(1)
        site.origin.gate = nil
        site.wait(1)
        site.origin.reply.confirming = [("Cache-Control", "max-age=1, must-revalidate"), ("ETag", "\"a\"")]
        #expect(
            try await site.send("GET", "http://example.com/a", [("Cache-Control", "no-cache")]).source == .validated)
        door.open()
        await site.events.reaches(5)
        #expect(site.events.all.last == "refreshed 304")
        site.wait(5)
        // It must not be served stale any more.
        #expect(try await site.send().source == .validated)
    }

    @Test func refreshOutlivesTheCallThatStartedIt() async throws {
        let site = try HTTPCacheSite()
        site.origin.reply = HTTPCacheOrigin.Reply(headers: Self.swr, body: "one")
        _ = try await site.send()
        site.wait(5)
        let door = Door()
        site.origin.gate = { await door.pass() }
        let call = Task { try await site.send() }
        _ = try await call.value
        call.cancel()
        #expect(site.client.activeCalls == 0)
        door.open()
        await site.events.reaches(4)
        #expect(site.events.all.last == "refreshed 304")
    }

    @Test func shutdownEndsARefreshAndRejectsNewOnes() async throws {
        let site = try HTTPCacheSite()
        site.origin.reply = HTTPCacheOrigin.Reply(headers: Self.swr, body: "one")
        _ = try await site.send()
        site.wait(5)
        let door = Door()
        site.origin.gate = { await door.pass() }
        _ = try await site.send()
        let refresher = try site.refresher
        async let end: Void = refresher.shutdown()
        door.open()
        await end
        #expect(try site.refresher.count == 0)
        #expect(text(try await site.send()) == "one")
        #expect(try site.refresher.count == 0)
    }

    @Test(arguments: [500, 503])
    func serverErrorLeavesTheCachedResponse(_ status: Int) async throws {
        let site = try HTTPCacheSite()
        site.origin.reply = HTTPCacheOrigin.Reply(headers: Self.swr, body: "one")
        _ = try await site.send()
        site.wait(5)
        site.origin.reply = HTTPCacheOrigin.Reply(status: status, headers: [("Cache-Control", "max-age=60")])
        _ = try await site.send()
        await site.events.reaches(4)
        #expect(site.events.all.last == "refreshed \(status)")
        #expect(text(try await site.send()) == "one")
    }

    @Test func failedRefreshIsReportedAndChangesNothing() async throws {
        let site = try HTTPCacheSite()
        site.origin.reply = HTTPCacheOrigin.Reply(headers: Self.swr, body: "one")
        _ = try await site.send()
        site.wait(5)
        site.origin.reply.error = .cannotConnect
        _ = try await site.send()
        await site.events.reaches(4)
        #expect(site.events.all.last == "refresh failed")
        #expect(text(try await site.send()) == "one")
    }

    @Test func refreshOfARangeRequestsTheWholeBody() async throws {
        let site = try HTTPCacheSite()
        site.origin.reply = HTTPCacheOrigin.Reply(headers: Self.swr, body: "one")
        _ = try await site.send()
        site.wait(5)
        let part = try await site.send("GET", "http://example.com/a", [("Range", "bytes=0-0")])
        #expect(text(part) == "o")
        await site.events.reaches(4)
        #expect(site.origin.requests.last?.headers.contains("Range") == false)
    }

    // MARK: Hooks of the application

    @Test func applicationMayPreventStoring() async throws {
        let site = try HTTPCacheSite(willStore: { _ in nil })
        site.origin.reply = HTTPCacheOrigin.Reply(headers: [("Cache-Control", "max-age=60")])
        _ = try await site.send()
        #expect(site.explanations.all.last?.notStored == .rejectedByOverride)
        #expect(try await site.send().source == .network)
    }

    @Test func applicationMayChangeStoredResponses() async throws {
        let site = try HTTPCacheSite(willStore: { entry in
            let head = entry.metadata["head"]?.replacing("max-age=60", with: "max-age=1000") ?? ""
            return CacheEntry(body: Data("changed".utf8), metadata: ["head": head + "\nEdited: yes"], tags: entry.tags)
        })
        site.origin.reply = HTTPCacheOrigin.Reply(headers: [("Cache-Control", "max-age=60")])
        let first = try await site.send()
        #expect(text(first) == "origin 1")
        #expect(first.headers["Edited"] == nil)
        site.wait(500)
        let second = try await site.send()
        #expect(text(second) == "changed")
        #expect(second.headers["Edited"] == "yes")
    }

    @Test func eventsDescribeEachStep() async throws {
        let site = try HTTPCacheSite()
        site.origin.reply = HTTPCacheOrigin.Reply(headers: [("Cache-Control", "max-age=2"), ("ETag", "\"a\"")])
        _ = try await site.send()
        _ = try await site.send()
        site.wait(5)
        _ = try await site.send()
        _ = try await site.send("DELETE")
        #expect(site.events.all == ["stored", "hit", "revalidated", "removed"])
    }

    // MARK: Without a network

    @Test func offlineModeSendsNoRequests() async throws {
        let store = MemoryStore()
        let site = try HTTPCacheSite(store: store)
        site.origin.reply = HTTPCacheOrigin.Reply(headers: [("Cache-Control", "max-age=2")], body: "one")
        _ = try await site.send()
        let offline = try HTTPCacheSite(store: store, isOffline: true)
        offline.wait(1000)
        offline.origin.reply.error = .cannotConnect
        let response = try await offline.send()
        #expect(text(response) == "one")
        #expect(response.source == .cache(age: .seconds(1000), isStale: true))
        #expect(offline.origin.requests.isEmpty)
        await #expect(throws: RequestError.self) { try await offline.send("GET", "http://example.com/b") }
    }

    @Test func staleResponsesCanBeForbidden() async throws {
        let site = try HTTPCacheSite(servesStaleOffline: false)
        site.origin.reply = HTTPCacheOrigin.Reply(headers: [("Cache-Control", "max-age=2")], body: "one")
        _ = try await site.send()
        site.wait(5)
        site.origin.reply.error = .cannotConnect
        await #expect(throws: RequestError.self) { try await site.send() }
    }

    @Test func staleIfErrorAppliesEvenIfStaleResponsesAreForbidden() async throws {
        let site = try HTTPCacheSite(servesStaleOffline: false)
        site.origin.reply = HTTPCacheOrigin.Reply(
            headers: [("Cache-Control", "max-age=2, stale-if-error=60")], body: "one")
        _ = try await site.send()
        site.wait(5)
        site.origin.reply.error = .cannotConnect
        #expect(text(try await site.send()) == "one")
        #expect(site.explanations.all.last?.reason == .staleIfError)
    }
}
