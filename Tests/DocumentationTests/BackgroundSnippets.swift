import Foundation
import LoopbackServer
import Tango
import TangoTransfers
import Testing

@testable import TestSupport

private var films: URL { BackgroundSnippets.Place.folder }
private var film: URL { films.appendingPathComponent("source") }

/// The code of "Transfers in the background", and tests of the claims of that article.
@Suite(.timeLimit(.minutes(20))) struct BackgroundSnippets {
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
        site.server.answer("/orders", method: "POST", with: .status(204))
        site.server.answer("/films/1.mp4", with: Entity(bytes: 3_000))
        site.server.answer("/films/1", method: "PUT", with: .status(204))
    }

    private func run(_ work: () async throws -> Void) async throws {
        try await Place.$current.withValue((site.client(), files.url)) { try await work() }
    }

    @Test func order() async throws {
        try await run {
            final class SendOrder: Request<Void> {
                override var endpoint: Endpoint { .post("/orders") }
                override var backgroundPolicy: BackgroundPolicy { .finish }
            }
            try await SendOrder().promise.value
        }
    }

    @Test func transfers() async throws {
        _ = try files.file("source", Data(count: 100))
        try await run {
            final class GetFilm: Download {
                override var endpoint: Endpoint { .get("/films/1.mp4") }
                override var destination: Destination { .folder(films) }
                override var backgroundPolicy: BackgroundPolicy { .session("com.example.films") }
            }

            final class SendFilm: Request<Void> {
                override var endpoint: Endpoint { .put("/films/1", body: .file(film)) }
                override var backgroundPolicy: BackgroundPolicy { .session("com.example.films") }
            }
            #expect(try await GetFilm().promise.value.count == 3_000)
            try await SendFilm().promise.value
        }
    }

    @Test @MainActor func launches() {
        BackgroundTransfers.resume("com.example.films")
        @MainActor func handleEvents(of identifier: String, completionHandler: @escaping () -> Void) {
            BackgroundTransfers.resume(identifier, completionHandler: completionHandler)
        }
        var runs = 0
        handleEvents(of: "com.example.films") { runs += 1 }
        #expect(runs == 1)
    }
}
