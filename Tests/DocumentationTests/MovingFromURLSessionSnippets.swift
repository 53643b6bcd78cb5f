import Foundation
import LoopbackServer
import Tango
import Testing

@testable import TestSupport

/// The code of "Moving from URLSession", sent to a server.
@Suite(.timeLimit(.minutes(20))) struct MovingFromURLSessionSnippets {
    struct Story: Codable, Sendable { let id: Int, title: String }
    struct Refusal: Decodable, Sendable { let reason: String }

    struct News: Sendable {
        let client: Client

        init(url: URL, cache: any CacheStore, token: String) {
            client = Client(baseURL: url, cache: cache) {
                $0.headers = .bearerAuthorization(token: token)
                $0.timeouts.idle = .seconds(20)
                $0.retryPolicy = .standard
                $0.errorSerializer = .json(Refusal.self) { refusal in refusal.reason }
            }
        }

        func stories(about topic: String) async throws -> [Story] {
            try await client.get("/stories", query: ["topic": topic]).value
        }

        func send(_ story: Story) async throws -> Story {
            try await client.post("/stories", body: .json(story)).value
        }

        func follow(_ show: (String) async -> Void) async throws {
            for try await line in try await client.get("/ticker", as: Lines.self).value { await show(line) }
        }
    }

    final class SendFilm: Request<Void> {
        let news: News, file: URL
        init(_ news: News, file: URL) {
            self.news = news
            self.file = file
        }
        override var client: Client { news.client }
        override var endpoint: Endpoint { .put("/film", body: .file(file, contentType: "video/mp4")) }
    }

    @MainActor final class StudioModel {
        let news: News
        var fraction = 0.0
        var message = ""
        init(_ news: News) { self.news = news }

        func publish(_ film: URL) async {
            let call = SendFilm(news, file: film).start()
            for await progress in call.progress { fraction = progress.fraction ?? fraction }
            do {
                try await call.value
                message = "published"
            } catch let error as RequestError {
                message = error.message
            } catch {
                message = "cancelled"
            }
        }
    }

    private let server: LoopbackServer
    private let files = ScratchFiles()

    init() throws {
        server = try LoopbackServer()
        server.answer("/stories", method: "GET") { request in
            let fresh = Response.json(#"[{"id": 1, "title": "Hello"}]"#).header("ETag", "\"1\"")
            return request.headers["If-None-Match"] == "\"1\"" ? .status(304) : fresh
        }
        server.answer("/stories", method: "POST") { request in
            request.text.contains(#""title":"""#)
                ? .json(#"{"reason": "A story needs a title."}"#, status: 422) : .json(request.text, status: 201)
        }
        server.answer("/ticker", with: .chunks(["one\nt", "wo\n"]))
        server.answer("/film", method: "PUT", with: .status(204))
    }

    private func news() -> News { News(url: server.url, cache: MemoryStore(), token: "t1") }

    @Test func stories() async throws {
        let news = news()
        #expect(try await news.stories(about: "tea & milk").map(\.title) == ["Hello"])
        #expect(server.requests.last?.query == "topic=tea%20%26%20milk")
        #expect(try await news.stories(about: "tea & milk").map(\.title) == ["Hello"])
        #expect(server.requests.last?.headers["If-None-Match"] == "\"1\"")
        #expect(try await news.send(Story(id: 2, title: "New")).id == 2)
        let error = try await failure { try await news.send(Story(id: 3, title: "")) }
        #expect(error.message == "A story needs a title.")

        let lines = Facts()
        try await news.follow { line in lines.note(line) }
        #expect(lines.all == ["one", "two"])
        server.stop()
    }

    @Test @MainActor func film() async throws {
        let model = StudioModel(news())
        let film = try files.file("film.mp4", Data(repeating: 1, count: 500_000))
        await model.publish(film)
        #expect(model.message == "published")
        #expect(model.fraction == 1)
        #expect(server.requests.last?.bodyCount == 500_000)
        #expect(server.requests.last?.headers["Content-Type"] == "video/mp4")

        server.enqueue(.json(#"{"reason": "The film is too long."}"#, status: 413))
        await model.publish(film)
        #expect(model.message == "The film is too long.")
        server.stop()
    }
}
