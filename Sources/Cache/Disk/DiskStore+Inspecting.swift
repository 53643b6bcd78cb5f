extension DiskStore {
    /// Opens the store of an application to inspect it, whatever its version, without limits that would evict entries.
    ///
    /// Opening and reading create nothing, set nothing aside and remove nothing.
    ///
    /// - Parameter repairs: Allows removing damaged data.
    package convenience init(
        existing directory: URL, repairs: Bool = false, onEvent: @escaping @Sendable (CacheEvent) -> Void
    ) throws {
        try self.init(
            directory: directory, limits: .unlimited, role: .guest(repairs: repairs), onEvent: onEvent, now: nil)
    }

    /// Returns all entries, including expired ones.
    package func everything() -> CacheEntries {
        CacheEntries { try await self.page(after: 0, includingOver: true) }
    }

    /// Returns the entries under keys without their bodies, including expired ones.
    package nonisolated(nonsending) func items(for keys: [CacheKey]) async throws -> [CacheItem] {
        try await IO.run { [self] in try keys.compactMap(item) }
    }

    private func item(_ key: CacheKey) throws -> CacheItem? {
        try read { reader in
            var item: CacheItem?
            try reader.find(key) { row in item = row.item() }
            return item
        }
    }

    /// Returns the content of the folder and the properties of its files.
    package nonisolated(nonsending) func inspect() async throws -> DiskInspection {
        try await IO.run { [self] in
            var inspection = DiskInspection(statistics: try presentStatistics())
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

    /// Returns the files that killed processes have left.
    func orphans() throws -> [String] {
        let abandoned = try bodies.abandoned()
        guard abandoned.contains(where: { $0.file != nil }) else { return abandoned.map(\.path) }
        let known = try read { reader in
            // The files may be in a folder that has replaced that of the connection.
            try reader.check()
            let statement = try reader.database.statement(Statements.files)
            defer { statement.reset() }
            return Set(try statement.integers())
        }
        return abandoned.compactMap { path, file in file.map(known.contains) == true ? nil : path }
    }
}

extension Statements {
    fileprivate static let extremes: StaticString = """
        SELECT min(written), max(written), (SELECT count(*) FROM entry WHERE expires <= ?),
        (SELECT application FROM total WHERE id = 1) FROM entry
        """
}
