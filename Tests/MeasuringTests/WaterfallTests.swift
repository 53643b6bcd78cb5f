import Foundation
import LoopbackServer
import TangoCache
import TangoPromise
import TangoTesting
import Testing

@testable import TangoMeasuring
@testable import TangoRequest
@testable import TestSupport

/// Drawings of calls over time.
@Suite(.timeLimit(.minutes(20)))
struct WaterfallTests {
    private func milliseconds(_ count: Int) -> Duration { .milliseconds(count) }

    private func attempt(
        _ number: Int, _ cause: String, _ start: Int, _ end: Int, _ result: String, connect: Int? = nil,
        wait: Int? = nil,
        receive: Int? = nil, queue: Int? = nil
    ) -> WaterfallCall.Attempt {
        var phases = AttemptPhases()
        phases.connect = connect.map(milliseconds)
        phases.wait = wait.map(milliseconds)
        phases.receive = receive.map(milliseconds)
        phases.queue = queue.map(milliseconds)
        return WaterfallCall.Attempt(
            number: number, cause: cause, start: milliseconds(start), end: milliseconds(end), phases: phases,
            result: result)
    }

    private var calls: [WaterfallCall] {
        [
            WaterfallCall(
                id: 1, name: "GET /users/1", start: .zero, end: milliseconds(40),
                attempts: [attempt(1, "first", 0, 40, "200", connect: 10, wait: 20, receive: 10)]),
            WaterfallCall(
                id: 2, name: "GET /flaky", start: .zero, end: milliseconds(100),
                attempts: [
                    attempt(1, "first", 20, 40, "503", wait: 10, receive: 10, queue: 20),
                    attempt(2, "retry", 80, 100, "200", wait: 10, receive: 10),
                ], decoding: .zero),
            WaterfallCall(
                id: 3, name: "GET /users/1", start: milliseconds(60), end: milliseconds(60), note: "from the cache"),
            WaterfallCall(
                id: 4, name: "GET /lost", start: milliseconds(60), end: milliseconds(80),
                attempts: [attempt(1, "first", 60, 80, "connectionLost")], failure: "connectionLost"),
        ]
    }

    private func text(_ calls: [WaterfallCall], width: Int = 70, isColored: Bool = false) -> String {
        let rows = calls.flatMap(WaterfallRow.rows)
        let end = rows.flatMap(\.bars).map(\.end).max() ?? .zero
        let content = WaterfallContent(rows: rows, server: nil, start: .zero, end: end)
        return WaterfallText(content: content, width: width, isColored: isColored).text
    }

