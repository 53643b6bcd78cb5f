import Foundation
import TangoCache
import Testing

/// The snippets of the doc comments of the stores in memory.
private struct Image {}

private func storing(_ data: Data, _ image: Image) throws {
    let store = MemoryStore(limits: CacheLimits(bytes: 32 << 20, count: 1000))
    try store.put(CacheEntry(body: data, object: image), for: "logo")
    let logo = store.peek("logo")?.object as? Image
    _ = logo
}

private func relieving(_ store: MemoryStore) {
    store.relieve(.warning)
}

private func tiers(over disk: any CacheStore) async throws {
    let store = TieredStore(memory: MemoryStore(limits: CacheLimits(bytes: 16 << 20)), over: disk)
    let entry = if let entry = store.peek("a") { entry } else { try await store.get("a") }
    _ = entry
}
