/// The history of removals, and the record of other changes for the stores that follow them.
extension Transaction {
    /// The number of removals, and of other changes, that are recorded at least.
    static let historyLimit: Int64 = 4_096

    /// The number of records after which older ones are removed.
    private static let trimInterval: Int64 = 256

    /// The time in seconds for which a follower is remembered.
    static let followedTime = 600.0

    /// Records a removal.
    func note(_ removal: CacheChange) throws {
        // A guest does not upgrade the database until it removes something.
        if try database.integer("PRAGMA user_version") == Schema.former { try Schema.addHistory(to: database) }
        try record(removal, by: origin, Statements.insertRemoval, Statements.trimRemovals)
    }

    /// Records another change, if a store follows them.
    func noteChange(_ change: CacheChange) throws {
        guard try isFollowed ?? readFollowed() else { return }
        try record(change, by: origin, Statements.insertChange, Statements.trimChanges)
    }

    /// Returns whether an entry was removed since a position, or may have been.
    func isRemoved(_ key: CacheKey, tags: Set<String>, since position: HistoryPosition) throws -> Bool {
        guard let present = try database.history(), present.incarnation == position.incarnation,
            present.number >= position.number
        else { return true }
        if present.number == position.number { return false }
        guard let first = try database.integer(Statements.firstRemoval), first <= position.number + 1 else {
            return true
        }
        var isRemoved = false
        try database.records(Statements.removals, after: position.number) { record in
            isRemoved = isRemoved || (record.change.map { $0.concerns(key, tags: tags) } ?? true)
        }
        return isRemoved
    }

    /// Extends the time for which the changes are followed.
    func follow() throws {
        _ = try readFollowed()
        try setFollowed(now + Self.followedTime)
    }

    /// Returns whether a store follows the changes. If that time is over, this is recorded as a change of everything,
    /// so that all followers know that they have missed changes.
    private func readFollowed() throws -> Bool {
        let end = try readEnd()
        let isFollowed = end > now && end - now <= Self.followedTime
        self.isFollowed = isFollowed
        if end != 0, !isFollowed {
            try setFollowed(0)
            try record(.all, by: 0, Statements.insertChange, Statements.trimChanges)
        }
        return isFollowed
    }

    private func readEnd() throws -> Double {
        let statement = try database.statement(Statements.followed)
        defer { statement.reset() }
        return try statement.step() ? statement.real(0) : 0
    }

    private func setFollowed(_ end: Double) throws {
        let statement = try database.statement(Statements.setFollowed)
        statement.bind(end, at: 1)
        try statement.run()
        isFollowed = end != 0
    }

    private func record(
        _ change: CacheChange, by origin: UInt64, _ insert: StaticString, _ trim: StaticString
    ) throws {
        let change = change.bounded
        try change.name.withUnsafeBytes { name in
            let statement = try database.statement(insert)
            statement.bind(Int64(bitPattern: origin), at: 1)
            statement.bind(Int64(change.kind), at: 2)
            statement.bind(CacheChange.checksum(kind: change.kind, origin: origin, name: name), at: 3)
            statement.bind(lending: name, at: 4)
            try statement.run()
        }
        let number = database.lastRow
        guard number % Self.trimInterval == 0 else { return }
        let statement = try database.statement(trim)
        statement.bind(number - Self.historyLimit, at: 1)
        try statement.run()
    }
}

extension Database {
    /// A recorded change; nil if its row is damaged.
    struct Record {
        var number: Int64
        var origin: UInt64
        var change: CacheChange?
    }

    /// Returns the present position of the history; nil if its row is missing.
    func history() throws -> HistoryPosition? {
        let statement = try statement(Statements.history)
        defer { statement.reset() }
        guard try statement.step() else { return nil }
        return HistoryPosition(
            incarnation: UInt64(bitPattern: statement.integer(0)), number: max(0, statement.optionalInteger(1) ?? 0))
    }

    /// Calls a closure with all records after a number.
    func records(_ sql: StaticString, after number: Int64, _ body: (Record) throws -> Void) throws {
        let statement = try statement(sql)
        defer { statement.reset() }
        statement.bind(number, at: 1)
        while try statement.step() {
            var record = Record(number: statement.integer(0), origin: UInt64(bitPattern: statement.integer(1)))
            let name = statement.bytes(4)
            if let kind = UInt8(exactly: statement.integer(2)),
                CacheChange.checksum(kind: kind, origin: record.origin, name: name)
                    == UInt64(bitPattern: statement.integer(3))
            {
                record.change = CacheChange(kind: kind, name: name)
            }
            try body(record)
        }
    }
}
