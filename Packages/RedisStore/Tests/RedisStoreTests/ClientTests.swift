import Foundation
import RedisStore
import Synchronization
import TangoCache
import TangoRequest
import TangoTesting
import Testing

/// Clients of two processes that cache responses on one server.
@Suite(.serialized, .enabled(if: RedisServer.isThere, Comment(rawValue: RedisServer.hint)))
struct ClientTests {
    private func client(
        _ store: RedisStore, _ policy: CachePolicy, _ respond: @escaping @Sendable () throws -> String
    ) -> Client {
        let transport = MockTransport()
        transport.stub(
            where: { _ in true },
            .made { _ in
                // The body is made before the response is on its way.
                let text = try respond()
                return .text(text).header("Cache-Control", "max-age=1000").delayed(
                    .microseconds(Int.random(in: 1...500)))
            })
        return Client(baseURL: URL(string: "https://example.com"), cache: store) {
            $0.transport = transport
            $0.identity = "ada"
            $0.cachePolicy = policy
        }
    }

    /// One client signs out at random moments, while responses to the other are on their way.
    @Test(arguments: [CachePolicy.cacheElseNetwork, .http])
    func noOldResponseIsServedAfterSigningOut(_ policy: CachePolicy) async throws {
        let configuration = try RedisServer.configuration()
        let (first, second) = (try RedisStore(configuration), try RedisStore(configuration))
        let version = Guarded(0)
        let one = client(first, policy) { "\(version.value)" }
        let other = client(second, policy) { "\(version.value)" }
        let reloading = other.with {
            if policy == .http { $0.headers["Cache-Control"] = "no-cache" } else { $0.cachePolicy = .reload }
        }
        let loads = (0..<2).map { _ in
            Task {
                while !Task.isCancelled { _ = try? await reloading.get("/item", as: String.self).value }
            }
        }
        var wrong: [String] = []
        for round in 1...signOutRounds {
            for _ in 0..<Int.random(in: 0..<100) { await Task.yield() }
            version.change { $0 = round }
            try await one.removeCachedResponses()
            let served = Int(try await other.get("/item", as: String.self).value) ?? -1
            if served < round { wrong.append("\(served) in round \(round)") }
        }
        #expect(wrong == [])
        for load in loads { load.cancel() }
        for load in loads { await load.value }
        for client in [one, other] { await client.shutdown() }
        for store in [first, second] { store.close() }
    }

    @Test(arguments: [CachePolicy.cacheElseNetwork, .http])
    func withoutAServerResponsesArriveAndAreNotCached(_ policy: CachePolicy) async throws {
        let server = try TestServer()
        let store = try RedisStore(server.configuration(budget: .milliseconds(100)), onEvent: { _ in })
        try await store.untilReachable()
        let count = Guarded(0)
        let client = client(store, policy) {
            count.change { $0 += 1 }
            return "\(count.value)"
        }
        server.kill()
        for number in 1...3 { #expect(try await client.get("/item", as: String.self).value == "\(number)") }
        try server.start()
        try await eventually { store.health.isReachable }
        _ = try await client.get("/item", as: String.self).value
        await client.finishStoring()
        let cached = count.value
        _ = try await client.get("/item", as: String.self).value
        #expect(count.value == cached)
        await client.shutdown()
        store.close()
    }
}
