import Foundation
import LoopbackServer
import Synchronization
import TangoCache
import TangoPromise
import TangoRequest
import Testing

@testable import TestSupport

/// The log of a client, as its sink receives it.
@Suite(.timeLimit(.minutes(20)))
struct CallLogTests {
    private let site: Site
    private let entries = Entries()

    init() throws { site = try Site() }

    private func client(
        _ level: CallLog.Level, bodyLimit: Int = 2_000, cache: (any CacheStore)? = nil,
        _ change: (inout Client.Configuration) -> Void = { _ in }
    ) -> Client {
        Client(baseURL: site.server.url, cache: cache) {
            $0.timeouts = .patient
            $0.log = CallLog(level, bodyLimit: bodyLimit) { [entries] in entries.add($0) }
            change(&$0)
        }
    }

    /// The lines, with `<url>` for the URL of the server, and `<time>` for each time.
    private var lines: [String] {
        entries.all.map { entry in
            entry.description.replacing(site.server.url.absoluteString, with: "<url>")
                .replacing(/[0-9.]+ m?s\b/, with: "<time>")
        }
    }

    /// A server may not move the cursor, colour the terminal, or begin a line that looks like an entry.
    @Test func charactersThatAreNotPrintableAreEscaped() async throws {
        site.server.answer(
            with: .text("a\rb\u{85}c\u{2028}d\u{202E}e\tf\r\ng").header("X-Name", "a\u{9B}31m\u{2066}b\u{2029}c"))
        let call = Fetch<String>(.get("/a"), of: client(.body)).start()
        _ = try await call.value
        let text = try #require(entries.all.last).text
        #expect(text.hasSuffix("\n\n    a\\u{d}b\\u{85}c\\u{2028}d\\u{202e}e\tf\n    g"))
        #expect(text.contains("X-Name: a\\u{9b}31m\\u{2066}b\\u{2029}c\n"))
    }

    // MARK: Lines

    @Test func requestAndResponseAreLines() async throws {
        site.server.answer("/users", with: .text("Ada"))
        let call = Fetch<String>(.get("/users"), of: client(.line)).start()
        _ = try await call.value
        #expect(lines == ["#\(call.id).1 → GET <url>/users", "#\(call.id).1 ← 200 OK, 3 bytes in <time>"])
        #expect(entries.all.map(\.severity) == [.info, .info])
    }

    @Test func bodyHasItsSizeAndType() async throws {
        site.server.answer("/users", with: .status(201))
        let call = Fetch<Data>(.post("/users", body: .json(["a": 1])), of: client(.line)).start()
        _ = try await call.value
        #expect(lines[0] == "#\(call.id).1 → POST <url>/users, 7 bytes of application/json")
    }

