// Caches in an app made from Xcode's template: view models say nothing, a store of one's own is an actor or `nonisolated`.
import Foundation
import Synchronization
import Tango

nonisolated struct Picture: Sendable { var width = 0 }

final class PictureModel {
    var size = 0
    var failure: String?
    private let store = TieredStore.shared
    private let memory = MemoryStore(limits: CacheLimits(bytes: 16 << 20))
    private var disk: DiskStore?
    private var events: [String] = []

    func open(_ folder: URL) throws {
        let disk = try DiskStore(
            directory: folder, limits: CacheLimits(bytes: 64 << 20),
            onEvent: { event in Task { @MainActor in self.events.append("\(event)") } })
        self.disk = disk
        use(TieredStore(memory: memory, over: disk))
        use(.shared)
    }

    func load() async {
        do {
            if let entry = memory.peek("picture") {
                size = entry.body.count
            } else if let entry = try await store.get("picture") {
                size = entry.body.count
                try memory.put(CacheEntry(body: entry.body, object: Picture(width: size)), for: "picture")
            }
            try await disk?.set(CacheEntry(body: Data(count: size), tags: ["pictures"]), for: "picture")
            try await disk?.remove(tag: "pictures")
            for try await item in store.entries() { size += item.size }
        } catch {
            failure = "\(error)"
        }
    }

    func clear() async throws {
        try await store.removeAll { progress in
            Task { @MainActor in self.size = progress.removed }
        }
    }

    func save(_ portions: AsyncStream<Data>) async throws {
        let writer = try await store.writer(for: "film")
        for await portion in portions { try await writer.write(portion) }
        try await writer.commit()
        guard let reader = try await store.reader(for: "film") else { return }
        for try await portion in reader { size += portion.count }
    }

    private func use(_ store: any CacheStore) {}
}

actor CountingStore: CacheStore {
    private let base: any CacheStore
    private(set) var reads = 0

    init(base: any CacheStore) { self.base = base }

    func get(_ key: CacheKey) async throws -> CacheEntry? {
        reads += 1
        return try await base.get(key)
    }
    func set(_ entry: CacheEntry, for key: CacheKey) async throws { try await base.set(entry, for: key) }
    func remove(_ key: CacheKey) async throws { try await base.remove(key) }
    func removeAll(progress: @escaping @Sendable (CacheProgress) -> Void) async throws {
        try await base.removeAll(progress: progress)
    }
    nonisolated func entries() -> CacheEntries { base.entries() }
}

nonisolated final class SmallStore: CacheStore {
    private let kept = Mutex<[CacheKey: CacheEntry]>([:])

    func get(_ key: CacheKey) async throws -> CacheEntry? { kept.withLock { $0[key] } }
    func set(_ entry: CacheEntry, for key: CacheKey) async throws { kept.withLock { $0[key] = entry } }
    func remove(_ key: CacheKey) async throws { kept.withLock { $0[key] = nil } }
    func removeAll(progress: @escaping @Sendable (CacheProgress) -> Void) async throws {
        kept.withLock { $0 = [:] }
        progress(CacheProgress(removed: 0, total: 0))
    }
    func entries() -> CacheEntries {
        CacheEntries(kept.withLock { $0.map { key, entry in CacheItem(key: key, entry: entry) } })
    }
}
