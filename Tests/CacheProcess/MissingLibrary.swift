import Foundation
import TangoCache

/// Opens a store and uses the one of the application, and prints the results and the events.
struct MissingLibrary {
    let folder: URL

    init(_ folder: URL) {
        self.folder = folder
    }

    func run() async throws {
        CacheEvents.onEvent = { Journal.say("event: \($0)") }
        do {
            _ = try DiskStore(directory: folder)
            Journal.say("opens")
        } catch {
            Journal.say("\(error)")
        }
        let store = TieredStore.shared
        let number = try await store.get("count").flatMap { Int(String(decoding: $0.body, as: UTF8.self)) } ?? 0
        try await store.set(CacheEntry(body: Data("\(number + 1)".utf8)), for: "count")
        try await store.set(CacheEntry(body: Data([1])), for: "other")
        do {
            try await store.remove("other")
            Journal.say("removed")
        } catch {
            Journal.say("not removed: \(error)")
        }
        let found = try await store.get("count")?.body ?? Data()
        Journal.say("count \(String(decoding: found, as: UTF8.self))")
    }
}
