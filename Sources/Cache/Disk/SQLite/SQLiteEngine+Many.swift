#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension SQLiteEngine {
    func entries() -> CacheEntries {
        CacheEntries { try await self.page(after: 0, includingOver: false) }
    }

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
        let removal = selection.removal
        if let removal {
            // Recorded before the rows are selected, so that none which the selection misses can be stored.
            _ = try await perform { transaction in
                try transaction.note(removal)
                return 0
            }
        }
        let ids = try await IO.run { [self] in try select(selection) }
        if removal != nil, ids.isEmpty {
            progress(CacheProgress(removed: 0, total: 0))
            return 0
        }
        var removed = 0
        var done = 0
        repeat {
            let part = ids[done...].prefix(256)
            removed += try await perform { transaction in
                let count = try part.reduce(0) { count, id in
                    try count + transaction.remove(id) { row in row.item().map(selection.contains) ?? true }
                }
                // Once more, because a follower may have read an entry again since.
                if let removal { try transaction.note(removal) } else { try transaction.noteChange(.all) }
                return count
            }
            done += part.count
            progress(CacheProgress(removed: done, total: ids.count))
        } while done < ids.count
        return removed
    }

    /// Returns the rows that belong to a selection now.
    private func select(_ selection: Selection) throws -> [Int64] {
        var found: [Int64] = []
        if case .tagged(let tag) = selection {
            try read { reader in
                found = try Array(tag.utf8).withUnsafeBytes { tag in
                    let statement = try reader.database.statement(Statements.tagged)
                    defer { statement.reset() }
                    statement.bind(lending: tag, at: 1)
                    var ids: [Int64] = []
                    while try statement.step() { ids.append(statement.integer(0)) }
                    return ids
                }
            }
            return found
        }
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
