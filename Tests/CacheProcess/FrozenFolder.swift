import Foundation
import TangoCache

/// Uses the store of ``Specimens`` in a folder that cannot be written to, and prints the results.
struct FrozenFolder {
    private let folder: URL

    init(_ folder: URL) {
        self.folder = folder
    }

    func run() async throws {
        let store = try DiskStore(directory: folder, onEvent: { Journal.say("! event: \($0)") })
        var right = 0
        for (key, entry) in Specimens.small {
            guard let got = try await store.get(key), got.body == entry.body, got.metadata == entry.metadata else {
                continue
            }
            right += 1
        }
        Journal.say("right \(right) of \(Specimens.small.count)")
        var listed = 0
        for try await _ in store.entries() { listed += 1 }
        Journal.say("listed \(listed)")
        Journal.say("count \(try await store.statistics().count)")
        for key in (0..<1_200).map({ CacheKey("missing \($0)") }) { _ = try await store.get(key) }
        await tell("set") { try await store.set(CacheEntry(body: Data(count: 5)), for: "new") }
        await tell("large") { try await store.set(CacheEntry(body: Data(count: 50_000)), for: "new") }
        await tell("stream") { try await store.writer(for: "new").commit() }
        await tell("remove") { try await store.remove("plain") }
        await tell("removeAll") { try await store.removeAll() }
        await tell("maintain") { try await store.maintain() }
        Journal.say("still \(try await store.get("plain") != nil)")
        await store.close()
        Journal.say("done")
    }

    private func tell(_ what: String, _ work: () async throws -> Void) async {
        do {
            try await work()
            Journal.say("\(what) ok")
        } catch {
            Journal.say("\(what) \((error as? CacheError)?.code.description ?? "\(error)")")
        }
    }
}
