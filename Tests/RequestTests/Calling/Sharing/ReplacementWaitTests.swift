import Foundation
import LoopbackServer
import TangoCache
import TangoPromise
import Testing

@testable import TangoRequest
@testable import TestSupport

/// Calls that wait before they are sent, so that a newer call can replace them.
@Suite(.timeLimit(.minutes(20))) struct ReplacementWaitTests {
    private let site: Site
    private let clock = ManualClock()
    private let client: Client
    private let heard = Facts()
    private let delay = Duration.milliseconds(300)

    init() throws {
        site = try Site()
        site.server.answer("/search") { request in .text("found \(request.query?.dropFirst("q=".count) ?? "")") }
        client = site.client(observers: [heard.observer()], clock: clock)
    }

    /// Waits until a number of calls has begun to wait. Their deadlines are fixed then.
    private func waits(_ count: Int) async {
        await heard.reached { $0.count { $0 == "waiting replacement" } >= count }
    }

    private func search(_ text: String, after delay: Duration? = nil, of client: Client? = nil) -> Fetch<String> {
        let request = Fetch<String>(.get("/search", query: ["q": text]), of: client ?? self.client)
        request.name = "search"
        request.kind = .replace(after: delay ?? self.delay)
        return request
    }

    /// The queries that the server has received.
    private var sent: [String] { site.server.requests.map { String(($0.query ?? "").dropFirst("q=".count)) } }

    @Test func onlyTheLastCallIsSent() async throws {
        var older: [Call<String>] = []
        for text in ["t", "ta", "tan"] {
            older.append(search(text).start())
            await waits(older.count)
            clock.advance(by: .milliseconds(299))
        }
        let last = search("tango").start()
        for call in older {
            let error = await refusal(of: call.promise)
            #expect(error?.code == .duplicate)
            #expect(error?.isReplaced == true)
            #expect(call.state == .finished(.duplicate))
            #expect(call.attempts.isEmpty)
        }
        await waits(4)
        #expect(last.state == .queued)
        #expect(sent.isEmpty)
        clock.advance(by: delay)
        #expect(try await last.value == "found tango")
        #expect(sent == ["tango"])
        #expect(client.activeCalls == 0)
    }

    @Test func aLoneCallWaitsToo() async throws {
        let call = search("a").start()
        await waits(1)
        clock.advance(by: .milliseconds(299))
        #expect(sent.isEmpty)
        clock.advance(by: .milliseconds(1))
        #expect(try await call.value == "found a")
    }

    @Test func aCallInFlightIsReplaced() async throws {
        let gate = Gate()
        site.server.answer("/search", with: .text("late").held(by: gate))
        let first = search("a").start()
        await waits(1)
        clock.advance(by: delay)
        try await gate.reached()
        let second = search("b").start()
        #expect(await refusal(of: first.promise)?.code == .duplicate)
        #expect(first.explanation?.isReplaced == true)
        await waits(2)
        clock.advance(by: delay)
        gate.open()
        #expect(try await second.value == "late")
        #expect(sent == ["a", "b"])
    }

    @Test func explanationsSayIt() async throws {
        let first = search("a").start()
        await waits(1)
        clock.advance(by: .milliseconds(120))
        let second = search("b").start()
        _ = await refusal(of: first.promise)
        #expect(first.explanation?.waitForReplacement == .milliseconds(120))
        #expect(
            first.explanation?.description
                == "waited 120 ms for a newer call to replace it\nwas replaced by a newer call")
        await waits(2)
        clock.advance(by: delay)
        _ = try await second.value
        #expect(second.explanation?.description == "waited 300 ms for a newer call to replace it")
        let third = search("c", after: .zero).start()
        _ = try await third.value
        #expect(third.explanation == nil)
    }

    @Test func promisesAndValuesWaitToo() async throws {
        let promise = search("a").promise
        await waits(1)
        let values = search("b").values
        let reading = Task {
            var received: [String] = []
            for try await value in values { received.append(value) }
            return received
        }
        #expect(await refusal(of: promise)?.code == .duplicate)
        await waits(2)
        clock.advance(by: delay)
        #expect(try await reading.value == ["found b"])
        #expect(sent == ["b"])
    }

    @Test func aCancelledCallIsNotSent() async throws {
        let call = search("a").start()
        await waits(1)
        call.cancel()
        #expect(await isCancelled(call.promise))
        clock.advance(by: delay)
        await client.shutdown()
        #expect(sent.isEmpty)
        #expect(!heard.all.contains { $0.hasPrefix("sending") })
    }

    /// The ends of all calls of a client.
    enum End: CaseIterable, Sendable {
        case shutDown, signOut
    }

    @Test(arguments: End.allCases) func aCallThatWaitsEndsWithItsUser(_ end: End) async throws {
        let call = search("a").start()
        await waits(1)
        switch end {
        case .shutDown:
            await client.shutdown()
            #expect(await refusal(of: call.promise)?.code == .shutDown)
        case .signOut:
            try await client.signOut()
            #expect(await refusal(of: call.promise)?.code == .signedOut)
        }
        clock.advance(by: delay)
        await client.shutdown()
        #expect(sent.isEmpty)
    }

    /// The wait comes before the line of the limiter.
    @Test func aCallThatWaitsKeepsNoOtherFromItsSlot() async throws {
        site.server.answer("/other", with: .text("other"))
        let client = client.with { $0.limiter = Limiter(total: 1) }
        let call = search("a", of: client).start()
        await waits(1)
        #expect(try await Fetch<String>(.get("/other"), of: client).promise.value == "other")
        #expect(sent == [""])
        clock.advance(by: delay)
        #expect(try await call.value == "found a")
    }

    @Test func totalTimeoutCountsTheWait() async throws {
        let request = search("a", after: .seconds(20))
        request.times = Timeouts(connect: nil, idle: nil, total: .seconds(10))
        let call = request.start()
        await waits(1)
        clock.advance(by: .seconds(10))
        let error = await refusal(of: call.promise)
        #expect(error?.code == .totalTimedOut)
        #expect(error?.detail.contains("it waited for a newer call to replace it") == true, "\(error?.detail ?? "")")
        #expect(sent.isEmpty)
    }

    /// A fresh response needs no request, so there is nothing to wait for.
    @Test(arguments: [CachePolicy.http, .cacheElseNetwork(maxAge: .seconds(60))])
    func cachedResponsesDoNotWait(policy: CachePolicy) async throws {
        let client = Client(baseURL: site.server.url, cache: MemoryStore()) {
            $0.clock = clock
            $0.timeouts = .patient
            $0.cachePolicy = policy
            $0.observers = [heard.observer()]
        }
        site.server.answer("/search", with: .text("a").header("Cache-Control", "max-age=60"))
        let first = search("a", of: client).start()
        await waits(1)
        clock.advance(by: delay)
        #expect(try await first.value == "a")
        let second = search("a", of: client).start()
        #expect(try await second.value == "a")
        #expect(second.response?.source.isCache == true)
        #expect(second.explanation?.waitForReplacement == nil)
        #expect(sent.count == 1)
    }

    @Test func redirectsAndRetriesWaitOnce() async throws {
        site.server.removeResponses()
        site.server.enqueue(.redirect(to: "/search?q=b"), .status(503), .text("found b"))
        let client = self.client.with { $0.retryPolicy = .exponential(attempts: 2, base: .zero, cap: .zero) }
        let call = search("a", of: client).start()
        await waits(1)
        clock.advance(by: delay)
        #expect(try await call.value == "found b")
        #expect(call.explanation?.waitForReplacement == delay)
        #expect(site.server.requests.count == 3)
    }

    @Test func negativeDelayIsRefused() async throws {
        let error = await refusal(of: search("a", after: .milliseconds(-1)).promise)
        #expect(error?.code == .badPolicy)
        #expect(error?.detail == "Uniqueness.replace(after:) has -1 ms: set zero or more")
        #expect(sent.isEmpty)
    }

    @Test func ruleIsInWords() {
        #expect("\(Uniqueness.replace(after: delay))" == "replace, after 300 ms")
        #expect(Uniqueness.replace(after: .zero) == .replace)
    }
}
