extension DiskStore {
    /// Removes expired entries and files that killed processes have left.
    ///
    /// The store does this by itself once an hour while entries are stored, and when it is opened.
    /// An application can call it when it is idle.
    public nonisolated(nonsending) func maintain() async throws {
        try checkOpen()
        try await perform { [recentReads] transaction in
            try transaction.touch(recentReads.take())
            return 0
        }
        while try await evict(IO.run { [self] in try expired() }) > 0 {}
        var last: Int64? = limits.age == nil ? nil : 0
        while let id = last {
            let page = try await IO.run { [self] in
                let now = clock.roughly
                return try rows(after: id) { row in row.isOver(at: now, age: limits.age?.seconds) ? row.id : nil }
            }
            _ = try await evict(page.values)
            last = page.last
        }
        let now = clock.roughly
        try await perform { transaction in
            transaction.totals.maintained = now
            return 0
        }
        try await IO.run { [self] in
            try sweep()
            try translating { try connection.checkpoint() }
        }
    }

    /// Begins the work that need not be done before the store is used.
    func maintainInBackground() {
        inBackground { [self] in
            let maintained = try await IO.run { [self] in try read { try Totals(in: $0.database).maintained } }
            let now = clock.roughly
            if maintained > now || now - maintained > Double(MaintenanceSchedule.interval) {
                try await maintain()
            } else {
                try await IO.run { [self] in try sweep() }
            }
        }
    }

    /// Runs work for which no caller waits, and reports its failure.
    func inBackground(_ work: @escaping @Sendable () async throws -> Void) {
        Task.detached(priority: .utility) {
            do { try await work() } catch { self.reportFailure(error) }
        }
    }

    /// Records in the database which rows were read, on another thread.
    func recordReads() {
        submitInBackground { [recentReads] transaction in
            try transaction.touch(recentReads.take())
            return 0
        }
    }

    /// Returns some of the expired rows.
    private func expired() throws -> [Int64] {
        let now = clock.roughly
        return try read { reader in
            let statement = try reader.database.statement(Statements.expired)
            defer { statement.reset() }
            statement.bind(now, at: 1)
            return try statement.integers()
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
        let orphans = try bodies.abandoned().filter { path, file in try file.map { try !isNeeded($0, path) } ?? true }
        let swept = bodies.remove(orphans.map(\.path))
        if swept > 0 { report(.swept(files: swept)) }
    }

    /// Returns whether a row names a file. No row names a damaged file for long.
    private func isNeeded(_ file: Int64, _ path: String) throws -> Bool {
        do {
            guard let item = try EntryFile.item(path, on: files) else { return false }
            return try read { reader in
                // The file may be in a folder that has replaced that of the connection.
                try reader.check()
                return try reader.finds(item.key) { row in row.file == file }
            }
        } catch is EntryFile.Damage {
            return false
        }
    }
}

extension DiskStore: TracingStore {
    /// A reader of another process may delay this.
    package nonisolated(nonsending) func removeTraces() async throws {
        try checkOpen()
        try await IO.run { [self] in try translating { try connection.removeTraces() } }
    }
}
