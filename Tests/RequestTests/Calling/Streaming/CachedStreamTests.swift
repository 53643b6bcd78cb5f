import Foundation
import LoopbackServer
import TangoCache
import TangoPromise
import Testing

@testable import TangoRequest
@testable import TestSupport

/// Streamed outputs and the cache.
@Suite(.timeLimit(.minutes(20)))
struct CachedStreamTests {
    private final class GetFile: Request<ByteStream> {
        let owner: Client
        let policy: CachePolicy
        init(_ owner: Client, _ policy: CachePolicy = .http) {
            self.owner = owner
            self.policy = policy
        }
        override var client: Client { owner }
        override var endpoint: Endpoint { .get("/file") }
        override var cachePolicy: CachePolicy { policy }
    }

    private let site: Site
    private let size = 8_000_000
    private let folder = FileManager.default.temporaryDirectory.appending(path: "tango-streams-\(UUID().uuidString)")

    init() throws {
        site = try Site()
        site.server.answer("/file", with: .generated(bytes: size).header("Cache-Control", "max-age=600"))
    }

    private func client() throws -> Client {
        let store = try DiskStore(directory: folder)
        // The client takes this instance.
        let shared = SharedStore.of(store, waitLimit: .patient)
        defer { withExtendedLifetime(shared) {} }
        return Client(baseURL: site.server.url, cache: store) { $0.timeouts = .patient }
    }

    private func read(_ stream: ByteStream) async throws -> (body: Data, largest: Int) {
        var (body, largest) = (Data(), 0)
        for try await portion in stream {
            body += portion
            largest = max(largest, portion.count)
        }
        return (body, largest)
    }

    @Test func bodyIsCachedWhileItIsReadAndServedInPortions() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let client = try client()
        let first = try await GetFile(client).promise.value
        #expect(try await read(first).body == generated(size))
        // The lookup waits until the store has the body.
        let call = GetFile(client).start()
        let second = try await call.value
        #expect(second.response.source.isCache)
        let (body, largest) = try await read(second)
        #expect(body == generated(size))
        #expect(largest < size / 8)
        #expect(site.server.requestCount == 1)
        #expect(call.state == .finished(.success))
        #expect(call.attempts.isEmpty)
        await client.shutdown()
    }

    @Test func readerThatLeavesCachesNothing() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let client = try client()
        for try await _ in try await GetFile(client).promise.value { break }
        try await site.server.connectionEnded(0)
        #expect(try await read(GetFile(client).promise.value).body == generated(size))
        #expect(site.server.requestCount == 2)
        await client.shutdown()
    }

    @Test func cachedBodyCanBeLeft() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let client = try client()
        _ = try await read(GetFile(client).promise.value)
        for try await _ in try await GetFile(client).promise.value { break }
        _ = try await GetFile(client).promise.value
        while !client.calls.isEmpty { await Task.yield() }
        await client.shutdown()
    }

    @Test func eventStreamIsNotCached() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        var response = Response.events(["a"])
        response.headers = ["Content-Type": "text/event-stream", "Cache-Control": "max-age=600"]
        site.server.answer("/events", with: response)
        let client = try client()
        for _ in 1...2 {
            let events: EventStream<String> = try await Fetch(.get("/events"), of: client, by: .events(.once)).promise
                .value
            #expect(try await events.reduce(into: []) { $0.append($1) } == ["a"])
        }
        #expect(site.server.requestCount == 2)
        await client.shutdown()
    }

    @Test(arguments: [
        CachePolicy.cacheElseNetwork(maxAge: .seconds(60)), .cacheThenNetwork(maxAge: .seconds(60)), .reload,
    ])
    func declaredPoliciesActAsNetworkOnly(_ policy: CachePolicy) async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let client = try client()
        for _ in 1...2 { #expect(try await read(GetFile(client, policy).promise.value).body.count == size) }
        #expect(site.server.requestCount == 2)
        await client.shutdown()
    }

    @Test func cacheOnlyIsRefused() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let error = await refusal(of: GetFile(try client(), .cacheOnly).promise)
        #expect(error?.code == .notCached)
        #expect(site.server.requestCount == 0)
    }
}
