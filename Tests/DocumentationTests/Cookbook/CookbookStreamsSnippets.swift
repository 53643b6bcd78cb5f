import Foundation
import LoopbackServer
import Tango
import TangoMeasuring
import TangoTransfers
import Testing

@testable import TestSupport

private var downloads: URL { CookbookStreamsSnippets.folder ?? URL(fileURLWithPath: "/nowhere") }

/// The recipes of the page "Large and endless responses".
@Suite(.timeLimit(.minutes(20)))
struct CookbookStreamsSnippets: CookbookPage {
    let server: LoopbackServer
    private let files = ScratchFiles()
    private let shown = Facts()
    typealias Request = Cookbook.Request
    typealias Download = Cookbook.Download

    /// The folder of the downloads of a test.
    @TaskLocal static var folder: URL?

    private func show(_ text: String) { shown.note(text) }

    init() throws {
        server = try LoopbackServer()
    }

    final class GetFilm: Download {
        override var endpoint: Endpoint { .get("/film.mp4") }
        override var destination: Destination { .folder(downloads) }
        override var retryPolicy: RetryPolicy { .standard }
    }

    @Test func downloading() async throws {
        let film = Entity(bytes: 2_000_000)
        server.answer("/film.mp4") { request in
            let response = film.response(to: request)
            // The whole file breaks off half-way, and the rest of it does not.
            return response.status == 200 ? response.failing(.reset, at: .responseBody) : response
        }
        try await Self.$folder.withValue(files.url) {
            try await with(api) {
                let download = GetFilm().start()
                for await progress in download.progress { show("\(Int((progress.fraction ?? 0) * 100)) %") }
                let file = try await download.value
                show("\(file.url.lastPathComponent): \(file.count) bytes, of which \(file.resumedFrom) are older")
                #expect(download.attempts.count == 2)
            }
        }
        #expect(shown.all.contains("100 %"))
        #expect(shown.all.last?.hasPrefix("film.mp4: 2000000 bytes") == true)
        #expect(server.requests.last?.headers["Range"] != nil)
    }

    @Test func bars() async throws {
        server.answer("/film.mp4", with: Entity(bytes: 300_000))
        try await Self.$folder.withValue(files.url) {
            try await with(api) {
                let bars = ProgressBars()
                let download = GetFilm().start()
                bars.add(download, name: "film")
                _ = try await download.value
                await bars.finish()
                #expect(download.isFinished)
            }
        }
    }

    struct Price: Codable, Sendable { let euros: Int }

    final class WatchPrices: Request<EventStream<Price>> {
        override var endpoint: Endpoint { .get("/prices") }
    }

    @Test func events() async throws {
        server.answer("/prices") { request in
            if request.headers["Last-Event-ID"] != nil { return .status(204) }
            let prices = (1...2).map { Response.EventStep.event(#"{"euros": \#($0 + 6)}"#, id: "\($0)") }
            return .events([.retry(milliseconds: 1)] + prices)
        }
        try await with(api) {
            for try await price in try await WatchPrices().promise.value { show("\(price.euros) euros") }
        }
        #expect(shown.all == ["7 euros", "8 euros"])
        #expect(server.requests.last?.headers["Last-Event-ID"] == "2")
    }

    struct Row: Codable, Sendable { let id: Int }

    @Test func rows() async throws {
        server.answer("/rows", with: .text("{\"id\": 1}\n{\"id\": 2}\n"))
        let rows = try await api.get("/rows", as: NDJSON<Row>.self).value
        for try await row in rows { show("row \(row.id)") }
        #expect(shown.all == ["row 1", "row 2"])
    }

    @Test func logs() async throws {
        server.answer("/log", with: .text("one\nerror: two\nthree"))
        for try await line in try await api.get("/log", as: Lines.self).value where line.hasPrefix("error") {
            show(line)
        }
        #expect(shown.all == ["error: two"])
    }

    struct Repository: Codable, Sendable { let name: String }

    final class GetRepositories: Request<[Repository]> {
        override var endpoint: Endpoint { .get("/repositories", query: ["per_page": 100]) }
        override var paging: Paging<[Repository]> { .linkHeader.limited(pages: 20).prefetching() }
    }

    @Test func links() async throws {
        server.answer("/repositories") { request in
            request.query == "page=2"
                ? .json(#"[{"name": "b"}]"#)
                : Response.json(#"[{"name": "a"}]"#).header("Link", "</repositories?page=2>; rel=\"next\"")
        }
        try await with(api) {
            for try await repository in GetRepositories().items { show(repository.name) }
        }
        #expect(shown.all == ["a", "b"])
    }

    @Test func copying() async throws {
        server.answer("/export", with: .generated(bytes: 100_000))
        let file = try files.file("export", Data())
        let handle = try FileHandle(forWritingTo: file)
        defer { try? handle.close() }
        let export = try await api.get("/export", as: ByteStream.self).value
        let count = try await export.write(to: handle)
        #expect(count == 100_000)
    }

    @Test func sendingAStream() async throws {
        server.answer("/rows", method: "POST", with: .status(204))
        let rows = AsyncStream<Data> { stream in
            for id in 1...3 { stream.yield(Data("{\"id\": \(id)}\n".utf8)) }
            stream.finish()
        }
        try await api.post("/rows", body: .stream(rows, contentType: "application/x-ndjson"), as: Void.self).value
        #expect(server.requests.first?.text == "{\"id\": 1}\n{\"id\": 2}\n{\"id\": 3}\n")
    }
}
