import Foundation
import LoopbackServer
import Tango
import TangoTransfers
import Testing

@testable import TestSupport

/// The code of "Moving from Alamofire", sent to a server.
@Suite(.timeLimit(.minutes(20))) struct MovingFromAlamofireSnippets {
    struct Article: Codable, Sendable { let id: Int, title: String }

    struct Shop: Sendable {
        let client: Client

        init(url: URL, token: String) {
            client = Client(baseURL: url) {
                $0.headers = .bearerAuthorization(token: token)
                $0.retryPolicy = .standard
            }
        }

        func article(_ id: Int) -> Promise<Article> { client.get("/articles/\(id)") }

        func search(_ words: String) -> Promise<[Article]> {
            client.get("/articles", query: ["q": words, "limit": 20])
        }

        func add(_ article: Article) -> Promise<Article> { client.post("/articles", body: .json(article)) }
    }

    class ShopRequest<Output: Sendable>: Request<Output> {
        let shop: Shop
        init(_ shop: Shop) { self.shop = shop }
        override var client: Client { shop.client }
    }

    final class SendPhoto: ShopRequest<Void> {
        var photo = Data()
        override var endpoint: Endpoint {
            let part = Multipart.Part.data(photo, named: "photo", fileName: "photo.jpg", type: .jpeg)
            return .post("/photos", body: .multipart([part]))
        }
    }

    final class GetCatalogue: Download {
        let shop: Shop, file: URL
        init(_ shop: Shop, to file: URL) {
            self.shop = shop
            self.file = file
        }
        override var client: Client { shop.client }
        override var endpoint: Endpoint { .get("/catalogue.pdf") }
        override var destination: Destination { .file(file) }
    }

    @MainActor final class ArticleModel {
        let shop: Shop
        var title = ""
        var failure: String?
        init(_ shop: Shop) { self.shop = shop }

        func load(_ id: Int) {
            shop.article(id)
                .next(for: self, on: .main) { model, article in model.title = article.title }
                .catch(for: self, on: .main) { model, error in model.failure = error.asRequestError?.message }
        }
    }

    private let server: LoopbackServer
    private let files = ScratchFiles()

    init() throws {
        server = try LoopbackServer()
        server.answer("/articles", method: "GET", with: .json(#"[{"id": 1, "title": "Lamp"}]"#))
        server.answer("/articles", method: "POST") { request in .json(request.text, status: 201) }
        server.answer("/articles/9", with: .status(404))
        server.answer("/photos", with: .status(204))
        server.answer("/catalogue.pdf", with: .generated(bytes: 300_000))
    }

    @Test func calls() async throws {
        let shop = Shop(url: server.url, token: "t1")
        server.enqueue(.status(503), .json(#"{"id": 1, "title": "Lamp"}"#))
        #expect(try await shop.article(1).value.title == "Lamp")
        #expect(server.requests.map(\.headers["Authorization"]) == ["Bearer t1", "Bearer t1"])
        #expect(try await shop.search("old lamp").value.map(\.id) == [1])
        #expect(server.requests.last?.target == "/articles?q=old%20lamp&limit=20")
        #expect(try await shop.add(Article(id: 2, title: "Chair")).value.id == 2)
        server.stop()
    }

    @Test func files() async throws {
        let shop = Shop(url: server.url, token: "t1")
        let upload = SendPhoto(shop)
        upload.photo = Data(repeating: 7, count: 200_000)
        let call = upload.start()
        var sent = 0
        for await progress in call.progress { sent = max(sent, progress.sent) }
        try await call.value
        #expect(sent > 200_000)
        #expect(server.requests.last?.text.contains(#"name="photo"; filename="photo.jpg""#) == true)

        let file = files.url.appendingPathComponent("catalogue.pdf")
        let catalogue = try await GetCatalogue(shop, to: file).promise.value
        #expect(catalogue.url == file)
        #expect(try Data(contentsOf: file).count == 300_000)
        server.stop()
    }

    @Test @MainActor func model() async throws {
        let model = ArticleModel(Shop(url: server.url, token: "t1"))
        server.enqueue(.json(#"{"id": 1, "title": "Lamp"}"#))
        model.load(1)
        while model.title.isEmpty { await Task.yield() }
        #expect(model.title == "Lamp")
        model.load(9)
        while model.failure == nil { await Task.yield() }
        #expect(model.failure == "What you are looking for does not exist.")
        server.stop()
    }
}
