import LoopbackServer
import TangoCache

@testable import TestSupport

/// A store in which every change waits at a gate.
final class HeldStore: CacheStore {
    let memory = MemoryStore()
    let gate: Gate

    init(_ gate: Gate = Gate()) {
        self.gate = gate
    }

    func get(_ key: CacheKey) async throws -> CacheEntry? { memory.peek(key) }

    func set(_ entry: CacheEntry, for key: CacheKey) async throws {
        try await gate.opened()
        var entry = entry
        entry.object = nil
        try memory.put(entry, for: key)
    }

    func remove(_ key: CacheKey) async throws {
        try await gate.opened()
        memory.drop(key)
    }

    func remove(prefix: CacheKey) async throws -> Int {
        try await gate.opened()
        return memory.drop(prefix: prefix)
    }

    func remove(tag: String) async throws -> Int {
        try await gate.opened()
        return memory.drop(tag: tag)
    }

    func removeAll(progress: @escaping @Sendable (CacheProgress) -> Void) async throws {
        try await gate.opened()
        memory.dropAll()
    }

    func entries() -> CacheEntries { memory.entries() }
}
