/// A store with a history refuses entries that were removed since a moment. A store without one holds to these rules too.
extension Rule {
    static let history: [Self] =
        [
            Self("`moment` returns moments only if `hasHistory` is true.") { trial in
                let hasMoment = try await trial.store.moment() != nil
                try trial.expect("whether there is a moment", trial.store.hasHistory, got: hasMoment)
            },
            Self("`set(_:for:unlessRemovedSince:)` stores an entry if nothing was removed since the moment.") { trial in
                guard let moment = try await trial.store.moment() else { return }
                try await trial.expectStored(true, since: moment, by: trial.store)
            },
            Self("`set(_:for:unlessRemovedSince:)` ignores removals of other keys, prefixes and tags.") { trial in
                guard let moment = try await trial.store.moment() else { return }
                try await trial.store.remove("users/10")
                try await trial.store.removeMany(["users", "users/1/"])
                try await trial.store.remove(prefix: "users/1/")
                try await trial.store.remove(prefix: "Users")
                try await trial.store.remove(tag: "user")
                try await trial.store.remove(tag: "users 1")
                try await trial.expectStored(true, since: moment, by: trial.store)
            },
            Self("`set(_:for:unlessRemovedSince:)` stores an entry that was removed before the moment.") { trial in
                try await trial.store.remove(tag: "users")
                try await trial.store.remove(Trial.removedKey)
                guard let moment = try await trial.store.moment() else { return }
                try await trial.expectStored(true, since: moment, by: trial.store)
            },
            Self("`set(_:for:unlessRemovedSince:)` ignores entries that were only replaced.") { trial in
                guard let moment = try await trial.store.moment() else { return }
                try await trial.store.set(Sample.entry(2), for: Trial.removedKey)
                try await trial.expectStored(true, since: moment, by: trial.store)
            },
        ]
        + waysToRemove.map { name, remove in
            Self("`set(_:for:unlessRemovedSince:)` refuses an entry after \(name), also by another store.") { trial in
                guard let moment = try await trial.store.moment() else { return }
                try await remove(trial.store)
                try await trial.expectStored(false, since: moment, by: trial.store)
                let other = try await trial.another()
                guard try await trial.isShared(with: other), let later = try await trial.store.moment() else { return }
                try await remove(other)
                try await trial.expectStored(false, since: later, by: trial.store)
                try await trial.expectStored(false, since: moment, by: other)
            }
        }

    static let waysToRemove: [(name: String, remove: @Sendable (any CacheStore) async throws -> Void)] = [
        ("`remove`", { try await $0.remove(Trial.removedKey) }),
        ("`removeMany`", { try await $0.removeMany(["a", Trial.removedKey]) }),
        ("`remove(prefix:)`", { store in _ = try await store.remove(prefix: "users/") }),
        ("`remove(prefix:)` of the whole key", { store in _ = try await store.remove(prefix: Trial.removedKey) }),
        ("`remove(tag:)`", { store in _ = try await store.remove(tag: "users") }),
        ("`removeAll`", { try await $0.removeAll() }),
    ]
}

extension Trial {
    static let removedKey: CacheKey = "users/1"

    /// Stores an entry unless it was removed, and expects that this succeeds or is refused.
    func expectStored(_ isStored: Bool, since moment: CacheMoment, by store: any CacheStore) async throws {
        let before = try await store.get(Self.removedKey)
        let entry = Sample.entry(7, tags: ["users", "all"])
        let got = try await store.set(entry, for: Self.removedKey, unlessRemovedSince: moment)
        try expect("whether the entry is stored", isStored, got: got)
        try await expect(isStored ? entry : before, at: Self.removedKey)
    }

    /// Returns whether another store has the same entries.
    func isShared(with other: any CacheStore) async throws -> Bool {
        try await store.set(Sample.entry(1), for: "shared")
        defer { withExtendedLifetime(other) {} }
        let isShared = try await other.get("shared") != nil
        try await store.remove("shared")
        return isShared
    }
}
