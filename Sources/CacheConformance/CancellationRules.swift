/// In a cancelled task, `set` and `remove` either succeed, or throw and change nothing.
extension Rule {
    static let cancellation: [Self] = [
        Self("A `set` in a cancelled task stores the entry, or throws and changes nothing.") { trial in
            try await interrupt(trial, storing: Sample.entry(2)) { store in
                try await store.set(Sample.entry(2), for: "a")
            }
        },
        Self("A `remove` in a cancelled task removes the entry, or throws and changes nothing.") { trial in
            try await interrupt(trial, storing: nil) { store in try await store.remove("a") }
        },
        Self("A `commit` in a cancelled task stores the entry, or throws and changes nothing.") { trial in
            try await interrupt(trial, storing: Sample.entry(2)) { store in
                let writer = try await store.writer(for: "a", entry: Sample.entry(2))
                try await writer.commit()
            }
        },
        Self("A read in a cancelled task returns the stored entry, or throws.") { trial in
            try await interrupt(trial, storing: Sample.entry(1)) { store in
                try trial.expect(Sample.entry(1), got: try await store.get("a"), at: "a")
                let found = try await store.getMany(["a", "b"])
                try trial.expect("the found entries", [true, false], got: found.map { $0 != nil })
                try trial.expect(Sample.entry(1), got: try await trial.read("a"), at: "a")
            }
        },
        Self("`removeAll` and `entries` in a cancelled task leave the store usable.") { trial in
            try await interrupt(trial, storing: nil, orAPart: true) { store in
                for try await _ in store.entries() {}
                try await store.removeAll()
            }
        },
    ]

    /// Runs work in tasks that are cancelled before or while they run, and expects a store that still works.
    ///
    /// The store must have the entry that the work stores. If the work throws, it must have the entry from before. With
    /// `orAPart`, it may also have none then.
    private static func interrupt(
        _ trial: Trial, storing entry: CacheEntry?, orAPart: Bool = false,
        _ work: @escaping @Sendable (any CacheStore) async throws -> Void
    ) async throws {
        for turn in 0..<10 {
            try await trial.store.set(Sample.entry(1), for: "a")
            let task = Task {
                if turn.isMultiple(of: 2) { withUnsafeCurrentTask { $0?.cancel() } }
                try await work(trial.store)
            }
            task.cancel()
            switch await task.result {
            case .success: try await trial.expect(entry, at: "a")
            case .failure(let mismatch as Mismatch): throw mismatch
            case .failure:
                let left = try await trial.store.get("a")
                if left != nil || !orAPart { try trial.expect(Sample.entry(1), got: left, at: "a") }
            }
        }
        try await trial.roundTrip(Sample.entry(3), at: "b")
        try await trial.store.remove("b")
        try await trial.expect(nil, at: "b")
    }
}
