import Synchronization

extension SQLiteEngine {
    /// The interval of automatic maintenance, in seconds.
    private static let interval = 3600.0

    /// Removes expired entries, excess entries, and files that killed processes have left.
    nonisolated(nonsending) func maintain() async throws {
        _ = try await perform { [touches] transaction in
            try transaction.touch(touches.take())
            return 0
        }
        try await removeExpired()
        if let age = limits.age { try await removeAged(age) }
        let now = clock.roughly
        _ = try await perform { transaction in
            transaction.totals.maintained = now
            return 0
        }
        try await IO.run { [self] in
            try sweep()
            try translating { try connection.checkpoint() }
        }
    }

    /// Removes what the files still contain of removed entries. A reader of another process may delay this.
    func removeTraces() throws {
        try translating { try connection.removeTraces() }
    }

    /// Starts, on another thread, the work that need not be done before the store is used.
    func maintainInBackground() {
        Task.detached(priority: .utility) { [self] in
            do {
                let maintained = try await IO.run { [self] in try read { try Totals(in: $0.database).maintained } }
                let now = clock.roughly
                if maintained > now || now - maintained > Self.interval {
                    try await maintain()
                } else {
                    try await IO.run { [self] in try sweep() }
                }
            } catch {
                reportFailure(error)
            }
        }
    }

    /// Records in the database which rows were read, on another thread.
    func noteTouches() {
        writer.submit { [touches] transaction in
            try transaction.touch(touches.take())
            return 0
        } finish: { [self] result in
            if case .failure(let error) = result { reportFailure(error) }
        }
    }

    private nonisolated(nonsending) func removeExpired() async throws {
        var found: [Int64]
        repeat {
            found = try await IO.run { [self] in
                let now = clock.roughly
                return try read { reader in
                    let statement = try reader.database.statement(Statements.expired)
                    defer { statement.reset() }
                    statement.bind(now, at: 1)
                    var ids: [Int64] = []
                    while try statement.step() { ids.append(statement.integer(0)) }
                    return ids
                }
            }
        } while try await evict(found) > 0
    }

    private nonisolated(nonsending) func removeAged(_ age: Duration) async throws {
        var last: Int64? = 0
        while let id = last {
            let page = try await IO.run { [self] in
                let now = clock.roughly
                return try rows(after: id) { row in row.isOver(at: now, age: age.seconds) ? row.id : nil }
            }
            _ = try await evict(page.values)
            last = page.last
        }
    }

    /// Removes the expired rows of a list and returns their number.
    private nonisolated(nonsending) func evict(_ ids: [Int64]) async throws -> Int {
        guard !ids.isEmpty else { return 0 }
        let age = limits.age?.seconds
        return try await perform { transaction in
            let now = transaction.now
            return try ids.reduce(0) { count, id in try count + transaction.evict(id) { $0.isOver(at: now, age: age) } }
        }
    }

    /// Removes the files that killed processes have left.
    private func sweep() throws {
        let swept = try bodies.sweep { file, path in
            guard case .found(let item) = try EntryFile.item(path, on: files) else { return false }
            return try read { reader in try reader.find(item.key) { row in row.file == file } ?? false }
        }
        if swept > 0 { report(.swept(files: swept)) }
    }
}
