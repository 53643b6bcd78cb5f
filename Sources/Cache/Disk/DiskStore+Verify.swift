extension DiskStore {
    /// Reads the whole store and finds all damage.
    ///
    /// ```swift
    /// let verification = try await store.verify(repair: true)
    /// if !verification.isSound { print(verification.damaged, verification.structure) }
    /// ```
    ///
    /// The store finds damaged entries by itself when they are read, so this method is for diagnosis. It takes as long
    /// as reading the whole folder. The store can be used meanwhile, by this and other processes. Entries that are
    /// written meanwhile may or may not be verified.
    ///
    /// - Parameters:
    ///   - repair: Removes damaged entries, and files that killed processes have left. A database whose structure is
    ///     damaged is set aside, and the store starts empty.
    ///   - progress: Called on any thread with the number of entries checked, and their approximate total.
    public nonisolated(nonsending) func verify(
        repair: Bool = false,
        progress: @escaping @Sendable (_ checked: Int, _ total: Int) -> Void = { _, _ in }
    ) async throws -> CacheVerification {
        try checkOpen()
        do {
            var found = CacheVerification()
            do {
                found.structure = try await IO.run { [self] in try structureProblems() }
                try await verifyRows(&found, repair: repair && found.structure.isEmpty, progress)
            } catch let failure as SQLiteFailure where failure.isDamage {
                found.structure.append(failure.message)
            }
            try await verifyWhole(&found, repair: repair)
            return found
        } catch {
            throw userError(error)
        }
    }

    /// Verifies what belongs to no row: files, sums and history.
    private nonisolated(nonsending) func verifyWhole(_ found: inout CacheVerification, repair: Bool) async throws {
        let isBroken = !found.structure.isEmpty
        let (orphanedFiles, sums, history) = try await IO.run { [self] () throws -> (Int, String?, String?) in
            if isBroken, repair { try replaceDatabase() }
            let orphans = try orphans()
            if repair { _ = bodies.remove(orphans) }
            return (orphans.count, isBroken ? nil : try wrongSums(), isBroken ? nil : try historyProblem())
        }
        found.orphanedFiles = orphanedFiles
        // A damaged row was counted with its old length.
        if let sums, found.damaged.isEmpty { found.structure.append(sums) }
        if let history { found.structure.append(history) }
        guard repair, sums != nil || history != nil else { return }
        try await perform { transaction in
            if sums != nil { try transaction.totals.recount(in: transaction.database) }
            if history != nil { try Schema.renewHistory(of: transaction.database) }
            return 0
        }
    }

    // MARK: Rows

    /// A row at the time it was read.
    private struct Seen: Sendable {
        let id: Int64
        let checksum: UInt64
        let key: CacheKey
        let length: Int64
        let file: Int64?
        var problem: String?
    }

    private nonisolated(nonsending) func verifyRows(
        _ found: inout CacheVerification, repair: Bool, _ progress: @Sendable (Int, Int) -> Void
    ) async throws {
        let total = try await IO.run { [self] in Int(try look { try Totals(in: $0.database).count }) }
        var rows: [Seen]
        var last: Int64 = 0
        repeat {
            try Task.checkCancellation()
            rows = try await IO.run { [self, last] in try verifiedRows(after: last) }
            last = rows.last?.id ?? last
            found.checked += rows.count
            found.bytes = rows.reduce(found.bytes) { $0 &+ Int(max(0, $1.length)) }
            let damaged = rows.filter { $0.problem != nil }
            found.damaged += damaged.map { .init(key: $0.key, reason: $0.problem ?? "") }
            if repair, !damaged.isEmpty {
                found.removed += try await perform { transaction in
                    try damaged.reduce(0) { count, row in
                        try count + transaction.remove(row.id) { $0.storedChecksum == row.checksum }
                    }
                }
            }
            progress(found.checked, rows.isEmpty ? found.checked : max(total, found.checked))
        } while !rows.isEmpty
    }

    private func verifiedRows(after id: Int64) throws -> [Seen] {
        try rows(after: id).map { row in
            guard row.problem == nil, let problem = try problem(withFileOf: row), try isStillThere(row) else {
                return row
            }
            var row = row
            row.problem = problem
            return row
        }
    }

    /// Returns the rows that follow one, with any damage of the rows themselves.
    private func rows(after id: Int64) throws -> [Seen] {
        try look { reader in
            try reader.database.reading {
                var rows: [Seen] = []
                _ = try reader.database.forEachRow(after: id) { row in
                    var seen = Seen(
                        id: row.id, checksum: row.storedChecksum, key: CacheKey(copying: row.key), length: row.length,
                        file: row.file)
                    if row.entry() == nil {
                        seen.problem = "its row does not match its checksum"
                    } else if try !reader.finds(seen.key, where: { $0.id == row.id }) {
                        seen.problem = "it cannot be found under its key"
                    } else if let line = row.key.firstLine, try !reader.database.hasIndexed(line, row.id) {
                        seen.problem = "it cannot be found under the first line of its key"
                    }
                    rows.append(seen)
                }
                return rows
            }
        }
    }

    /// Returns the damage of the file that holds the body of a row, or nil.
    private func problem(withFileOf row: Seen) throws -> String? {
        guard let file = row.file else { return nil }
        do {
            guard let reader = try EntryFile.Reader.open(bodies.path(of: file), on: files) else {
                return "its file is missing"
            }
            guard reader.item.key == row.key, reader.item.size == row.length else {
                return "its file belongs to another entry"
            }
            while try reader.next() != nil {}
            return nil
        } catch let damage as EntryFile.Damage {
            return damage.reason
        } catch let error as CacheError where error.code == .damaged {
            return "its body does not match its checksums"
        }
    }

    /// Returns whether neither a row nor its file has been replaced since.
    private func isStillThere(_ row: Seen) throws -> Bool {
        try look { reader in
            try reader.finds(row.key) { $0.id == row.id && $0.storedChecksum == row.checksum }
        }
    }

    // MARK: The whole

    /// Reads without replacing a damaged database.
    private func look<Result>(_ body: (Reader) throws -> Result) throws -> Result {
        var result: Result?
        let generation = readers.current
        do {
            try readers.read { reader in result = try body(reader) }
        } catch let moved as Moved {
            try connection.recover(from: moved, seen: generation)
            try readers.read { reader in result = try body(reader) }
        }
        guard let result else { throw CacheError.closed }
        return result
    }

    /// Returns the damage that SQLite finds in its pages.
    private func structureProblems() throws -> [String] {
        try look { reader in
            let statement = try reader.database.statement("PRAGMA quick_check(20)")
            defer { statement.reset() }
            var problems: [String] = []
            while try statement.step() {
                let text = String(decoding: statement.bytes(0), as: UTF8.self)
                if text != "ok" { problems.append(text) }
            }
            return problems
        }
    }

    /// Returns the error in the sums that the database stores of its rows, or nil.
    private func wrongSums() throws -> String? {
        try look { reader in
            try reader.database.reading {
                let kept = try Totals(in: reader.database)
                var counted = kept
                try counted.recount(in: reader.database)
                guard counted != kept else { return nil }
                return """
                    the sums are \(kept.count) entries of \(kept.bytes) bytes, but there are \(counted.count) of \
                    \(counted.bytes)
                    """
            }
        }
    }

    /// Returns the damage of the history of removals, or nil.
    private func historyProblem() throws -> String? {
        try look { reader in
            try reader.database.reading {
                guard try reader.database.history() != nil else { return "the history of removals is missing" }
                for table in [HistoryTable.removals, .changes] {
                    guard let first = try reader.database.integer(table.first) else { continue }
                    let isWhole = try reader.database.records(table, from: first) { _ in }
                    if !isWhole { return "the history of removals is damaged" }
                }
                return nil
            }
        }
    }

    private func replaceDatabase() throws {
        try connection.recover(
            from: SQLiteFailure(code: SQLiteFailure.damaged, message: "found by a verification of the whole store"),
            seen: readers.current)
    }
}

extension Database {
    /// Returns whether the index of first lines has a row.
    fileprivate func hasIndexed(_ line: UnsafeRawBufferPointer, _ id: Int64) throws -> Bool {
        let statement = try statement(Statements.indexed)
        defer { statement.reset() }
        statement.bind(lending: line, at: 1)
        statement.bind(id, at: 2)
        return try statement.step()
    }
}
