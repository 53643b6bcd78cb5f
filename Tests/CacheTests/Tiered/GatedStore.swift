import Foundation
import Synchronization

@testable import TangoCache

/// A store whose operations stop at points that a test names, until it releases them. The points are before an
/// operation takes effect ("get a", "set a") or after it ("got a", "did set a").
final class GatedStore: CacheStore {
    struct Failure: Error {}

    private struct State {
        var held: Set<String> = []
        var failing: Set<String> = []
        var stopped: [(point: String, continuation: CheckedContinuation<Void, Never>)] = []
        var watchers: [(point: String, count: Int, continuation: CheckedContinuation<Void, Never>)] = []
        var passed: [String] = []
    }

    let content = MemoryStore(limits: .unlimited)
    private let state = Mutex(State())

    // MARK: For the test

    /// Stops all operations at a point from now on.
    func hold(_ point: String) {
        state.withLock { _ = $0.held.insert(point) }
    }

    /// Fails all operations at a point.
    func fail(_ point: String) {
        state.withLock { _ = $0.failing.insert(point) }
    }

    /// Returns when `count` operations have reached a point, stopped there or not.
    func arrival(at point: String, _ count: Int = 1) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.passed.count(where: { $0 == point }) >= count { return true }
                state.watchers.append((point, count, continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    /// Releases the first operation stopped at a point, and stops no more there.
    func release(_ point: String) {
        let released = state.withLock { state in
            state.held.remove(point)
            let released = state.stopped.filter { $0.point == point }
            state.stopped.removeAll { $0.point == point }
            return released
        }
        for stopped in released { stopped.continuation.resume() }
    }

    /// Returns the number of operations that have reached a point.
    func count(of point: String) -> Int {
        state.withLock { $0.passed.count(where: { $0 == point }) }
    }

    // MARK: For the store in front

    private nonisolated(nonsending) func pass(_ point: String) async throws {
        await withCheckedContinuation { continuation in
            let (isHeld, watchers) = state.withLock { state in
                state.passed.append(point)
                let isHeld = state.held.contains(point)
                if isHeld { state.stopped.append((point, continuation)) }
                let count = state.passed.count(where: { $0 == point })
                let watchers = state.watchers.filter { $0.point == point && $0.count <= count }
                state.watchers.removeAll { $0.point == point && $0.count <= count }
                return (isHeld, watchers)
            }
            for watcher in watchers { watcher.continuation.resume() }
            if !isHeld { continuation.resume() }
        }
        if state.withLock({ $0.failing.contains(point) }) { throw Failure() }
    }

    nonisolated(nonsending) func get(_ key: CacheKey) async throws -> CacheEntry? {
        try await pass("get \(key)")
        let entry = content.peek(key)
        try await pass("got \(key)")
        try Task.checkCancellation()
        return entry
    }

    nonisolated(nonsending) func set(_ entry: CacheEntry, for key: CacheKey) async throws {
        try await pass("set \(key)")
        try await pass("set \(entry.text)")
        try content.put(entry, for: key)
        try await pass("did set \(key)")
    }

    nonisolated(nonsending) func remove(_ key: CacheKey) async throws {
        try await pass("remove \(key)")
        content.drop(key)
        try await pass("did remove \(key)")
    }

    nonisolated(nonsending) func removeAll(progress: @escaping @Sendable (CacheProgress) -> Void) async throws {
        try await pass("remove all")
        try await content.removeAll(progress: progress)
        try await pass("did remove all")
    }

    nonisolated(nonsending) func remove(tag: String) async throws -> Int {
        try await pass("remove tag \(tag)")
        let count = content.drop(tag: tag)
        try await pass("did remove tag \(tag)")
        return count
    }

    func entries() -> CacheEntries {
        content.entries()
    }
}
