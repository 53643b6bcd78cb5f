import Synchronization

extension SQLiteEngine {
    /// Returns all entries without their bodies.
    func entries() -> CacheEntries {
        CacheEntries { try await self.page(after: 0, includingOver: false) }
    }

    /// Returns all entries without their bodies, including expired ones.
    func everything() -> CacheEntries {
        CacheEntries { try await self.page(after: 0, includingOver: true) }
    }

    private func page(after id: Int64, includingOver: Bool) async throws -> CacheEntries.Page {
        let (items, last) = try await IO.run { [self] in
            let now = clock.roughly
            return try rows(after: id) { row -> CacheItem? in
                !includingOver && row.isOver(at: now, age: limits.age?.seconds) ? nil : row.item()
            }
        }
        guard let last else { return CacheEntries.Page(items) }
        return CacheEntries.Page(items) { try await self.page(after: last, includingOver: includingOver) }
    }

    /// Returns the results of a closure for the rows that follow one, without nil, and the number of the last of these
    /// rows.
    func rows<Value: Sendable>(after id: Int64, _ make: (Row) throws -> Value?) throws -> (
        values: [Value], last: Int64?
    ) {
        try read { reader in
            let statement = try reader.database.statement(Statements.page)
            defer { statement.reset() }
            statement.bind(id, at: 1)
            var values: [Value] = []
            var last: Int64?
            var former = id
            while try statement.step() {
                let row = Row(statement)
                try row.follows(&former)
                last = row.id
                if let value = try make(row) { values.append(value) }
            }
            return (values, last)
        }
    }

    /// Removes all entries of a selection and returns their number. Reports the progress at least at the end.
    nonisolated(nonsending) func removeAll(
        _ selection: Selection, progress: @escaping @Sendable (CacheProgress) -> Void
    ) async throws -> Int {
        if case .all = selection {
            let count = try await perform { transaction in
                let count = Int(transaction.totals.count)
                try transaction.note(.all)
                try transaction.clear()
                return count
            }
            await IO.run { [self] in connection.compact() }
            progress(CacheProgress(removed: count, total: count))
            return count
        }
        if let removal = selection.removal {
            if let search = selection.search { return try await removeAll(selection, search, removal, progress) }
            // Recorded before the rows are selected, so that none which the selection misses can be stored.
            _ = try await perform { transaction in
                try transaction.note(removal)
                return 0
            }
        }
        let ids = try await IO.run { [self] in try select(selection) }
        if ids.isEmpty { progress(CacheProgress(removed: 0, total: 0)) }
        return try await remove(ids, selection, after: (0, 0), progress)
    }

    /// Removes the rows that an index finds. One transaction records the removal, finds the rows and removes the first
    /// of them. So none that the search misses can be stored.
    private nonisolated(nonsending) func removeAll(
        _ selection: Selection, _ search: Search, _ removal: CacheChange,
        _ progress: @escaping @Sendable (CacheProgress) -> Void
    ) async throws -> Int {
        let found = FoundRows()
        let removed = try await perform { transaction in
            try transaction.note(removal)
            let ids = try transaction.database.ids(search)
            found.ids.withLock { $0 = ids }
            return try transaction.remove(ids.prefix(Self.part), selection)
        }
        let ids = found.ids.withLock { $0 }
        let done = min(ids.count, Self.part)
        progress(CacheProgress(removed: done, total: ids.count))
        return try await remove(ids, selection, after: (done, removed), progress)
    }

    /// Removes rows in several transactions, so that other changes need not wait for all of them.
    ///
    /// - Parameter start: The number of rows that were visited, and that of the removed ones.
    private nonisolated(nonsending) func remove(
        _ ids: [Int64], _ selection: Selection, after start: (done: Int, removed: Int),
        _ progress: @escaping @Sendable (CacheProgress) -> Void
    ) async throws -> Int {
        var (done, removed) = start
        while done < ids.count {
            let part = ids[done...].prefix(Self.part)
            removed += try await perform { transaction in
                // With each part, because a follower may have read an entry again since the last one.
                if let removal = selection.removal {
                    try transaction.note(removal)
                } else {
                    try transaction.noteChange(.all)
                }
                return try transaction.remove(part, selection)
            }
            done += part.count
            progress(CacheProgress(removed: done, total: ids.count))
        }
        return removed
    }

    /// The number of rows that one transaction removes.
    private static let part = 256

    /// The rows that a transaction has found. The transaction may run more than once.
    private final class FoundRows: Sendable {
        let ids = Mutex<[Int64]>([])
    }

    /// Returns the rows that belong to a selection without an index now.
    private func select(_ selection: Selection) throws -> [Int64] {
        var found: [Int64] = []
        var last: Int64? = 0
        while let id = last {
            let page = try rows(after: id) { row in
                row.item().map(selection.contains) ?? false ? row.id : nil
            }
            found += page.values
            last = page.last
        }
        return found
    }
}

extension Transaction {
    /// Removes those of some rows that belong to a selection, and damaged ones. Returns their number.
    fileprivate func remove(_ ids: ArraySlice<Int64>, _ selection: Selection) throws -> Int {
        try ids.reduce(0) { count, id in
            try count + remove(id) { row in row.item().map(selection.contains) ?? true }
        }
    }
}

/// A query for the rows of an index that have a name.
private struct Search: Sendable {
    let sql: StaticString
    let name: [UInt8]
}

extension Selection {
    /// The query that finds all rows of the selection, and perhaps others; nil if there is no index for it.
    fileprivate var search: Search? {
        switch self {
        case .tagged(let tag): Search(sql: Statements.tagged, name: Array(tag.utf8))
        case .prefixed(let prefix):
            prefix.withBytes { bytes in bytes.firstLine.map { Search(sql: Statements.lined, name: Array($0)) } }
        case .all, .olderThan, .expired: nil
        }
    }
}

extension Database {
    fileprivate func ids(_ search: Search) throws -> [Int64] {
        let statement = try statement(search.sql)
        return try search.name.withUnsafeBytes { name in
            defer { statement.reset() }
            statement.bind(lending: name, at: 1)
            var ids: [Int64] = []
            while try statement.step() { ids.append(statement.integer(0)) }
            return ids
        }
    }
}
