import Foundation
import LoopbackServer
import Tango
import TangoMeasuring
import TangoTransfers
import Testing

@testable import TestSupport

private var downloads: URL { DownloadsSnippets.Place.folder }
private var archive: URL { downloads.appendingPathComponent("update.zip") }
private var film: URL { downloads.appendingPathComponent("source") }
private let digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

/// The code of "Downloads and uploads", and tests of the claims of that article.
@Suite(.timeLimit(.minutes(20))) struct DownloadsSnippets {
    /// The requests of the article are sent to the server of one test.
    class Request<Output: Sendable>: TangoRequest.Request<Output> {
        override var client: Client { Place.client }
    }

    class Download: TangoTransfers.Download {
        override var client: Client { Place.client }
    }

    /// The server, and the folder of the files.
    enum Place {
        @TaskLocal static var current: (client: Client, folder: URL)?

        static var client: Client { current?.client ?? .default }
        static var folder: URL { current?.folder ?? URL(fileURLWithPath: "/nowhere") }
    }

    private let site: Site
    private let files = ScratchFiles()

    init() throws {
        site = try Site()
        site.server.answer("/film.mp4", with: Entity(bytes: 300_000))
        site.server.answer("/update.zip", with: .text("abc"))
        site.server.answer("/films/1", method: "PUT", with: .status(204))
    }

    private func run(_ work: () async throws -> Void) async throws {
        try await Place.$current.withValue((site.client(), files.url)) { try await work() }
    }

    @Test func filmInItsFolder() async throws {
        try await run {
            final class GetFilm: Download {
                override var endpoint: Endpoint { .get("/film.mp4") }
                override var destination: Destination { .folder(downloads) }
                override var retryPolicy: RetryPolicy { .standard }
            }
            let file = try await GetFilm().promise.value
            print(file.url, file.count, file.resumedFrom)
            #expect(file.url == downloads.appendingPathComponent("film.mp4"))
            #expect(file.count == 300_000)
        }
    }

    @Test func shortFilm() async throws {
        try await run {
            final class GetFilm: Download {
                override var endpoint: Endpoint { .get("/film.mp4") }
                override var destination: Destination { .folder(downloads) }
            }
            let file = try await GetFilm().promise.value
            #expect(file.resumedFrom == 0)
        }
    }

    @Test func update() async throws {
        try await run {
            final class GetUpdate: Download {
                override var endpoint: Endpoint { .get("/update.zip") }
                override var destination: Destination { .file(archive) }
                override var checksum: Checksum? { .sha256(digest) }
                override var resumeKey: String? { "update 1.2" }
            }
            let file = try await GetUpdate().promise.value
            let content = try Data(contentsOf: archive)
            #expect(file.url == archive)
            #expect(content == Data("abc".utf8))
        }
    }

    @Test func archiveInParts() async throws {
        site.server.answer("/archive.zip", with: Entity(bytes: 3 << 20))
        try await run {
            final class GetArchive: Download {
                override var endpoint: Endpoint { .get("/archive.zip") }
                override var destination: Destination { .folder(downloads) }
                override var parts: DownloadParts { .upTo(4) }
            }
            let call = GetArchive().start()
            let file = try await call.value
            #expect(file.count == 3 << 20)
            #expect(call.attempts.map(\.cause) == [.first, .part, .part])
        }
    }

    final class GetFilm: Download {
        override var endpoint: Endpoint { .get("/film.mp4") }
        override var destination: Destination { .folder(Place.folder) }
    }

    @Test func rates() async throws {
        try await run {
            let call = GetFilm().start()
            var rate = TransferRate()
            let start = ContinuousClock.now
            for await progress in call.progress {
                rate.add(progress, at: start.duration(to: .now))
                print(progress.fraction ?? 0, rate.bytesPerSecond ?? 0, rate.timeLeft ?? .zero)
            }
            #expect(rate.timeLeft == nil || rate.timeLeft == .zero)
        }
    }

    @Test func rateOfTheComment() {
        var rate = TransferRate()
        rate.add(CallProgress(received: 0, receivedTotal: 4_000), at: .zero)
        rate.add(CallProgress(received: 1_000, receivedTotal: 4_000), at: .seconds(1))
        print(rate.bytesPerSecond ?? 0, rate.timeLeft ?? .zero)
        #expect(rate.timeLeft == .seconds(3))
    }

    @Test func bars() async throws {
        try await run {
            let bars = ProgressBars()
            let call = GetFilm().start()
            bars.add(call)
            let file = try await call.value
            await bars.finish()
            #expect(file.count == 300_000)
        }
    }

    @Test @MainActor func monitor() async throws {
        let followed = Place.$current.withValue((site.client(), files.url)) {
            let monitor = CallMonitor(GetFilm().start())
            return monitor
        }
        await followed.finished()
        #expect(followed.fraction == 1)
    }

    @Test func upload() async throws {
        let source = try files.file("source", Data(count: 1000))
        try await run {
            final class SendFilm: Request<Void> {
                override var endpoint: Endpoint { .put("/films/1", body: .file(film)) }
                override var timeouts: Timeouts {
                    var timeouts = super.timeouts
                    timeouts.expectContinue = .seconds(1)
                    return timeouts
                }
            }
            try await SendFilm().promise.value
        }
        #expect(source.lastPathComponent == "source")
        #expect(site.server.requests.last?.bodyCount == 1000)
    }

    @Test func entity() async throws {
        let server = site.server
        server.answer("/film.mp4", with: Entity(bytes: 2 << 30))
        server.answer("/flaky.mp4") { request in
            Entity(bytes: 1 << 20).response(to: request).failing(.reset, at: .responseBody)
        }
        let request = HTTPRequest(
            url: server.url("/film.mp4"), headers: ["Range": "bytes=1073741824-1073741833"])
        let response = try await Client().send(request)
        #expect(response.status == 206)
        #expect(response.headers["Content-Range"] == "bytes 1073741824-1073741833/2147483648")
        #expect(response.body == Data((0..<10).map { UInt8(((1 << 30) + $0) % 251) }))
    }
}
