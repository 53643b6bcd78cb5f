import Foundation
import LoopbackServer
import Synchronization
import TangoCache
import TangoRequest
import Testing

@testable import TestSupport

/// Encoding and decoding off the main thread, for callers on the main actor.
@Suite(.timeLimit(.minutes(20))) struct OffTheMainThreadTests {
    /// A model that records whether it is encoded and decoded on the main thread.
    struct Model: Codable, Sendable {
        static let onMain = Mutex<[String: Bool]>([:])

        let name: String

        init(name: String) {
            self.name = name
        }

        init(from decoder: any Decoder) throws {
            name = try decoder.container(keyedBy: Key.self).decode(String.self, forKey: .name)
            Self.note("decoded \(name)")
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(name, forKey: .name)
            Self.note("encoded \(name)")
        }

        static func note(_ what: String) {
            let isMain = MainQueue.isCurrent
            onMain.withLock { $0[what] = $0[what] ?? false || isMain }
        }

        enum Key: String, CodingKey { case name }
    }

    final class Get: Request<Model> {
        let owner: Client
        let policy: CachePolicy
        let name: String
        init(_ name: String, _ policy: CachePolicy, of owner: Client) {
            self.name = name
            self.policy = policy
            self.owner = owner
        }
        override var client: Client { owner }
        override var endpoint: Endpoint { .put("/\(name)", body: .json(Model(name: "body of \(name)"))) }
        override var cachePolicy: CachePolicy { policy }
        override var cacheKey: CacheKey? { CacheKey(name) }
    }

    static let policies: [(String, CachePolicy)] = [
        ("raw", CachePolicy(fetch: .cacheElseNetwork, hit: .always, write: .raw)),
        ("model", CachePolicy(fetch: .cacheElseNetwork, hit: .always, write: .model)),
    ]

    /// The store holds bytes only, so each read decodes.
    @MainActor @Test(arguments: policies)
    func cachedOutputsAreEncodedAndDecodedOffTheMainThread(name: String, policy: CachePolicy) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("tango-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = try DiskStore(directory: folder)
        let server = try LoopbackServer()
        defer { server.stop() }
        let client = Client(baseURL: server.url, cache: store)
        #expect(MainQueue.isCurrent)
        let request = Get(name, policy, of: client)
        try await request.store(Model(name: name))
        #expect(try await request.cached()?.name == name)
        try await request.evict()
        #expect(try await request.cached() == nil)
        let seen = Model.onMain.withLock { $0 }.filter { $0.key.hasSuffix(name) }
        #expect(seen["encoded \(name)"] == false)
        #expect(seen["decoded \(name)"] == false)
        #expect(seen["encoded body of \(name)"] == false)
        await client.shutdown()
    }
}