    @Test func retriesHaveTheNumberOfTheirCall() async throws {
        site.server.enqueue(.text("busy", status: 503), .text("ok"))
        let client = client(.line) {
            $0.retryPolicy = .exponential(attempts: 2, base: .milliseconds(1), cap: .milliseconds(1))
        }
        let call = Fetch<String>(.get("/a"), of: client).start()
        #expect(try await call.value == "ok")
        #expect(
            lines.map { $0.replacing(" in <time>", with: "") } == [
                "#\(call.id).1 → GET <url>/a", "#\(call.id).1 ← 503 Service Unavailable, 4 bytes",
                "#\(call.id) retry", "#\(call.id).2 → GET <url>/a (retry)", "#\(call.id).2 ← 200 OK, 2 bytes",
            ])
        #expect(entries.all.map(\.severity) == [.info, .warning, .info, .info, .info])
    }

    @Test func redirectsNameTheirTargets() async throws {
        site.server.answer("/a", with: .redirect(to: "/b?token=secret"))
        site.server.answer("/b", with: .text("ok"))
        let call = Fetch<String>(.get("/a"), of: client(.line)).start()
        _ = try await call.value
        #expect(lines[1] == "#\(call.id).1 ← 302 Found, 0 bytes in <time>, to /b?token=…")
        #expect(lines[2] == "#\(call.id) redirect to GET <url>/b?token=…")
        #expect(lines[3] == "#\(call.id).2 → GET <url>/b?token=… (redirect)")
    }

    @Test func failuresSayWhatFailed() async throws {
        site.server.answer("/a", with: Response.text("lost").failing(.reset, at: .response))
        let call = Fetch<String>(.post("/a"), of: client(.line)).start()
        let error = try #require(await refusal(of: call.promise))
        #expect(lines[1] == "#\(call.id).1 ✗ failed in <time>: connectionLost")
        #expect(entries.all.last?.description == "#\(call.id) ✗ \(error)")
        #expect(entries.all.map(\.severity) == [.info, .warning, .error])
    }

    @Test func refusedStatusIsAnErrorOfItsCall() async throws {
        site.server.answer("/a", with: .text("none", status: 404))
        let call = Fetch<String>(.get("/a"), of: client(.line)).start()
        let error = try #require(await refusal(of: call.promise))
        #expect(lines[1] == "#\(call.id).1 ← 404 Not Found, 4 bytes in <time>")
        #expect(entries.all.last?.description == "#\(call.id) ✗ \(error)")
    }

    @Test func callThatCannotBeSentFailsInOneLine() async throws {
        let call = Fetch<String>(.undeclared, of: client(.line)).start()
        let error = try #require(await refusal(of: call.promise))
        #expect(entries.all.map(\.description) == ["#\(call.id) ✗ \(error)"])
    }

    @Test func cancellingIsNoError() async throws {
        let gate = Gate()
        site.server.answer("/a", with: Response.text("late").held(by: gate))
        let call = Fetch<String>(.get("/a"), of: client(.line)).start()
        try await gate.reached()
        call.cancel()
        _ = await call.promise.result
        #expect(lines.prefix(2) == ["#\(call.id).1 → GET <url>/a", "#\(call.id) cancelled"])
        gate.open()
    }

    @Test func cachedResponseIsOneLine() async throws {
        site.server.answer("/a", with: Response.text("ok").header("Cache-Control", "max-age=600"))
        let client = client(.line, cache: MemoryStore())
        _ = try await Fetch<String>(.get("/a"), of: client).promise.value
        entries.removeAll()
        let call = Fetch<String>(.get("/a"), of: client).start()
        _ = try await call.value
        #expect(lines == ["#\(call.id) = GET <url>/a: 200 OK, 2 bytes from the cache (fresh, <time> old)"])
    }

    @Test func joinedCallsNameTheCallThatSends() async throws {
        let gate = Gate()
        site.server.answer("/a", with: Response.text("ok").held(by: gate))
        let client = client(.line) { $0.uniqueness = .join }
        let first = Fetch<String>(.get("/a"), of: client).start()
        try await gate.reached()
        let second = Fetch<String>(.get("/a"), of: client).start()
        gate.open()
        _ = try await (first.value, second.value)
        #expect(
            lines == [
                "#\(first.id).1 → GET <url>/a", "#\(second.id) joins #\(first.id): GET <url>/a",
                "#\(first.id).1 ← 200 OK, 2 bytes in <time>",
            ])
    }

    @Test func streamedBodyHasAnEnd() async throws {
        site.server.answer("/a", with: .text("streamed"))
        var response = try await client(.body).send(HTTPRequest(.get, site.server, "/a"), delivery: .stream)
        try await response.collect()
        let id = try #require(entries.all.first).call
        #expect(lines[0] == "#\(id).1 → GET <url>/a")
        #expect(lines.contains { $0.hasPrefix("#\(id).1 ← 200 OK, ") })
    }

    @Test func waitForTheLimiterIsALine() async throws {
        let gate = Gate()
        site.server.answer("/a", with: Response.text("ok").held(by: gate))
        let client = client(.line) { $0.limiter = Limiter(perHost: 1) }
        let first = Fetch<String>(.get("/a"), of: client).start()
        try await gate.reached()
        let second = Fetch<String>(.get("/a"), of: client).start()
        await entries.first { $0.text.hasPrefix("waits") }
        gate.open()
        _ = try await (first.value, second.value)
        #expect(lines.contains("#\(second.id) waits for a slot of the limiter"))
    }

    // MARK: Levels

    @Test(arguments: CallLog.Level.allCases)
    func levelsAddDetail(_ level: CallLog.Level) async throws {
        site.server.answer("/a", with: Response.json(#"{"id":1}"#).header("X-Trace", "1"))
        _ = try await Fetch<Data>(
            .post("/a", headers: ["X-Mark": "m"], body: .json(["name": "Ada"])), of: client(level)
        ).promise.value
        let text = lines.joined(separator: "\n")
        #expect(entries.all.isEmpty == (level == .off))
        #expect(text.contains("\n    X-Mark: m") == (level >= .headers))
        #expect(text.contains("\n    X-Trace: 1") == (level >= .headers))
        #expect(text.contains("\n    {\"name\":\"Ada\"}") == (level >= .body))
        #expect(text.contains("\n    {\"id\":1}") == (level >= .body))
    }

    @Test func longBodyIsCutOff() async throws {
        site.server.answer("/a", with: .text(String(repeating: "x", count: 5_000)))
        _ = try await Fetch<String>(.get("/a"), of: client(.body, bodyLimit: 10)).promise.value
        #expect(lines[1].hasSuffix("\n\n    xxxxxxxxxx… (5000 bytes in all)"))
    }

    @Test func secretIsReplacedBeforeTheBodyIsCutOff() async throws {
        site.server.answer("/a", with: .json(#"{"page":1,"token":"half-of-this-is-secret"}"#))
        _ = try await Fetch<Data>(.get("/a"), of: client(.body, bodyLimit: 28)).promise.value
        #expect(!lines[1].contains("half"))
    }

    @Test func binaryBodyIsASize() async throws {
        site.server.answer("/a", with: .bytes([0, 1, 2], type: "application/octet-stream"))
        _ = try await Fetch<Data>(.get("/a"), of: client(.body)).promise.value
        #expect(lines[1].hasPrefix("#") && lines[1].contains("← 200 OK, 3 bytes in <time>"))
        #expect(!lines[1].contains("\n\n"))
    }

    @Test func furtherLinesAreIndented() async throws {
        site.server.answer("/a", with: .text("one\ntwo\r\nthree"))
        _ = try await Fetch<String>(.get("/a"), of: client(.body)).promise.value
        #expect(lines[1].hasSuffix("\n\n    one\n    two\n    three"))
    }

    @Test func logKeepsTheDirectPath() async throws {
        let gate = Gate()
        site.server.answer("/a", with: .text("ok").held(by: gate))
        let call = Fetch<String>(.get("/a"), of: client(.line)).start()
        // Only a request that is handed to the transport on the thread of the caller is in the log already.
        #expect(lines == ["#\(call.id).1 → GET <url>/a"])
        gate.open()
        _ = try await call.value
    }

    // MARK: Sinks

    @Test func colourTellsFailuresApart() {
        let texts = [CallLog.Entry.Severity.info, .warning, .error].map { severity in
            CallLog.text(of: CallLog.Entry(severity, call: 7, text: "text"), isColored: true)
        }
        #expect(texts == ["#7 text\n", "\u{1B}[33m#7 text\u{1B}[0m\n", "\u{1B}[31m#7 text\u{1B}[0m\n"])
        #expect(CallLog.text(of: CallLog.Entry(.error, call: 7, text: "text"), isColored: false) == "#7 text\n")
    }

    @Test(arguments: [
        (Duration.zero, "0 ms"), (.nanoseconds(20), "0 ms"), (.nanoseconds(500), "0.0005 ms"),
        (.microseconds(-5), "-0.005 ms"), (.microseconds(9_126), "9.13 ms"), (.microseconds(999_949), "1 s"),
        (.milliseconds(12), "12 ms"), (.microseconds(12_345), "12.3 ms"), (.microseconds(123_456), "123 ms"),
        (.microseconds(999_960), "1 s"), (.milliseconds(1_250), "1.25 s"), (.seconds(90), "90 s"),
        (.seconds(-1), "-1 s"), (.seconds(Int64.min), "-9.223372036854776e+18 s"),
        (.seconds(Int64.max), "9.223372036854776e+18 s"),
    ])
    func durationsHaveThreeDigits(_ duration: Duration, _ text: String) {
        #expect(duration.text == text)
    }
}

/// The entries of a test, from any thread.
private final class Entries: Sendable {
    private struct State {
        var entries: [CallLog.Entry] = []
        var waiter: (@Sendable (CallLog.Entry) -> Bool, CheckedContinuation<Void, Never>)?
    }

    private let state = Mutex(State())

    var all: [CallLog.Entry] { state.withLock(\.entries) }

    func add(_ entry: CallLog.Entry) {
        let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
            state.entries.append(entry)
            guard let waiter = state.waiter, waiter.0(entry) else { return nil }
            state.waiter = nil
            return waiter.1
        }
        waiter?.resume()
    }

    func removeAll() {
        state.withLock { $0.entries = [] }
    }

    /// Returns once there is such an entry.
    func first(where matches: @escaping @Sendable (CallLog.Entry) -> Bool) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.entries.contains(where: matches) { return true }
                state.waiter = (matches, continuation)
                return false
            }
            if isThere { continuation.resume() }
        }
    }
}
