import Foundation
import LoopbackServer
import TangoCache
import TangoPromise
import Testing

@testable import TangoRequest
@testable import TestSupport

/// The errors of reads and writes that no store can serve.
@Suite(.timeLimit(.minutes(20)))
struct WithoutStoreTests {
    @Test func streamIsNotReadFromTheStore() async throws {
        let site = try CacheSite()
        site.server.answer(with: .item(1))
        let error = await refusal {
            try await site.client().send(HTTPRequest(url: site.server.url), cachePolicy: .cacheOnly, delivery: .stream)
        }
        #expect(error?.code == .notCached)
        #expect(error?.detail.contains("whole") == true)
        #expect(site.count == 0)
    }

    @Test func missingStoreIsReported() async throws {
        let site = try CacheSite()
        let client = Client(baseURL: site.server.url)
        let readError = await refusal { try await GetItem(client, .cacheOnly).promise.value }
        #expect(readError?.code == .notCached)
        #expect(readError?.detail.contains("has no cache") == true)
        let writeError = await refusal { try await GetItem(client, nil).store(Item(id: 1)) }
        #expect(writeError?.code == .notCached)
        #expect(try await GetItem(client, nil).cached() == nil)
        try await GetItem(client, nil).evict()
        try await GetItem(client, nil, .get("/../a")).evict()
        #expect(site.count == 0)
    }
}
