import Foundation
import LoopbackServer
import TangoCache
import TangoPromise
import Testing

@testable import TangoRequest
@testable import TestSupport

/// Calls that must not join a transfer, because it began before a change to the resource.
@Suite(.timeLimit(.minutes(20))) struct JoiningAfterChangesTests {
    private let site: Site
    private let gate = Gate()

    init() throws {
        site = try Site()
        site.server.answer("/a", with: .text("old").held(by: gate))
        site.server.answer("/b", with: .text("b"))
        for method in ["PUT", "POST", "PATCH", "DELETE"] {
            site.server.answer("/*", method: method, with: .status(204))
        }
    }

    enum Kept: String, CaseIterable, Sendable {
        case nothing, http, declared
    }

    private func client(
        _ mode: Kept, identity: String? = nil, store: any CacheStore = MemoryStore(), transport: (any Transport)? = nil
    ) -> Client {
        Client(baseURL: site.server.url, cache: mode == .nothing ? nil : store) {
            if let transport { $0.transport = transport }
            $0.cachePolicy = mode == .nothing ? .networkOnly : mode == .http ? .http : .cacheElseNetwork
            $0.timeouts = Timeouts(connect: nil, idle: nil)
            $0.uniqueness = .join
            $0.identity = identity
        }
    }

    private func get(_ client: Client, _ path: String = "/a", tags: Set<String> = []) -> Fetch<String> {
        let request = Fetch<String>(.get(path), of: client)
        request.words = tags
        return request
    }

    private func send(_ method: HTTPMethod, _ path: String, of client: Client) async throws {
        let _: HTTPResponse = try await client.request(Endpoint(method: method, path: path)).value
    }

    /// Returns the outputs of a call that began before a change, and of a call that began after it.
    private func outcomes(
        _ client: Client, tags: Set<String> = [], after change: () async throws -> Void
    ) async throws -> [String] {
        let before = get(client, tags: tags).promise
        try await gate.reached()
        site.server.answer("/a", with: .text("new"))
        try await change()
        let after = get(client, tags: tags).promise
        gate.open()
        return [try await before.value, try await after.value]
    }

    @Test(arguments: Kept.allCases, [HTTPMethod.put, .post, .patch, .delete])
    func noCallJoinsATransferFromBeforeAChange(_ mode: Kept, _ method: HTTPMethod) async throws {
        let client = client(mode)
        let texts = try await outcomes(client) { try await send(method, "/a", of: client) }
        #expect(texts == ["old", "new"])
    }

    @Test(arguments: Kept.allCases)
    func noCallJoinsATransferFromBeforeClearSiteData(_ mode: Kept) async throws {
        let client = client(mode)
        site.server.answer("/clear", with: .text("").header("Clear-Site-Data", "\"cache\""))
        let texts = try await outcomes(client) { _ = try await get(client, "/clear").promise.value }
        #expect(texts == ["old", "new"])
    }

    @Test(arguments: Kept.allCases, [nil, "alice"])
    func noCallJoinsATransferFromBeforeSigningOut(_ mode: Kept, _ identity: String?) async throws {
        let client = client(mode, identity: identity)
        let texts = try await outcomes(client) { try await client.removeCachedResponses() }
        #expect(texts == ["old", "new"])
    }

    @Test(arguments: Kept.allCases)
    func noCallJoinsATransferFromBeforeItsTagWasRemoved(_ mode: Kept) async throws {
        let client = client(mode)
        let texts = try await outcomes(client, tags: ["posts"]) {
            try await client.removeCachedResponses(tagged: "posts")
        }
        #expect(texts == ["old", "new"])
    }

    @Test(arguments: Kept.allCases)
    func noCallJoinsATransferFromBeforeItWasEvicted(_ mode: Kept) async throws {
        let client = client(mode)
        let texts = try await outcomes(client) { try await get(client).evict() }
        #expect(texts == ["old", "new"])
    }

    @Test func noCallJoinsATransferFromBeforeItWasStored() async throws {
        let client = Client(baseURL: site.server.url, cache: MemoryStore()) {
            $0.cachePolicy = .reload
            $0.uniqueness = .join
        }
        let texts = try await outcomes(client) { try await get(client).store("stored") }
        #expect(texts == ["old", "new"])
    }

    /// One client writes, another reads.
    @Test(arguments: Kept.allCases)
    func noCallJoinsATransferFromBeforeAChangeByAnotherClient(_ mode: Kept) async throws {
        let (store, transport) = (MemoryStore(), DefaultTransport.shared)
        let reader = client(mode, store: store, transport: transport)
        let writer = client(mode, store: store, transport: transport)
        let texts = try await outcomes(reader) { try await send(.put, "/a", of: writer) }
        #expect(texts == ["old", "new"])
    }

    // MARK: Changes without effect

    @Test(arguments: Kept.allCases, ["store", "put", "tag", "sign out", "clear"])
    func unrelatedChangesDoNotPreventJoining(_ mode: Kept, _ change: String) async throws {
        let store = MemoryStore()
        let client = client(mode, identity: "alice", store: store)
        let other = self.client(mode, identity: "bob", store: store)
        let away = try LoopbackServer()
        defer { away.stop() }
        away.answer(with: .text("").header("Clear-Site-Data", "*, \"cache\""))
        var calls = [get(client).promise]
        try await gate.reached()
        for number in 0..<6 {
            switch change {
            case "store": if mode != .nothing { try await get(client, "/b\(number)").store("b") }
            case "put": try await send(.put, "/a/\(number)", of: client)
            case "tag": try await client.removeCachedResponses(tagged: "tag \(number)")
            case "sign out": try await other.removeCachedResponses()
            default: _ = try await client.send(HTTPRequest(url: away.url))
            }
            calls.append(get(client).promise)
        }
        gate.open()
        for call in calls { #expect(try await call.value == "old") }
        #expect(site.server.requests.count { $0.method == "GET" && $0.path == "/a" } == 1)
    }

    @Test(arguments: Kept.allCases)
    func failedChangesDoNotPreventJoining(_ mode: Kept) async throws {
        let client = client(mode)
        site.server.answer("/a", method: "PUT", with: .status(409))
        let first = get(client).promise
        try await gate.reached()
        _ = await refusal { try await send(.put, "/a", of: client) }
        let second = get(client).promise
        gate.open()
        #expect(try await [first.value, second.value] == ["old", "old"])
        #expect(site.server.requests.count { $0.method == "GET" } == 1)
    }
}
