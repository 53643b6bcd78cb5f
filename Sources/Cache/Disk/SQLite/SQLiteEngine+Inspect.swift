extension SQLiteEngine {
    /// Returns the content of the folder and the properties of its files.
    nonisolated(nonsending) func inspect() async throws -> DiskInspection {
        try await IO.run { [self] in
            var inspection = DiskInspection(try fill())
            let now = clock.roughly
            try read { reader in
                let statement = try reader.database.statement(Statements.extremes)
                defer { statement.reset() }
                statement.bind(now, at: 1)
                guard try statement.step() else { return }
                inspection.oldest = statement.optionalReal(0).map(Date.init(timeIntervalSinceReferenceDate:))
                inspection.newest = statement.optionalReal(1).map(Date.init(timeIntervalSinceReferenceDate:))
                inspection.expiredCount = Int(statement.integer(2))
                inspection.applicationVersion = Int(statement.integer(3))
                inspection.formatVersion = try reader.database.integer("PRAGMA user_version").map(Int.init)
            }
            try inspection.measure(place.folder, on: files)
            inspection.logBytes = try files.status(place.database + "-wal")?.size ?? 0
            for name in try files.list(place.bodies) ?? [] {
                guard let status = try files.status(place.bodies + "/" + name) else { continue }
                inspection.bodyFiles += 1
                inspection.bodyBytes += status.size
            }
            inspection.orphanedFiles = try orphans().count
            inspection.setAside = try place.setAsides(files).sorted()
            return inspection
        }
    }

    /// Returns the entry under a key without its body, even if it has expired.
    func item(_ key: CacheKey) throws -> CacheItem? {
        try read { reader in try reader.find(key) { row in row.item() } ?? nil }
    }

    /// Returns the files that killed processes have left.
    func orphans() throws -> [String] {
        var known: Set<Int64>?
        return try bodies.abandoned { file, _ in
            let rows =
                try known
                ?? read { reader in
                    let statement = try reader.database.statement(Statements.files)
                    defer { statement.reset() }
                    var rows: Set<Int64> = []
                    while try statement.step() { rows.insert(statement.integer(0)) }
                    return rows
                }
            known = rows
            return rows.contains(file)
        }
    }
}

extension Statements {
    fileprivate static let extremes: StaticString = """
        SELECT min(written), max(written), (SELECT count(*) FROM entry WHERE expires <= ?),
        (SELECT application FROM total WHERE id = 1) FROM entry
        """
}
