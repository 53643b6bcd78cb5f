import Foundation
import LoopbackServer
import TangoCache
import Testing

@testable import TangoHTTP
@testable import TangoRequest
@testable import TestSupport

/// Fresh responses in the HTTP cache that a request cannot use. They are removed, and the request is sent once more.
@Suite(.timeLimit(.minutes(20)))
struct UnusableTests {
    private let site: Site
    private let facts = Facts()

    init() throws {
        site = try Site()
    }

    struct Item: Codable, Sendable, Equatable { var id: Int }

    private func client(store: any CacheStore = MemoryStore()) -> Client {
        Client(baseURL: site.server.url, cache: store) {
            $0.observers = [facts.observer()]
        }
    }

    private func freshResponse(_ text: String, status: Int = 200, type: String = "application/json") -> Response {
        Response.text(text).status(status).header("Content-Type", type).header("Cache-Control", "max-age=31536000")
    }

    private func get(_ client: Client) -> Fetch<Item> { Fetch(.get("/a"), of: client) }

    @Test(arguments: [true, false])
    func undecodableFreshResponseIsRequestedOnceMore(_ isInMemory: Bool) async throws {
        let client = client(store: isInMemory ? MemoryStore() : BytesStore())
        site.server.answer("/a", with: freshResponse("<html>", type: "text/html"))
        #expect(await refusal { try await get(client).start().value }?.code == .notDecodable)
        #expect(site.server.requestCount == 1)
        site.server.answer("/a", with: freshResponse(#"{"id": 1}"#))
        let call = get(client).start()
        #expect(try await call.value == Item(id: 1))
        #expect(call.response?.source == .network)
        #expect(site.server.requestCount == 2)
        #expect(facts.all.contains("evicted unusable"))
        await client.finishStoring()
        #expect(try await get(client).start().value == Item(id: 1))
        #expect(site.server.requestCount == 2)
    }

    @Test func rejectedFreshResponseIsRequestedOnceMore() async throws {
        let client = client()
        site.server.answer("/a", with: freshResponse("", status: 503))
        #expect(await refusal { try await get(client).start().value }?.code == .badStatus)
        site.server.answer("/a", with: freshResponse(#"{"id": 1}"#))
        #expect(try await get(client).start().value == Item(id: 1))
        #expect(site.server.requestCount == 2)
    }

    /// The request is sent only once more, never in a loop.
    @Test func secondResponseIsFinal() async throws {
        let client = client()
        site.server.answer("/a", with: freshResponse("<html>"))
        for count in 1...4 {
            #expect(await refusal { try await get(client).start().value }?.code == .notDecodable)
            #expect(site.server.requestCount == count)
        }
    }

    @Test func unusableRevalidatedResponseIsRequestedWhole() async throws {
        let client = client()
        site.server.answer("/a") { request in
            guard request.headers["If-None-Match"] == nil else { return .status(304).header("ETag", "\"a\"") }
            return Response.text("<html>").header("Cache-Control", "no-cache").header("ETag", "\"a\"")
        }
        #expect(await refusal { try await get(client).start().value }?.code == .notDecodable)
        #expect(await refusal { try await get(client).start().value }?.code == .notDecodable)
        #expect(site.server.requests.map { $0.headers["If-None-Match"] } == [nil, "\"a\"", nil])
    }

    /// A request without validation can use these responses.
    @Test func requestsThatTakeAnyStatusAreServedFromTheCache() async throws {
        let client = client()
        site.server.answer("/a", with: freshResponse("", status: 503))
        for _ in 0..<3 { #expect(try await client.send(HTTPRequest(url: site.server.url("/a"))).status == 503) }
        #expect(site.server.requestCount == 1)
    }

    /// A store whose reads wait at a gate.
    private final class HeldReads: StoreOverMemory {
        let memory: MemoryStore
        let gate = Gate()

        init(_ memory: MemoryStore) {
            self.memory = memory
        }

        func get(_ key: CacheKey) async throws -> CacheEntry? {
            try await gate.opened()
            return memory.peek(key)
        }
    }

    @Test func callsThatShareATransferAreSentOnceMoreTogether() async throws {
        let memory = MemoryStore()
        let first = client(store: memory)
        site.server.answer("/a", with: freshResponse("<html>"))
        _ = await refusal { try await get(first).start().value }
        await first.finishStoring()
        let store = HeldReads(memory)
        let client = client(store: store).with { $0.uniqueness = .join }
        let gate = Gate()
        site.server.answer("/a", with: freshResponse(#"{"id": 1}"#).held(by: gate))
        let calls = (0..<20).map { _ in get(client).start() }
        store.gate.open()
        await facts.reached { $0.count { $0 == "evicted unusable" } >= 20 }
        gate.open()
        for call in calls { #expect(try await call.value == Item(id: 1)) }
        // The last call may send its request when the others have their response.
        #expect(site.server.requestCount <= 3)
    }

    @Test func theOtherVariantsStayCached() async throws {
        let client = client()
        site.server.answer("/a") { request in
            freshResponse(request.headers["X-Zone"] == "1" ? #"{"id": 1}"# : "<html>").header("Vary", "X-Zone")
        }
        func item(_ zone: String) async throws -> Item {
            let request = Fetch<Item>(.get("/a", headers: ["X-Zone": zone]), of: client)
            let item = try await request.start().value
            await client.finishStoring()
            return item
        }
        #expect(try await item("1") == Item(id: 1))
        for _ in 0..<2 { #expect(await refusal { try await item("2") }?.code == .notDecodable) }
        #expect(site.server.requestCount == 3)
        #expect(try await item("1") == Item(id: 1))
        #expect(site.server.requestCount == 3)
    }

    @Test func firstValueIsUsable() async throws {
        let client = client()
        site.server.answer("/a", with: freshResponse("<html>"))
        _ = await refusal { try await get(client).start().value }
        site.server.answer("/a", with: freshResponse(#"{"id": 1}"#))
        var values: [Item] = []
        for try await item in get(client).values { values.append(item) }
        #expect(values == [Item(id: 1)])
    }

    @Test func cachedRemovesAResponseThatCannotBeUsed() async throws {
        let store = MemoryStore()
        let client = client(store: store)
        site.server.answer("/a", with: freshResponse("<html>"))
        _ = await refusal { try await get(client).start().value }
        #expect(store.entryCount == 1)
        #expect(try await get(client).cached() == nil)
        await client.finishStoring()
        #expect(store.entryCount == 0)
        #expect(site.server.requestCount == 1)
    }
}