    @Test func textHasARowForEachAttempt() {
        #expect(
            text(calls) == """
                                0                         100 ms
                #1 GET /users/1 ccc──────████                    200, 40 ms
                #2 GET /flaky   ░░░░░░───████                    503
                  retry                     ·············───████ 200, 100 ms
                #3 GET /users/1                    *             from the cache, 0 ms
                #4 GET /lost                       ───────       connectionLost, 20 ms
                · gap  ░ queue  c connect  ─ wait  █ receive  * cache

                """)
    }

    @Test func textWithoutCallsSaysSo() {
        #expect(text([]) == "no calls\n")
        #expect(Waterfall().text() == "no calls\n")
    }

    @Test func coloursAreForTerminalsOnly() {
        #expect(text(calls, isColored: true).contains("\u{1B}[33mccc\u{1B}[0m"))
        #expect(!text(calls).contains("\u{1B}"))
    }

    @Test func longNamesAndNarrowTerminalsAreCut() {
        var call = calls[0]
        call = WaterfallCall(
            id: 1, name: "GET /" + String(repeating: "long/", count: 50), start: call.start, end: call.end,
            attempts: call.attempts)
        for line in text([call], width: 40).split(separator: "\n").dropLast() { #expect(line.count <= 40) }
        #expect(text([call], width: 40).contains("…"))
    }

    @Test func timeThatNoPhaseExplainsIsWaiting() {
        let rows = WaterfallRow.rows(of: calls[3])
        #expect(rows[0].bars == [WaterfallRow.Bar(phase: .wait, start: milliseconds(60), end: milliseconds(80))])
    }

    @Test func phasesNeverLeaveTheirAttempt() {
        let call = WaterfallCall(
            id: 1, name: "GET /", start: .zero, end: milliseconds(10),
            attempts: [attempt(1, "first", 0, 10, "200", connect: 30, wait: 20, receive: 40)])
        for bar in WaterfallRow.rows(of: call)[0].bars { #expect(bar.end <= milliseconds(10)) }
    }

    @Test func serverOfAllCallsIsNamedOnce() {
        func call(_ name: String) -> WaterfallCall { WaterfallCall(id: 1, name: name, start: .zero, end: .zero) }
        var calls = [call("GET https://a.test/b?c=https://a.test"), call("POST https://a.test/")]
        #expect(calls.removeCommonServer() == "https://a.test")
        #expect(calls.map(\.name) == ["GET /b?c=https://a.test", "POST /"])
        calls = [call("GET https://a.test/b"), call("GET https://b.test/b")]
        #expect(calls.removeCommonServer() == nil)
        #expect(calls[0].name == "GET https://a.test/b")
    }

    // MARK: Pages

    private func page(_ rows: [WaterfallRow], to end: Duration, title: String) -> String {
        WaterfallPage(content: WaterfallContent(rows: rows, server: nil, start: .zero, end: end), title: title).html
    }

    @Test func pageEscapesAllTexts() {
        let rows = [
            WaterfallRow(
                label: "#1 GET /?q=<script>alert('1')</script>&\"",
                bars: [.init(phase: .wait, start: .zero, end: .seconds(1))], note: "<b>")
        ]
        let html = page(rows, to: .seconds(1), title: "a < b & c")
        #expect(!html.contains("<script") && !html.contains("<b>"))
        #expect(html.contains("&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;&quot;"))
        #expect(html.contains("<title>a &lt; b &amp; c</title>"))
    }

    @Test func pageNeedsNothingElse() {
        let rows = calls.flatMap(WaterfallRow.rows)
        let html = page(rows, to: .milliseconds(100), title: "Run")
        for reference in ["http:", "https:", "src=", "href=", "url(", "@import", "<script"] {
            #expect(!html.contains(reference), "\(reference)")
        }
        #expect(html.contains(#"<i class="connect" style="left:0.0%;width:10.0%" title="connect 10 ms"></i>"#))
        #expect(html.contains("<td>200, 100 ms</td>"))
        // Each element that begins also ends.
        for tag in ["table", "tr", "td", "th", "ul", "li", "style", "body", "html", "i"] {
            let opened = html.matches(of: try! Regex("<\(tag)[ >]")).count
            #expect(opened == html.matches(of: try! Regex("</\(tag)>")).count, "\(tag)")
        }
    }

    // MARK: Pictures

    private func picture(_ rows: [WaterfallRow], to end: Duration) -> String {
        WaterfallPicture(content: WaterfallContent(rows: rows, server: "https://a.test", start: .zero, end: end)).svg
    }

    @Test func pictureHasABarForEachPhase() {
        let svg = picture(calls.flatMap(WaterfallRow.rows), to: .milliseconds(100))
        let document = SVGReader(svg)
        #expect(document.problem == nil)
        let rows = calls.flatMap(WaterfallRow.rows)
        let phases = Set(rows.flatMap(\.bars).map(\.phase.rawValue))
        // The bars of the rows, and one square of each phase in the legend.
        #expect(document.bars.count == rows.map(\.bars.count).reduce(0, +) + phases.count)
        #expect(Set(document.bars.map(\.phase)) == phases)
        for row in rows { #expect(document.texts.contains(row.label.trimmingCharacters(in: .whitespaces))) }
        #expect(document.texts.contains("https://a.test") && document.texts.contains("100 ms"))
    }

    @Test func barsOfAPictureHaveTheLengthOfTheirTime() throws {
        let bars: [WaterfallRow.Bar] = [
            .init(phase: .connect, start: .zero, end: .seconds(1)),
            .init(phase: .wait, start: .seconds(1), end: .seconds(4)),
            .init(phase: .receive, start: .seconds(4), end: .seconds(4)),
        ]
        let drawn = SVGReader(picture([WaterfallRow(label: "#1", bars: bars, note: "200")], to: .seconds(4))).bars
        #expect(drawn.prefix(3).map(\.phase) == ["connect", "wait", "receive"])
        #expect(drawn[1].x == drawn[0].x + drawn[0].width)
        #expect(drawn[1].width == 3 * drawn[0].width)
        #expect(drawn[2].width == 2)  // a part that took no time can be seen
    }

    @Test func pictureEscapesAllTexts() {
        let bar = WaterfallRow.Bar(phase: .wait, start: .zero, end: .seconds(1))
        let document = SVGReader(picture([WaterfallRow(label: "  <a>&\"", bars: [bar], note: "<b>'")], to: .seconds(1)))
        #expect(document.problem == nil)
        #expect(document.texts.contains("<a>&\"") && document.texts.contains("<b>'"))
    }

    @Test func pictureOfNoCallsIsEmpty() {
        let document = SVGReader(Waterfall().svg())
        #expect(document.problem == nil)
        #expect(document.bars.isEmpty)
        #expect(document.title == "No calls.")
    }

    // MARK: Runs

    @Test func callsOfAClientAreDrawn() async throws {
        let site = try Site()
        site.server.enqueue(
            .status(503), .redirect(to: "/b"), Response.text("ok").header("Cache-Control", "max-age=600"),
            Response.text("lost").failing(.reset, at: .response))
        let waterfall = Waterfall()
        let client = Client(baseURL: site.server.url, cache: MemoryStore()) {
            $0.observers = [waterfall]
            $0.timeouts = .patient
            $0.retryPolicy = .exponential(attempts: 2, base: .zero, cap: .zero)
        }
        _ = try await Fetch<String>(.get("/a", query: ["token": "secret"]), of: client).promise.value
        _ = try await Fetch<String>(.get("/b"), of: client).promise.value
        _ = try? await Fetch<String>(.post("/c"), of: client).promise.value
        let text = waterfall.text(width: 160, isColored: false)
        let lines = text.split(separator: "\n").dropFirst().dropLast()
        try #require(lines.count == 5, "\(text)")
        let rows = Array(lines)
        #expect(rows[0].hasPrefix("#") && rows[0].contains(" GET /a?token=…") && rows[0].hasSuffix("503"))
        #expect(rows[1].hasPrefix("  retry") && rows[1].hasSuffix("302"))
        #expect(rows[2].hasPrefix("  redirect") && rows[2].contains("200, "))
        #expect(rows[3].contains("*") && rows[3].contains("from the cache, "))
        #expect(rows[4].contains("POST") && rows[4].contains("connectionLost"))
        #expect(text.hasPrefix("http://127.0.0.1:"))
        #expect(!waterfall.html().contains("secret"))
        let picture = SVGReader(waterfall.svg())
        #expect(picture.texts.contains { $0.hasSuffix(" GET /a?token=…") } && picture.texts.contains("redirect"))
    }

    @Test func oldestCallsAreLeftOut() async throws {
        let mock = MockTransport()
        mock.stub(.get, "/{number}")
        let waterfall = Waterfall(limit: 3)
        let client = Client(baseURL: URL(string: "https://a.test")) {
            $0.transport = mock
            $0.observers = [waterfall]
        }
        for number in 1...5 { _ = try await Fetch<Data>(.get("/\(number)"), of: client).promise.value }
        let text = waterfall.text(isColored: false)
        for number in 1...5 { #expect(text.contains("GET /\(number)") == (number > 2)) }
    }
}
