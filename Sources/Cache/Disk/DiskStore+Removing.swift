import Synchronization

extension DiskStore {
    /// The number of rows that one transaction removes.
    private static let part = 256

    /// The rows that a transaction has found. The transaction may run more than once.
    private final class FoundRows: Sendable {
        let ids = Mutex<[Int64]>([])
    }

    /// Removes the entries under several keys and returns their number.
    @discardableResult
    package nonisolated(nonsending) func removeEntries(for keys: [CacheKey]) async throws -> Int {
        try checkOpen()
        return try await perform { transaction in
            try keys.reduce(0) { count, key in
                try transaction.note(.key(key))
                return try count + transaction.remove(key)
            }
        }
    }

    /// Removes the entries of a selection and returns their number. Reports the progress at least at the end.
    ///
    /// Several transactions remove the rows, so that other changes need not wait for all of them.
    package nonisolated(nonsending) func remove(
        _ selection: Selection, progress: @escaping @Sendable (CacheProgress) -> Void = { _ in }
    ) async throws -> Int {
        try checkOpen()
        let removal: CacheChange? = if case .removal(let change) = selection { change } else { nil }
        if removal == .all { return try await removeEverything(progress) }
        let search = removal?.search
        let found = FoundRows()
        var (done, removed) = (0, 0)
        if let removal {
            // Recorded before the rows are selected, so that none which the selection misses can be stored.
            removed = try await perform { transaction in
                try transaction.note(removal)
                guard let search else { return 0 }
                let ids = try transaction.database.ids(search)
                found.ids.withLock { $0 = ids }
                return try transaction.remove(ids.prefix(Self.part), selection)
            }
        }
        if search == nil {
            try await IO.run { [self] in
                let ids = try select(selection)
                found.ids.withLock { $0 = ids }
            }
        }
        let ids = found.ids.withLock { $0 }
        if search != nil { done = min(ids.count, Self.part) }
        if search != nil || ids.isEmpty { progress(CacheProgress(removed: done, total: ids.count)) }
        while done < ids.count {
            let part = ids[done...].prefix(Self.part)
            removed += try await perform { transaction in
                // With each part, because a follower may have read an entry again since the last one.
                if let removal { try transaction.note(removal) } else { try transaction.noteChange(.all) }
                return try transaction.remove(part, selection)
            }
            done += part.count
            progress(CacheProgress(removed: done, total: ids.count))
        }
        return removed
    }

    private nonisolated(nonsending) func removeEverything(
        _ progress: @Sendable (CacheProgress) -> Void
    ) async throws -> Int {
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

    /// Returns the rows that belong to a selection without an index now.
    private func select(_ selection: Selection) throws -> [Int64] {
        var found: [Int64] = []
        var last: Int64? = 0
        while let id = last {
            let page = try rows(after: id) { row in row.item().map(selection.contains) ?? false ? row.id : nil }
            found += page.values
            last = page.last
        }
        return found
    }

    // MARK: Listing

    /// Returns the entries that follow a row, without their bodies.
    func page(after id: Int64, includingOver: Bool) async throws -> CacheEntries.Page {
        try await IO.run { [self] in
            try checkOpen()
            let now = clock.roughly
            let (items, last) = try rows(after: id) { row in
                includingOver || !row.isOver(at: now, age: limits.age?.seconds) ? row.item() : nil
            }
            guard let last else { return CacheEntries.Page(items) }
            return CacheEntries.Page(items) { try await self.page(after: last, includingOver: includingOver) }
        }
    }

    /// Returns the results of a closure for the rows that follow one, without nil, and the number of the last of these
    /// rows.
    func rows<Value>(
        after id: Int64, _ make: (Row) throws -> Value?
    ) throws -> (values: [Value], last: Int64?) {
        var values: [Value] = []
        let last = try read { reader in
            values = []
            return try reader.database.forEachRow(after: id) { row in
                if let value = try make(row) { values.append(value) }
            }
        }
        return (values, last)
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

extension CacheChange {
    /// The query that finds all rows that a removal concerns, and perhaps others; nil if there is no index for it.
    fileprivate var search: Search? {
        switch self {
        case .tag(let tag): Search(sql: Statements.tagged, name: Array(tag.utf8))
        case .prefix(let prefix):
            prefix.withBytes { bytes in bytes.firstLine.map { Search(sql: Statements.lined, name: Array($0)) } }
        case .all, .key: nil
        }
    }
}

extension Database {
    /// Calls a closure with a part of the rows that follow one. Returns the number of the last of them, or nil.
    func forEachRow(after id: Int64, _ body: (Row) throws -> Void) throws -> Int64? {
        let statement = try statement(Statements.page)
        defer { statement.reset() }
        statement.bind(id, at: 1)
        var last = id
        while try statement.step() {
            let row = Row(statement)
            try row.follows(&last)
            try body(row)
        }
        return last == id ? nil : last
    }

    fileprivate func ids(_ search: Search) throws -> [Int64] {
        let statement = try statement(search.sql)
        return try search.name.withUnsafeBytes { name in
            defer { statement.reset() }
            statement.bind(lending: name, at: 1)
            return try statement.integers()
        }
    }
}
