import Foundation
import LoopbackServer
import Tango
import Testing

@testable import TestSupport

/// The recipes of the page "Sending requests".
@Suite(.timeLimit(.minutes(20)))
struct CookbookSendingSnippets: CookbookPage {
    let server: LoopbackServer
    private let files = ScratchFiles()
    private let shown = Facts()
    typealias Request = Cookbook.Request

    private func show(_ text: String) { shown.note(text) }

    init() throws {
        server = try LoopbackServer()
        server.answer("/users/*", with: Cookbook.ada())
    }

    @Test func userAgent() async throws {
        let api = Client(baseURL: url) { $0.userAgent = "Reader/1.0 (Linux)" }
        _ = try await api.get("/users/1", as: User.self).value
        #expect(server.requests.first?.headers["User-Agent"] == "Reader/1.0 (Linux)")
    }

    @Test func servers() async throws {
        let other = try LoopbackServer()
        other.answer("/users/1", with: .json(#"{"id": 1, "name": "Test"}"#))
        let live = api
        let stagingURL = other.url
        let staging = live.with(baseURL: stagingURL)
        let user = try await staging.get("/users/1", as: User.self).value
        #expect(user.name == "Test")
        #expect(server.requests.isEmpty)
        #expect(try await live.get("/users/1", as: User.self).value.name == "Ada")
    }

    final class GetHero: Request<Hero> {
        let id: Int
        init(id: Int) { self.id = id }
        override var endpoint: Endpoint {
            let query = "query($id: ID) { hero(id: $id) { name } }"
            return .post("/graphql", body: .json(["query": query, "variables": ["id": id]]))
        }
        override var serializer: Serializer<Hero> { .json(at: "data.hero") }
    }

    struct Hero: Codable, Sendable { let name: String }

    @Test func graphQL() async throws {
        server.answer("/graphql", method: "POST", with: .json(#"{"data": {"hero": {"name": "R2-D2"}}}"#))
        try await with(api) {
            let hero = try await GetHero(id: 7).promise.value
            #expect(hero.name == "R2-D2")
        }
        let sent = try #require(server.requests.first)
        #expect(sent.headers["Content-Type"] == "application/json")
        #expect(sent.text == #"{"query":"query($id: ID) { hero(id: $id) { name } }","variables":{"id":7}}"#)
    }

    @Test func severalFiles() async throws {
        server.answer("/photos", method: "POST", with: .status(201))
        let photos = try ["a.jpg", "b.jpg"].map { name in try files.file(name, Data(name.utf8)) }
        var form = Multipart()
        form.append("Holiday", named: "album")
        for photo in photos { form.append(file: photo, named: "photos") }
        try await api.post("/photos", body: .multipart(form), as: Void.self).value
        let sent = try #require(server.requests.first)
        #expect(sent.headers["Content-Type"]?.hasPrefix("multipart/form-data") == true)
        #expect(sent.text.components(separatedBy: "name=\"photos\"; filename=").count == 3)
        #expect(sent.text.contains("Holiday"))
    }

    final class SendFilm: Request<Void> {
        let file: URL
        init(_ file: URL) { self.file = file }
        override var endpoint: Endpoint { .put("/film", body: .file(file, contentType: "video/mp4")) }
    }

    @Test func progressOfAnUpload() async throws {
        server.answer("/film", method: "PUT", with: .status(204))
        let file = try files.file("film.mp4", Data(count: 300_000))
        try await with(api) {
            let upload = SendFilm(file).start()
            for await progress in upload.progress { show("\(progress.sent) of \(progress.sentTotal ?? 0) bytes") }
            try await upload.value
        }
        #expect(shown.all.last == "300000 of 300000 bytes")
        #expect(server.requests.first?.bodyCount == 300_000)
    }

    @Test func envelopes() async throws {
        server.answer("/search", with: .json(#"{"code": 0, "data": {"items": [{"id": 1, "name": "Ada"}]}}"#))
        let users = try await api.request(
            .get("/search", query: ["q": "Ada"]), serializer: Serializer<[User]>.json(at: "data.items")
        ).value
        #expect(users.map(\.name) == ["Ada"])
    }

    @Test func snakeCase() async throws {
        struct Event: Codable, Sendable { let startDate: Date }
        server.answer("/event", with: .json(#"{"start_date": 0}"#))
        let coding = JSONCoding(makeDecoder: {
            let decoder = JSONDecoder()
            decoder.keyDecodingStrategy = .convertFromSnakeCase
            decoder.dateDecodingStrategy = .secondsSince1970
            return decoder
        })
        let api = Client(baseURL: url) { $0.json = coding }
        #expect(try await api.get("/event", as: Event.self).value.startDate == Date(timeIntervalSince1970: 0))
    }

    @Test func forms() async throws {
        server.answer("/login", method: "POST", with: .status(204))
        try await api.post("/login", body: .form(["name": "ada", "remember": true]), as: Void.self).value
        #expect(server.requests.first?.text == "name=ada&remember=true")
    }

    @Test func conditions() async throws {
        server.answer("/news") { request in
            let isKnown = request.headers["If-None-Match"] == "\"7\""
            return isKnown ? .status(304) : Response.text("news").header("ETag", "\"7\"")
        }
        let newsURL = server.url("/news")
        let first = try await api.send(HTTPRequest(url: newsURL))
        var again = HTTPRequest(url: newsURL)
        again.headers["If-None-Match"] = first.headers["ETag"]
        let isUnchanged = try await api.send(again).status == .notModified
        #expect(isUnchanged)
    }

    @Test func headersOfAResponse() async throws {
        server.answer("/users/1", with: Cookbook.ada().header("X-Remaining", "41"))
        try await with(api) {
            let call = GetUser(id: 1).start()
            let user = try await call.value
            show("\(user.name), \(call.response?.headers["X-Remaining"] ?? "?") requests left")
        }
        #expect(shown.all == ["Ada, 41 requests left"])
    }

    #if os(Linux)
        @Test func proxies() async throws {
            let proxy = server
            let transport = CurlTransport(CurlConfiguration(proxy: .http(host: "127.0.0.1", port: proxy.port)))
            let api = Client(baseURL: URL(string: "http://api.example.com")) { $0.transport = transport }
            proxy.answer { request in .text(request.target) }
            #expect(try await api.get("/news", as: String.self).value == "http://api.example.com/news")
            await transport.shutdown()
        }
    #endif
}
