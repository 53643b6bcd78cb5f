import Foundation
import LoopbackServer
import Testing

@testable import TangoHTTP
@testable import TangoRequest
@testable import TestSupport

/// Outputs that are isolated to the main actor, as in a module with that default isolation.
@Suite(.timeLimit(.minutes(20))) struct DecodingIsolationTests {
    @MainActor struct Pinned: @MainActor Codable, Equatable {
        let id: Int

        init(from decoder: any Decoder) throws {
            MainActor.assertIsolated()
            id = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .id)
        }

        enum CodingKeys: String, CodingKey { case id }
    }

    struct Free: Codable, Equatable { let id: Int }

    @Test func isolatedConformancesAreDetected() async throws {
        let pinned = DecodingIsolation(of: Pinned.self)
        #expect(throws: RequestError.self) { try pinned.check() }
        #expect(throws: RequestError.self) { try DecodingIsolation(of: [Pinned].self).check() }
        #expect(throws: RequestError.self) { try DecodingIsolation(of: [String: Pinned?].self).check() }
        let free = DecodingIsolation(of: [Free]?.self)
        // The main actor cannot tell.
        #expect(await MainActor.run { !free.isFree })
        #expect(free.isFree)
        #expect(await MainActor.run { free.isFree })
        // The result on the main actor does not apply to other threads.
        try await MainActor.run { try pinned.check() }
        #expect(await MainActor.run { !pinned.isFree })
        #expect(!pinned.isFree)
        #expect(throws: RequestError.self) { try pinned.check() }
    }

    /// Each call starts on the main actor and off it, with a body and without.
    @Test(arguments: [Endpoint.get("/pinned"), .post("/pinned"), .post("/pinned", body: .json(["a": 1]))])
    func outputIsolatedToTheMainActorIsRejected(_ endpoint: Endpoint) async throws {
        let site = try Site()
        site.server.answer("/pinned", with: .json(#"{"id": 1}"#))
        let client = site.client()
        for onMain in [true, false] {
            let calls =
                onMain
                ? await MainActor.run {
                    (
                        Fetch(endpoint, of: client, as: Pinned.self).start(),
                        Fetch(endpoint, of: client, as: [Pinned]?.self).start()
                    )
                }
                : (
                    Fetch(endpoint, of: client, as: Pinned.self).start(),
                    Fetch(endpoint, of: client, as: [Pinned]?.self).start()
                )
            for error in [try await failure { try await calls.0.value }, try await failure { try await calls.1.value }]
            {
                #expect(error.code == .noSerializer)
                #expect(error.detail.contains("nonisolated struct"), "\(error)")
            }
        }
        #expect(site.server.requests.isEmpty)
        #expect(try await client.get("/pinned", as: Free.self).value == Free(id: 1))
    }
}
