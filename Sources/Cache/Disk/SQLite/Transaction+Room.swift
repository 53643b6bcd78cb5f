extension Transaction {
    /// How many rows a transaction may spare because they were read; then they go like all others.
    private static let secondChances = 4096

    /// Once room has to be made, it is made for so many entries, so that not every write has to.
    private static let surplus = 32

    /// Evicts entries until the limits are met.
    ///
    /// A hand goes round the rows in the order in which they came, and evicts those that were not read since it passed
    /// them last. Pinned ones stay; what was written in this very transaction goes only when nothing else is left.
    func makeRoom() throws {
        let goal = limits.with(slack: 64)
        let before = removed.evictedCount
        var chances = Self.secondChances
        var turns = 0
        var recent = Set(fresh)
        while totals.exceed(limits) || removed.evictedCount - before < Self.surplus && totals.exceed(goal) {
            let start = totals.hand
            guard let next = try nextRows() else {
                turns += 1
                totals.hand = 0
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

    /// The next rows that the hand comes to, with whether they were read, and whether their time is over; nil at the end.
    private func nextRows() throws -> [(Trace, wasRead: Bool, isOver: Bool)]? {
        let statement = try database.statement(Statements.next)
        defer { statement.reset() }
        statement.bind(totals.hand, at: 1)
        var rows: [(Trace, wasRead: Bool, isOver: Bool)] = []
        while try statement.step() {
            let row = Row(statement)
            rows.append((Trace(row), statement.integer(10) != 0, row.isOver(at: now, age: limits.age?.seconds)))
        }
        return rows.isEmpty ? nil : rows
    }

    /// Notes that rows were read.
    func touch(_ ids: some Sequence<Int64>) throws {
        let statement = try database.statement(Statements.touch)
        for id in ids {
            statement.bind(id, at: 1)
            try statement.run()
        }
    }

    private func untouch(from start: Int64, to end: Int64) throws {
        removed.forgetsReads = true
        let statement = try database.statement(Statements.untouch)
        statement.bind(start, at: 1)
        statement.bind(end, at: 2)
        try statement.run()
    }
}

extension CacheLimits {
    /// Limits that are lower by a fraction of themselves.
    fileprivate func with(slack divisor: Int) -> CacheLimits {
        CacheLimits(bytes: bytes.map { $0 - $0 / divisor }, count: count.map { $0 - $0 / divisor }, age: age)
    }
}
