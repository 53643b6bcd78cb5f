extension Transaction {
    /// The highest number of rows that one transaction spares because they were read.
    private static let secondChances = 4096

    /// The number of entries to make room for at once, so that not every write evicts.
    private static let surplus = 32

    /// Evicts entries until the limits are met.
    ///
    /// A hand visits the rows in the order in which they were written, and evicts those that were not read since its
    /// last visit. Pinned rows stay. Rows of this transaction are evicted only if no others are left.
    func makeRoom() throws {
        let goal = limits.lowered(by: 64)
        let before = removed.evictedCount
        var chances = Self.secondChances
        var turns = 0
        var recent = Set(fresh)
        while totals.exceed(limits) || removed.evictedCount - before < Self.surplus && totals.exceed(goal) {
            let start = totals.hand
            guard let next = try nextRows() else {
                turns += 1
                try totals.turn(in: database)
                if turns == 3 { recent = Set(fresh.suffix(1)) }
                if turns == 4 { try totals.recount(in: database) }
                if turns == 6 { return }
                continue
            }
            for (trace, wasRead, isOver) in next {
                guard totals.exceed(goal) else { break }
                totals.hand = trace.id
                if isOver {
                    try evict(trace)
                } else if trace.isPinned || recent.contains(trace.id) {
                    continue
                } else if wasRead, chances > 0 {
                    chances -= 1
                } else {
                    try evict(trace)
                }
            }
            try untouch(from: start, to: totals.hand)
        }
    }

    /// Returns the next rows for the hand, whether each was read and whether it has expired. Returns nil at the end of
    /// the lap.
    private func nextRows() throws -> [(Trace, wasRead: Bool, isOver: Bool)]? {
        let statement = try database.statement(Statements.next)
        defer { statement.reset() }
        statement.bind(totals.hand, at: 1)
        statement.bind(totals.lap, at: 2)
        var rows: [(Trace, wasRead: Bool, isOver: Bool)] = []
        var last = totals.hand
        while try statement.step() {
            let row = Row(statement)
            try row.follows(&last)
            rows.append((Trace(row), statement.integer(10) != 0, row.isOver(at: now, age: limits.age?.seconds)))
        }
        return rows.isEmpty ? nil : rows
    }

    func touch(_ ids: some Sequence<Int64>) throws {
        let statement = try database.statement(Statements.touch)
        for id in ids {
            statement.bind(id, at: 1)
            try statement.run()
        }
    }

    private func untouch(from start: Int64, to end: Int64) throws {
        let statement = try database.statement(Statements.untouch)
        statement.bind(start, at: 1)
        statement.bind(end, at: 2)
        try statement.run()
    }
}

extension CacheLimits {
    /// Returns limits that are lower by a fraction of themselves.
    func lowered(by divisor: Int) -> CacheLimits {
        CacheLimits(bytes: bytes.map { $0 - $0 / divisor }, count: count.map { $0 - $0 / divisor }, age: age)
    }
}
