import Foundation
import LoopbackServer
import Tango
import TangoMeasuring
import TangoTesting

/// Chapter five: a run with retries, redirects and hits, drawn as a text and as a page, counted and recorded.
func measuring() async throws {
    let server = try LoopbackServer()
    let user = ProcessInfo.processInfo.userName
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("tango-tour-\(user)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let page = folder.appendingPathComponent("waterfall.html")
    let picture = Picture.file ?? folder.appendingPathComponent("waterfall.svg")
    let har = folder.appendingPathComponent("run.har")
    let waterfall = Waterfall()
    let recorder = try HARRecorder(file: har)
    let client = Client(baseURL: server.url, cache: MemoryStore()) {
        $0.collectsStatistics = true
        $0.observers = [waterfall, recorder]
        $0.limiter = Limiter(total: 2)
        $0.retryPolicy = .exponential(attempts: 2, base: .milliseconds(10), cap: .milliseconds(10))
    }
    try await run(server, client)
    recorder.close()

    section("A waterfall draws the run: a row for each call, and one for each further attempt")
    for line in waterfall.text(width: 96).split(separator: "\n") { show(String(line)) }
    try waterfall.html(title: "The tour of Tango").write(to: page, atomically: true, encoding: .utf8)
    try waterfall.svg().write(to: picture, atomically: true, encoding: .utf8)
    Chapter.wrote(page.path)
    Chapter.wrote(picture.path)
    Chapter.wrote(har.path)
    show("as a page: \(page.path)")
    show("as a HAR file, with \(recorder.count) entries, for the developer tools of a browser: \(har.path)")

    section("The client has counted its calls")
    show("\(client.statistics)")
    await client.shutdown()
    server.stop()
}

private func run(_ server: LoopbackServer, _ client: Client) async throws {
    server.answer("/posts", with: Response.json("[1, 2]").header("Cache-Control", "max-age=600"))
    server.answer("/old", with: .redirect(to: "/posts"))
    server.answer("/slow", with: Response.text("late").delayed(by: .milliseconds(20)))
    _ = try await client.get("/old", as: [Int].self).value
    _ = try await client.get("/posts", as: [Int].self).value
    server.enqueue(.status(503), .text("ok"))
    _ = try await client.get("/flaky", as: String.self).value
    let pages = Promise.all(1...4, limit: 4) { page in client.get("/slow", query: ["page": page], as: String.self) }
    _ = try await pages.value
}
