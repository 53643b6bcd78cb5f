import Synchronization

/// All methods may be called from any number of tasks at once, and each read returns a whole entry.
extension Rule {
    static let concurrency: [Self] = [
        Self("While `set` replaces entries, each read returns a whole entry, not older than the last stored one.") {
            trial in
            try await replace(in: trial) { entry, key in try await trial.store.set(entry, for: key) }
        },
        Self(
            "While `writer` replaces entries, each read returns a whole entry, not older than the last stored one."
        ) {
            trial in
            try await replace(in: trial) { entry, key in try await trial.write(entry, for: key, portion: 9_000) }
        },
        Self("Tasks that set and remove different keys at once do not undo each other's changes.") { trial in
            try await withThrowingTaskGroup { group in
                for task in 0..<16 {
                    group.addTask {
                        for number in 0..<8 {
                            try await trial.store.set(Sample.entry(number), for: "\(task)-\(number)")
                            try await trial.store.set(Sample.entry(task * 8 + number), for: "\(task)-\(number)")
                        }
                        for number in stride(from: 1, to: 8, by: 2) {
                            try await trial.store.remove("\(task)-\(number)")
                        }
                    }
                }
                for try await _ in group {}
            }
            var keys: [CacheKey] = []
            for task in 0..<16 {
                for number in 0..<8 {
                    let key: CacheKey = "\(task)-\(number)"
                    let stays = number.isMultiple(of: 2)
                    try await trial.expect(stays ? Sample.entry(task * 8 + number) : nil, at: key)
                    if stays { keys.append(key) }
                }
            }
            try await trial.expectListed(keys)
        },
    ]

    private static let turns = 20

    /// For each key, one task replaces the entry repeatedly. Meanwhile, two tasks read it in three ways.
    private static func replace(
        in trial: Trial, _ write: @escaping @Sendable (CacheEntry, CacheKey) async throws -> Void
    ) async throws {
        let histories = (0..<4).map { History(key: "key-\($0)", number: $0 << 16) }
        for history in histories { try await trial.store.set(history.entries[0], for: history.key) }
        try await withThrowingTaskGroup { group in
            for history in histories {
                group.addTask {
                    for turn in 1..<turns {
                        try await write(history.entries[turn], history.key)
                        history.stored.withLock { $0 = turn }
                    }
                }
                for reader in 0..<2 {
                    group.addTask {
                        var turn = reader
                        while !history.isOver, !Task.isCancelled {
                            let oldest = history.stored.withLock { $0 }
                            try history.check(
                                try await read(history.key, turn, of: trial), notBefore: oldest, in: trial)
                            turn += 1
                            await Task.yield()
                        }
                    }
                }
            }
            for try await _ in group {}
        }
        for history in histories { try await trial.expect(history.entries.last, at: history.key) }
        try await trial.expectListed(histories.map(\.key))
    }

    private static func read(
        _ key: CacheKey, _ turn: Int, of trial: Trial
    ) async throws -> CacheEntry? {
        switch turn % 3 {
        case 0: try await trial.store.get(key)
        case 1: try await trial.store.getMany(["no", key]).last ?? nil
        default: try await trial.read(key)
        }
    }

    /// The successive entries of a key, and the index of the last stored one.
    private final class History: Sendable {
        let key: CacheKey
        let entries: [CacheEntry]
        let stored = Mutex(0)

        init(key: CacheKey, number: Int) {
            self.key = key
            entries = (0..<turns).map { turn in
                CacheEntry(
                    body: Sample.bytes([100, 5_000, 20_000, 70_000][turn % 4], of: number + turn),
                    metadata: ["turn": "\(turn)"], tags: ["\(turn)"])
            }
        }

        var isOver: Bool { stored.withLock { $0 == turns - 1 } }

        func check(_ entry: CacheEntry?, notBefore oldest: Int, in trial: Trial) throws {
            guard let entry else { return try trial.expect(entries[oldest], got: nil, at: key) }
            guard let turn = entry.metadata["turn"].flatMap({ Int($0) }), entries.indices.contains(turn) else {
                throw Mismatch(
                    expected: "one of the entries that were set under \(Trial.name(of: key))",
                    got: "one with the metadata \(entry.metadata)")
            }
            try trial.expect(entries[turn], got: entry, at: key)
            if turn < oldest { try trial.expect(entries[oldest], got: entry, at: key) }
        }
    }
}
