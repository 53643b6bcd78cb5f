import Foundation
import LoopbackServer
import Synchronization
import TangoCache
import TangoPromise
import Testing

@testable import TangoRequest
@testable import TestSupport

/// Slow observers, which delay the calls that they observe, and nothing else.
@Suite(.timeLimit(.minutes(20))) struct SlowObserverTests {
    /// An observer that blocks its thread at some events until a test opens it.
    final class Blocker: CallObserver {
        private let condition = NSCondition()
        private let blocks: @Sendable (CallEvent) -> Bool
        private let facts: Facts
        nonisolated(unsafe) private var isOpen = false  // guarded by the condition

        init(_ facts: Facts, at blocks: @escaping @Sendable (CallEvent) -> Bool) {
            self.facts = facts
            self.blocks = blocks
        }

        func observe(_ event: CallEvent) {
            if blocks(event) {
                facts.note("blocked")
                condition.lock()
                while !isOpen { condition.wait() }
                condition.unlock()
            }
            facts.note(event.word)
        }

        func open() {
            condition.lock()
            isOpen = true
            condition.broadcast()
            condition.unlock()
        }
    }

    let site: Site
    let facts = Facts()

    init() throws {
        site = try Site()
        site.server.answer("/a", with: .text("hello").informational(103))
        site.server.answer("/large", with: .generated(bytes: 3_000_000))
    }

    private func blocker(at word: String) -> Blocker {
        Blocker(facts) { $0.word.hasPrefix(word) }
    }

    // MARK: Work that is not delayed

    @Test(arguments: ["willStart", "sending", "informational", "progress", "response", "finished"])
    func aBlockedObserverDelaysNoOtherClient(word: String) async throws {
        let blocker = blocker(at: word)
        defer { blocker.open() }
        let watched = site.client(observers: [blocker])
        let other = site.client()
        // More calls than there are threads for tasks.
        let calls = (0..<20).map { _ in Fetch<String>(.get("/a"), of: watched).start() }
        await facts.reached("blocked")
        try await within { () async throws in
            for _ in 0..<5 {
                // Calls that the transport runs itself, calls in tasks, and observed calls.
                #expect(try await other.get("/a", as: String.self).value == "hello")
                #expect(try await other.send(HTTPRequest(url: site.server.url("/a"))).status == 200)
                let heard = Facts()
                let observed = Fetch<String>(.get("/a"), of: other)
                observed.watchers = [heard.observer()]
                #expect(try await observed.promise.value == "hello")
                #expect(heard.all.last == "finished success")
                #expect(try await Promise { 1 }.next { $0 + 1 }.value == 2)
            }
        }
        #expect(calls.allSatisfy { !$0.isFinished } || word == "finished")
        blocker.open()
        for call in calls { #expect(try await call.value == "hello") }
    }

    @Test func blockedObserverDelaysNoOtherCall() async throws {
        let first = Mutex<UInt64>(0)
        let blocker = Blocker(facts) { event in
            first.withLock { id in
                if id == 0 { id = event.call.id }
                return id == event.call.id
            }
        }
        defer { blocker.open() }
        let client = site.client(observers: [blocker])
        let call = Fetch<String>(.get("/a"), of: client).start()
        await facts.reached("blocked")
        try await within { () async throws in
            #expect(try await client.get("/a", as: String.self).value == "hello")
        }
        #expect(!call.isFinished)
        blocker.open()
        #expect(try await call.value == "hello")
    }

    /// The response has arrived, so that the server can take the next request.
    @Test func blockedObserverHoldsNoSlot() async throws {
        let blocker = blocker(at: "response")
        defer { blocker.open() }
        let limiter = Limiter(total: 1)
        let client = site.client(observers: [blocker]).with { $0.limiter = limiter }
        let call = Fetch<String>(.get("/a"), of: client).start()
        await facts.reached("blocked")
        try await within { () async throws in
            #expect(try await site.client().with { $0.limiter = limiter }.get("/a", as: String.self).value == "hello")
        }
        #expect(!call.isFinished)
        blocker.open()
        #expect(try await call.value == "hello")
    }

    @Test func blockedObserverDoesNotDelayTheCaller() async throws {
        let blocker = blocker(at: "willStart")
        defer { blocker.open() }
        let client = site.client(observers: [blocker])
        // start() and cancel() return although the observer blocks.
        let call = Fetch<String>(.get("/a"), of: client).start()
        await facts.reached("blocked")
        call.cancel()
        #expect(call.state == .finished(.cancelled))
        #expect(client.calls.isEmpty)
        blocker.open()
        #expect(await isCancelled(call.promise))
        #expect(facts.all == ["blocked", "willStart", "finished cancelled"])
    }

    #if os(Linux)
        @Test func observersRunOffTheMainAndTransportThreads() async throws {
            let names = Mutex<Set<String>>([])
            let observer = ClosureObserver { _ in
                #expect(!MainQueue.isCurrent)
                let name = (try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)) ?? "none"
                names.withLock { _ = $0.insert(name) }
            }
            let client = site.client(observers: [observer])
            for endpoint in [Endpoint.get("/large"), .put("/large", body: .data(Data(count: 3_000_000))), .undeclared] {
                let call = await MainActor.run { Fetch<Data>(endpoint, of: client).start() }
                _ = try? await call.value
            }
            let seen = names.withLock { $0 }
            #expect(!seen.isEmpty)
            #expect(!seen.contains { $0.hasPrefix("tango.curl") || $0 == "none" }, "\(seen)")
        }
    #endif

    // MARK: Work that waits for observers

    @Test func requestIsSentAfterObserversAreNotified() async throws {
        let blocker = blocker(at: "sending")
        defer { blocker.open() }
        let call = Fetch<String>(.get("/a"), of: site.client(observers: [blocker])).start()
        await facts.reached("blocked")
        #expect(try await site.client().get("/a", as: String.self).value == "hello")
        #expect(site.server.requestCount == 1)
        blocker.open()
        #expect(try await call.value == "hello")
        #expect(site.server.requestCount == 2)
    }

    @Test(arguments: ["willStart", "sending"])
    func requestIsNotSentWhenAnObserverCancels(word: String) async throws {
        let canceller = ClosureObserver { if $0.word == word { $0.call.cancel() } }
        let call = Fetch<String>(.get("/a"), of: site.client(observers: [canceller])).start()
        #expect(await isCancelled(call.promise))
        let transport = CurlTransport()
        #expect(
            try await stillness(of: { site.server.requests.count { $0.path == "/a" } }, transport, site.server) == 0)
        await transport.shutdown()
    }

    /// So a test that has the output may read what an observer recorded.
    @Test(arguments: [200, 404])
    func observersAreNotifiedBeforeThePromiseSettles(status: Int) async throws {
        site.server.answer("/b", with: .text("b", status: status))
        for _ in 0..<100 {
            let heard = Facts()
            let slow = ClosureObserver { event in
                Thread.sleep(forTimeInterval: 0.0005)
                heard.note(event.word)
            }
            let client = site.client(observers: [slow])
            let ended = Facts()
            let call = Fetch<String>(.get("/b"), of: client).start(on: .immediate) { _, _ in
                ended.note(heard.all.last ?? "")
            } failure: { _, _ in
                ended.note(heard.all.last ?? "")
            }
            _ = try? await call.value
            #expect(heard.all.last == (status == 200 ? "finished success" : "finished failure"))
            await ended.reached(count: 1)
            #expect(ended.all == heard.all.suffix(1))
        }
    }

    @Test func observersAreNotifiedBeforeShutdownReturns() async throws {
        let slow = ClosureObserver { event in
            Thread.sleep(forTimeInterval: 0.002)
            facts.note(event.word)
        }
        site.server.answer("/cached", with: .text("cached").header("Cache-Control", "max-age=60"))
        let client = Client(baseURL: site.server.url, cache: MemoryStore()) { $0.observers = [slow] }
        #expect(try await client.get("/cached", as: String.self).value == "cached")
        await client.shutdown()
        #expect(facts.all.filter { $0 == "stored" }.count == 1)
    }

    // MARK: Waiting events

    @Test func newerProgressReplacesWaitingProgress() async throws {
        let heard = Mutex<[CallProgress]>([])
        let isFirst = Atomic(true)
        let blocker = Blocker(facts) { event in
            guard case .progress(let progress) = event.kind else { return false }
            heard.withLock { $0.append(progress) }
            return isFirst.exchange(false, ordering: .relaxed)
        }
        defer { blocker.open() }
        let client = site.client(observers: [blocker])
        let call = Fetch<Data>(.get("/large"), of: client).start()
        await facts.reached("blocked")
        // The whole body arrives while the observer is blocked at the first progress.
        while call.core.transportProgress.snapshot.received < 3_000_000 { await Task.yield() }
        blocker.open()
        #expect(try await call.value.count == 3_000_000)
        let received = heard.withLock { $0.map(\.received) }
        #expect(received == received.sorted())
        #expect(received.last == 3_000_000)
        #expect(received.count <= 3)
        #expect(facts.all.suffix(2) == ["response 200", "finished success"])
    }

    @Test func equalProgressIsReportedOnce() async throws {
        let gate = Gate()
        site.server.answer("/held", with: .text("a").held(by: gate))
        let call = Fetch<String>(
            .get("/held"),
            of: site.client(observers: [
                ClosureObserver { event in
                    if case .progress(let progress) = event.kind, progress.sent > 1 { facts.note("\(progress.sent)") }
                }
            ])
        ).start()
        try await gate.reached()
        for (sent, attempt) in [(7, 1), (7, 1), (8, 1), (8, 1), (7, 1), (7, 2)] {
            call.core.notify(.progress(CallProgress(sent: sent)), attempt: attempt)
            await call.core.deliverEvents()
        }
        gate.open()
        _ = try await call.value
        #expect(facts.all == ["7", "8", "7", "7"])
    }

    @Test func onlyTheNewestInterimResponsesWait() async throws {
        let gate = Gate()
        site.server.answer("/held", with: .text("a").held(by: gate))
        let isFirst = Atomic(true)
        let blocker = Blocker(facts) { event in
            event.word.hasPrefix("informational") && isFirst.exchange(false, ordering: .relaxed)
        }
        defer { blocker.open() }
        let call = Fetch<String>(.get("/held"), of: site.client(observers: [blocker])).start()
        try await gate.reached()
        call.core.notify(.informational(100, [:]))
        await facts.reached("blocked")
        for number in 0..<10_000 { call.core.notify(.informational(HTTPStatus(101 + number % 2), [:])) }
        blocker.open()
        gate.open()
        #expect(try await call.value == "a")
        let interim = facts.all.filter { $0.hasPrefix("informational") }
        #expect(interim.count == 1 + CallEvents.interimLimit)
        #expect(interim.last == "informational 102")
        #expect(facts.all.suffix(2) == ["response 200", "finished success"])
    }

    @Test func eventsFromSeveralThreadsAreBalanced() async throws {
        struct Count { var open = 0, all = 0, bad = 0 }
        let counts = Mutex<[UInt64: Count]>([:])
        let inside = Mutex<Set<UInt64>>([])
        let observer = ClosureObserver { event in
            let id = event.call.id
            let isAlone = inside.withLock { $0.insert(id).inserted }
            counts.withLock { counts in
                var count = counts[id] ?? Count()
                count.all += 1
                if !isAlone { count.bad += 1 }
                switch event.kind {
                case .willStart: if count.all != 1 { count.bad += 1 }
                case .finished: count.open += 1
                default: if count.open != 0 { count.bad += 1 }
                }
                counts[id] = count
            }
            inside.withLock { _ = $0.remove(id) }
        }
        let client = site.client(observers: [observer])
        await withTaskGroup { group in
            for worker in 0..<8 {
                group.addTask {
                    for number in 0..<50 {
                        let call = Fetch<String>(.get("/a"), of: client).start()
                        if (number + worker) % 3 == 0 { call.cancel() }
                        _ = try? await call.value
                    }
                }
            }
        }
        await client.shutdown()
        #expect(counts.withLock { $0.count } == 400)
        #expect(counts.withLock { $0.values.allSatisfy { $0.open == 1 && $0.bad == 0 } })
    }
}
