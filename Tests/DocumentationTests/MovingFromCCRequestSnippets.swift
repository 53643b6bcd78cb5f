import Foundation
import LoopbackServer
import Tango
import Testing

@testable import TestSupport

/// The code of "Moving from CCRequest", sent to a server.
@Suite(.timeLimit(.minutes(20))) struct MovingFromCCRequestSnippets {
    struct Member: Codable, Sendable { let id: Int, name: String }
    struct Order: Codable, Sendable { let id: Int, total: Int }

    class ShopRequest<Output: Codable & Sendable>: Request<Output> {
        let shop: Client
        init(_ shop: Client) { self.shop = shop }
        override var client: Client { shop }
        override var headers: Headers { ["X-App": "shop"] }
        override var serializer: Serializer<Output> { .json(at: "data") }
        override var validation: Validation {
            super.validation + .business(code: "code", success: [0], message: "message")
        }
        override var retryPolicy: RetryPolicy { .standard }
    }

    final class GetMember: ShopRequest<Member> {
        var id = 0
        override var endpoint: Endpoint { .get("/members/\(id)") }
        override var cachePolicy: CachePolicy { .cacheElseNetwork(maxAge: .seconds(7 * 86_400), write: .model) }
    }

    final class ListOrders: ShopRequest<[Order]> {
        var member = 0
        override var endpoint: Endpoint { .post("/orders", body: .form(["member": member])) }
    }

    final class SendPhoto: ShopRequest<Member> {
        var file = URL(fileURLWithPath: "/")
        override var endpoint: Endpoint { .post("/photos", body: .multipart([.file(file, named: "photo")])) }
    }

    @MainActor final class MemberModel {
        let shop: Client
        var text = ""
        var upload: Call<Member>?
        init(_ shop: Client) { self.shop = shop }

        func load(_ id: Int) {
            let request = GetMember(shop)
            request.id = id
            request.promise
                .next { [shop] member in
                    let request = ListOrders(shop)
                    request.member = member.id
                    return request.promise.map { orders in "\(member.name): \(orders.count) orders" }
                }
                .next(for: self, on: .main) { model, text in model.text = text }
                .catch(for: self, on: .main) { model, error in model.text = error.asRequestError?.message ?? "" }
        }

        func send(_ file: URL) {
            let request = SendPhoto(shop)
            request.file = file
            upload = request.start(for: self, on: .main) { model, member in
                model.text = "sent by \(member.name)"
            } failure: { model, error in
                model.text = "\(error)"
            }
        }

        func disappear() { upload?.cancel() }
    }

    private let server: LoopbackServer
    private let shop: Client
    private let files = ScratchFiles()

    init() throws {
        server = try LoopbackServer()
        server.answer("/members/1", with: .json(#"{"code": 0, "data": {"id": 1, "name": "Ada"}}"#))
        server.answer("/members/2", with: .json(#"{"code": 7, "message": "This member has left."}"#))
        server.answer("/orders", method: "POST", with: .json(#"{"code": 0, "data": [{"id": 1, "total": 9}]}"#))
        server.answer("/photos", method: "POST", with: .json(#"{"code": 0, "data": {"id": 1, "name": "Ada"}}"#))
        shop = Client(baseURL: server.url, cache: MemoryStore())
    }

    @Test @MainActor func chain() async throws {
        let model = MemberModel(shop)
        model.load(1)
        while model.text.isEmpty { await Task.yield() }
        #expect(model.text == "Ada: 1 orders")
        #expect(server.requests.map(\.target) == ["/members/1", "/orders"])
        #expect(server.requests.last?.text == "member=1")
        #expect(server.requests.last?.headers["X-App"] == "shop")

        await shop.finishStoring()
        model.text = ""
        model.load(1)
        while model.text.isEmpty { await Task.yield() }
        #expect(server.requests.map(\.target) == ["/members/1", "/orders", "/orders"])

        model.text = ""
        model.load(2)
        while model.text.isEmpty { await Task.yield() }
        #expect(model.text == "This member has left.")
        server.stop()
    }

    @Test @MainActor func upload() async throws {
        let model = MemberModel(shop)
        let file = try files.file("me.png", Data("png".utf8))
        model.send(file)
        while model.text.isEmpty { await Task.yield() }
        #expect(model.text == "sent by Ada")
        #expect(server.requests.last?.text.contains(#"name="photo"; filename="me.png""#) == true)

        server.enqueue(.status(204).held(by: Gate()))
        model.send(file)
        model.disappear()
        #expect(model.upload?.state == .finished(.cancelled))
        server.stop()
    }
}
