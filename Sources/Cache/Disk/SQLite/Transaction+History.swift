/// The history of removals, and the record of other changes for the stores that follow them.
extension Transaction {
    /// The number of removals, and of other changes, that are recorded at least.
    static let historyLimit: Int64 = 4_096

    /// The number of records after which older ones are removed.
    private static let trimInterval: Int64 = 256

    /// The time in seconds for which a follower is remembered.
    static let followedTime = 600.0

    func note(_ removal: CacheChange) throws {
        try record(removal, by: origin, .removals)
    }

    /// Records another change, if a store follows them.
    ///
    /// A guest is not among the open stores, so a single store does not follow it. It always records its changes.
    func noteChange(_ change: CacheChange) throws {
        guard try isGuest || isFollowed ?? readFollowed() else { return }
        try record(change, by: origin, .changes)
    }

    /// Returns whether an entry was removed since a position, or may have been. A damaged history begins anew.
    func isRemoved(_ key: CacheKey, tags: Set<String>, since position: HistoryPosition) throws -> Bool {
        guard let present = try database.history() else {
            try Schema.renewHistory(of: database)
            return true
        }
        guard present.incarnation == position.incarnation else { return true }
        guard let first = try database.integer(HistoryTable.removals.first) else { return position.number != 0 }
        // A moment is not older than the removed records, unless the history has gone on without it.
        if first > position.number + 1 { return true }
        var isRemoved = false
        // The record of the moment itself is read too. Otherwise a later one whose number is damaged could take its
        // place.
        let isWhole = try database.records(.removals, from: max(first, position.number)) { record in
            isRemoved = isRemoved || record.number > position.number && record.change.concerns(key, tags: tags)
        }
        guard isWhole, present.number >= position.number else {
            try Schema.renewHistory(of: database)
            return true
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
    ///
    /// A time that is too far ahead is shortened, and still counts. Either the clock was set back, or this transaction has read
    /// it before it got the lock, and another store has extended the time meanwhile.
    private func readFollowed() throws -> Bool {
        let end = try readEnd()
        let isFollowed = end > now
        self.isFollowed = isFollowed
        if isFollowed, end - now > Self.followedTime {
            try setFollowed(now + Self.followedTime)
        } else if end != 0, !isFollowed {
            try setFollowed(0)
            try record(.all, by: 0, .changes)
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

    private func record(_ change: CacheChange, by origin: UInt64, _ table: HistoryTable) throws {
        let change = change.bounded
        let number = (try database.integer(table.last) ?? 0) &+ 1
        try change.name.withUnsafeBytes { name in
            let statement = try database.statement(table.insert)
            statement.bind(number, at: 1)
            statement.bind(Int64(bitPattern: origin), at: 2)
            statement.bind(Int64(change.kind), at: 3)
            statement.bind(
                CacheChange.checksum(kind: change.kind, origin: origin, name: name, number: number), at: 4)
            statement.bind(lending: name, at: 5)
            try statement.run()
        }
        guard number % Self.trimInterval == 0 else { return }
        let statement = try database.statement(table.trim)
        statement.bind(number - Self.historyLimit, at: 1)
        try statement.run()
    }
}

/// The queries of one of the two tables of records.
struct HistoryTable {
    let first: StaticString
    let last: StaticString
    let rows: StaticString
    let insert: StaticString
    let trim: StaticString

    static let removals = HistoryTable(
        first: "SELECT min(number) FROM removal", last: "SELECT max(number) FROM removal",
        rows: "SELECT number, origin, kind, checksum, name FROM removal WHERE number >= ? ORDER BY number",
        insert: "INSERT INTO removal (number, origin, kind, checksum, name) VALUES (?, ?, ?, ?, ?)",
        trim: "DELETE FROM removal WHERE number <= ?")
    static let changes = HistoryTable(
        first: "SELECT min(number) FROM change", last: "SELECT max(number) FROM change",
        rows: "SELECT number, origin, kind, checksum, name FROM change WHERE number >= ? ORDER BY number",
        insert: "INSERT INTO change (number, origin, kind, checksum, name) VALUES (?, ?, ?, ?, ?)",
        trim: "DELETE FROM change WHERE number <= ?")
}

extension Database {
    struct Record {
        var number: Int64
        var origin: UInt64
        var change: CacheChange
    }

    /// Returns the present position of the history; nil if its row is missing.
    func history() throws -> HistoryPosition? {
        let statement = try statement(Statements.history)
        defer { statement.reset() }
        guard try statement.step() else { return nil }
        return HistoryPosition(
            incarnation: UInt64(bitPattern: statement.integer(0)), number: max(0, statement.optionalInteger(1) ?? 0))
    }

    /// Calls a closure with all records from a number on. Returns false if one of them is damaged or missing: their
    /// numbers have no gaps.
    func records(_ table: HistoryTable, from number: Int64, _ body: (Record) throws -> Void) throws -> Bool {
        let statement = try statement(table.rows)
        defer { statement.reset() }
        statement.bind(number, at: 1)
        var next = number
        while try statement.step() {
            let origin = UInt64(bitPattern: statement.integer(1))
            let name = statement.bytes(4)
            guard statement.integer(0) == next, let kind = UInt8(exactly: statement.integer(2)),
                CacheChange.checksum(kind: kind, origin: origin, name: name, number: next)
                    == UInt64(bitPattern: statement.integer(3)),
                let change = CacheChange(kind: kind, name: name)
            else { return false }
            try body(Record(number: next, origin: origin, change: change))
            next &+= 1
        }
        return true
    }
}
