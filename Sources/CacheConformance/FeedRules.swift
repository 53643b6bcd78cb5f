import Synchronization

/// A store that reports changes reports each change of another store with the same entries.
extension Rule {
    static let feed: [Self] = changesOfOthers.map { name, change, expected in
        Self("`changes` reports \(name) by another store.") { trial in
            let other = try await trial.another()
            guard let changes = trial.store.changes(), try await trial.isShared(with: other) else { return }
            try await trial.store.set(Sample.entry(1, tags: ["users"]), for: "users/1")
            try await trial.expect(expected, in: changes) {
                try await change(other)
                // Changes are in order, so a store that has not reported the change before this one has missed it.
                try await other.set(Sample.entry(3), for: Trial.laterKey)
            }
        }
    }

    private typealias Change = @Sendable (any CacheStore) async throws -> Void

    private static let changesOfOthers: [(name: String, change: Change, expected: CacheChange)] = [
        ("a `set`", { try await $0.set(Sample.entry(2), for: "users/1") }, .key("users/1")),
        (
            "a `setMany`",
            { store in
                let entries = ["users/0", "users/1"].map { (key: CacheKey($0), entry: Sample.entry(2)) }
                try await store.setMany(entries)
            }, .key("users/1")
        ),
        (
            "a `commit`",
            { store in
                let writer = try await store.writer(for: "users/1", entry: Sample.entry(2))
                try await writer.commit()
            }, .key("users/1")
        ),
        (
            "a `set(_:for:unlessRemovedSince:)`",
            { store in
                guard let moment = try await store.moment() else {
                    return try await store.set(Sample.entry(2), for: "users/1")
                }
                try await store.set(Sample.entry(2), for: "users/1", unlessRemovedSince: moment)
            }, .key("users/1")
        ),
        ("a `remove`", { try await $0.remove("users/1") }, .key("users/1")),
        ("a `remove(prefix:)`", { store in _ = try await store.remove(prefix: "users/") }, .prefix("users/")),
        ("a `remove(tag:)`", { store in _ = try await store.remove(tag: "users") }, .tag("users")),
        ("a `removeAll`", { try await $0.removeAll() }, .all),
    ]
}

extension Trial {
    /// The key of the entry that is stored after the change that a feed has to report.
    static let laterKey: CacheKey = "later"

    /// Expects a change in a feed after some work. The feed must begin with `all`, and may report `all` again.
    func expect(
        _ expected: CacheChange, in changes: CacheChanges, after work: @escaping @Sendable () async throws -> Void
    ) async throws {
        let reading = Task {
            var isFirst = true
            for await change in changes {
                if isFirst { try expect("the first change", CacheChange.all, got: change) }
                if !isFirst, change == expected { return }
                isFirst = false
                // The store may have missed the work, so it is done again.
                if change == .all { try await work() }
                if change == .key(Self.laterKey) {
                    throw Mismatch(expected: "\(expected)", got: "\(change), which came later")
                }
            }
            try Task.checkCancellation()
            throw Mismatch(expected: "\(expected)", got: "the end of the changes")
        }
        let timer = Task {
            try await Task.sleep(for: .seconds(120))
            reading.cancel()
        }
        defer { timer.cancel() }
        do {
            try await reading.value
        } catch is CancellationError {
            throw Mismatch(expected: "\(expected) within 120 seconds", got: "nothing")
        }
    }
}
