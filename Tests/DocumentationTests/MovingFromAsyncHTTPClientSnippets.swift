import Foundation
import LoopbackServer
import Tango
import Testing

@testable import TestSupport

/// The code of "Moving from AsyncHTTPClient", sent to a server.
@Suite(.timeLimit(.minutes(20))) struct MovingFromAsyncHTTPClientSnippets {
    struct Item: Codable, Sendable { let id: Int, count: Int }

    struct Warehouse: Sendable {
        let client: Client

        init(url: URL, token: String) {
            client = Client(baseURL: url) {
                $0.headers = .bearerAuthorization(token: token)
                $0.timeouts = Timeouts(connect: .seconds(5), idle: .seconds(30), total: .seconds(60))
                $0.redirectPolicy = .follow(limit: 3)
                $0.limiter = Limiter(perHost: 8)
                $0.responseLimit = 1 << 20
            }
        }

        func item(_ id: Int) async throws -> Item? {
            do {
                return try await client.get("/items/\(id)").value
            } catch let error as RequestError where error.response?.status == .notFound {
                return nil
            }
        }

        func items(_ ids: [Int]) async throws -> [Item] {
            try await Promise.all(ids, limit: 8) { id in client.get("/items/\(id)", as: Item.self) }.value
        }

        func restock(_ item: Item) async throws {
            try await client.put("/items/\(item.id)", body: .json(item), as: Void.self).value
        }

        func add(_ rows: some AsyncSequence<Data, any Error> & Sendable) async throws -> Int {
            let body = Body.stream(rows, contentType: "application/x-ndjson")
            return try await client.post("/items", body: body, as: [Item].self).value.count
        }

        func export(to file: FileHandle) async throws -> Int {
            try await client.get("/export", as: ByteStream.self).value.write(to: file)
        }

        func status() async throws -> HTTPStatus {
            try await client.request(.head("/health"), as: HTTPResponse.self).value.status
        }

        func shutdown() async { await client.shutdown() }
    }

    private let server: LoopbackServer
    private let warehouse: Warehouse
    private let files = ScratchFiles()

    init() throws {
        server = try LoopbackServer()
        server.answer("/items/1", method: "GET", with: .json(#"{"id": 1, "count": 5}"#))
        server.answer("/items/2", with: .redirect(to: "/items/1"))
        server.answer("/items/1", method: "PUT", with: .status(204))
        server.answer("/items", method: "POST") { request in
            .json("[\(request.text.split(separator: "\n").joined(separator: ","))]")
        }
        server.answer("/export", with: .generated(bytes: 3_000_000))
        server.answer("/health", with: .status(204))
        warehouse = Warehouse(url: server.url, token: "t1")
    }

    @Test func items() async throws {
        #expect(try await warehouse.item(1)?.count == 5)
        #expect(try await warehouse.item(404) == nil)
        #expect(try await warehouse.items([1, 2, 1]).map(\.id) == [1, 1, 1])
        try await warehouse.restock(Item(id: 1, count: 9))
        let sent = try #require(server.requests.last?.body)
        #expect(try JSONDecoder().decode(Item.self, from: sent).count == 9)
        #expect(server.requests.last?.headers["Authorization"] == "Bearer t1")
        #expect(try await warehouse.status() == .noContent)
        server.stop()
    }

    @Test func streams() async throws {
        let rows = AsyncThrowingStream<Data, any Error> { rows in
            rows.yield(Data("{\"id\": 1, \"count\": 1}\n".utf8))
            rows.yield(Data("{\"id\": 2, \"count\": 2}\n".utf8))
            rows.finish()
        }
        #expect(try await warehouse.add(rows) == 2)
        #expect(server.requests.last?.headers["Content-Type"] == "application/x-ndjson")

        let file = try files.file("export", Data())
        let handle = try FileHandle(forWritingTo: file)
        #expect(try await warehouse.export(to: handle) == 3_000_000)
        try handle.close()
        #expect(try Data(contentsOf: file).count == 3_000_000)
        server.stop()
    }

    @Test func shutdown() async throws {
        await warehouse.shutdown()
        let error = try await failure { try await warehouse.items([1]) }
        #expect(error.code == .shutDown)
        server.stop()
    }
}
