import Foundation
import LoopbackServer
import Synchronization
import TangoCache
import TangoPromise

@testable import TangoRequest

/// A server with scripted responses, and clients that share a store and a manual clock.
final class CacheSite: Sendable {
    enum Kind: String, CaseIterable, Sendable, CustomStringConvertible {
        case memory, disk, tiered
        var description: String { rawValue }
    }

    let server: LoopbackServer
    let clock = ManualClock()
    let facts = Facts()
    let store: any CacheStore
    private let folder: URL?

    init(_ kind: Kind = .memory) throws {
        server = try LoopbackServer()
        guard kind != .memory else {
            folder = nil
            store = MemoryStore()
            return
        }
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("answers-\(UUID())")
        self.folder = folder
        let disk = try DiskStore(directory: folder)
        store = kind == .disk ? disk : TieredStore(over: disk)
    }

    deinit {
        server.stop()
        if let folder { try? FileManager.default.removeItem(at: folder) }
    }

    func client(
        store: (any CacheStore)? = nil, headers: Headers = [:], policy: CachePolicy? = nil,
        timeouts: Timeouts = .patient, validation: Validation = .default, json: JSONCoding = .default,
        identity: String? = nil, observers: [any CallObserver]? = nil
    ) -> Client {
        let store = store ?? self.store
        // The client takes this instance, whose lookups wait for the store, however busy the machine is.
        let shared = SharedStore.of(store, waitLimit: .patient)
        defer { withExtendedLifetime(shared) {} }
        return Client(baseURL: server.url, cache: store) {
            $0.headers = headers
            $0.cachePolicy = policy
            $0.timeouts = timeouts
            $0.validation = validation
            $0.json = json
            $0.identity = identity
            $0.observers = observers ?? [facts.observer()]
            $0.clock = clock
        }
    }

    /// The number of requests that the server has received.
    var count: Int { server.requestCount }
}

extension MemoryStore {
    /// The number of entries, read without waiting.
    var entryCount: Int { (statistics() as CacheStatistics).count }
}

struct Item: Codable, Hashable, Sendable {
    var id: Int
    var name = "none"
}

/// A request with a cache policy and keys that the test declares.
class GetItem: Request<Item> {
    let owner: Client
    let policy: CachePolicy?
    let place: Endpoint
    var ownKey: CacheKey?
    var version = 0
    var words: Set<String> = []

    init(_ owner: Client, _ policy: CachePolicy?, _ place: Endpoint = .get("/item")) {
        self.owner = owner
        self.policy = policy
        self.place = place
    }

    override var client: Client { owner }
    override var endpoint: Endpoint { place }
    override var cachePolicy: CachePolicy { policy ?? super.cachePolicy }
    override var cacheKey: CacheKey? { ownKey }
    override var schemaVersion: Int { version }
    override var tags: Set<String> { words }
}

extension Response {
    /// An item, as JSON.
    static func item(_ id: Int) -> Response {
        .json(#"{"id": \#(id), "name": "item \#(id)"}"#).header("ETag", "\"\(id)\"")
    }
}

/// The outcome of a call, as seen by its promise, its values and its callbacks, and its effects.
struct Seen: Equatable, CustomStringConvertible {
    var promise: String
    var values: [String]
    var callbacks: [String]
    /// The content of the store after the call.
    var kept: String
    /// 1 if the server received a request, else 0. If a connection breaks, a transport may send a request twice.
    var asked: Int

    var description: String {
        "promise \(promise), values \(values), callbacks \(callbacks), cached \(kept), sent \(asked)"
    }
}

/// Returns an outcome as one word.
func word(_ result: Result<Item, any Error>) -> String {
    switch result {
    case .success(let item): "\(item.id)"
    case .failure(let error as RequestError): error.code.rawValue
    case .failure(is CancellationError): "cancelled"
    case .failure(let error): "\(error)"
    }
}
