import Foundation
import TangoCache

/// Opens a store with or without SQLite, and prints the result.
struct Fallback {
    let folder: URL

    init(_ folder: URL) {
        self.folder = folder
    }

    func run() async throws {
        do {
            _ = try DiskStore(directory: folder.appendingPathComponent("sqlite"), engine: .sqlite)
            Journal.say("sqlite opens")
        } catch {
            Journal.say("sqlite: \(error)")
        }
        let store = try DiskStore(directory: folder.appendingPathComponent("automatic")) { event in
            Journal.say("event: \(event)")
        }
        try await store.set(CacheEntry(body: Data([1, 2, 3])), for: "a")
        let found = try await store.get("a")?.body == Data([1, 2, 3])
        Journal.say("\(store.engine) \(found)")
    }
}
