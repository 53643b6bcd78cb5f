import Synchronization
import TangoCache

/// A store that reports changes reports each change of another store with the same entries.
extension CacheStoreConformance.Rule {
    static let feed: [Self] = changesOfOthers.map { name, change, expected in
        Self("`changes` reports \(name) by another store.") { trial in
            let other = try await trial.another()
            guard let changes = trial.store.changes(), try await trial.isShared(with: other) else { return }
            var entry = CacheStoreConformance.Sample.entry(1)
            entry.tags = ["users"]
            try await trial.store.set(entry, for: "users/1")
            try await trial.expect(expected, in: changes) { try await change(other) }
        }
    }

    private typealias Change = @Sendable (any CacheStore) async throws -> Void

    private static let changesOfOthers: [(name: String, change: Change, expected: CacheChange)] = [
        ("a `set`", { try await $0.set(CacheStoreConformance.Sample.entry(2), for: "users/1") }, .key("users/1")),
        ("a `remove`", { try await $0.remove("users/1") }, .key("users/1")),
        ("a `remove(prefix:)`", { store in _ = try await store.remove(prefix: "users/") }, .prefix("users/")),
        ("a `remove(tag:)`", { store in _ = try await store.remove(tag: "users") }, .tag("users")),
    ]
}

extension CacheStoreConformance.Trial {
    /// Expects a change in a feed after some work. The feed must begin with `all`, and may report `all` again.
    func expect(
        _ expected: CacheChange, in changes: CacheChanges, after work: @escaping @Sendable () async throws -> Void
    ) async throws {
        let reading = Task {
            var isFirst = true
            for await change in changes {
                if isFirst { try expect("the first change", CacheChange.all, got: change) }
                isFirst = false
                if change == expected { return }
                // The store may have missed the work, so it is done again.
                if change == .all { try await work() }
            }
            try Task.checkCancellation()
            throw CacheStoreConformance.Mismatch(expected: "\(expected)", got: "the end of the changes")
        }
        let timer = Task {
            try await Task.sleep(for: .seconds(30))
            reading.cancel()
        }
        defer { timer.cancel() }
        do {
            try await reading.value
        } catch is CancellationError {
            throw CacheStoreConformance.Mismatch(expected: "\(expected) within 30 seconds", got: "nothing")
        }
    }
}
