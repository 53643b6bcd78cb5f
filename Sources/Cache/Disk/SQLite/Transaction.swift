/// Changes to the database that become visible together.
final class Transaction {
    let database: Database
    let limits: CacheLimits

    /// The time for comparing expiry dates.
    let now: Double

    var totals: Totals

    /// The work to do after the commit.
    struct Removed: Sendable {
        /// The files whose rows were removed.
        var files: [Int64] = []
        var evictedCount = 0
        var evictedBytes = 0
    }

    /// The number of the store that makes the changes.
    let origin: UInt64
    let isGuest: Bool

    /// A Boolean value that indicates whether another store follows the changes; nil if that was not read yet.
    var isFollowed: Bool?
    private let start: Int64

    var hasMovedHand: Bool { totals.hand != start }

    private(set) var removed = Removed()

    /// Rows that were replaced in their place, and so count as read.
    private(set) var renewed: [Int64] = []

    /// The rows written in this transaction, in order. They are evicted last.
    private(set) var fresh: [Int64] = []

    init(
        _ database: Database, limits: CacheLimits, now: Double, origin: UInt64 = 0, isGuest: Bool = false
    ) throws {
        self.database = database
        self.origin = origin
        self.isGuest = isGuest
        self.limits = limits
        self.now = now
        try database.begin()
        totals = try Totals(in: database)
        start = totals.hand
    }

    /// Makes room if needed, and commits.
    ///
    /// - Parameter recentReads: The rows that were read recently, which are spared.
    func commit(sparing recentReads: RecentReads) throws {
        if totals.exceed(limits) {
            try touch(recentReads.take())
            try makeRoom()
        }
        try totals.save(in: database)
        try database.commit()
    }

    // MARK: Entries

    /// Writes records, unless one of them was removed since a position. Returns their number, or 0.
    func set(_ records: [Record], unlessRemovedSince position: HistoryPosition?) throws -> Int {
        if let position {
            for record in records
            where try isRemoved(record.key, tags: record.entry.tags, since: position) {
                return 0
            }
        }
        for record in records { try set(record) }
        return records.count
    }

    func set(_ record: Record) throws {
        try record.check()
        let former = try first(Statements.find, where: record.key.digest, Trace.init)
        if let former { try forget(former) }
        try totals.admit(record, limits)
        let id: Int64
        if let former {
            id = former.id
            try write(record, Statements.update, id: id)
            renewed.append(id)
        } else {
            try write(record, Statements.insert, id: nil)
            id = database.lastRow
        }
        for tag in record.entry.tags { try change(Statements.insertTag, tag: tag, of: id) }
        totals.add(record.charge, isPinned: record.entry.pinned)
        fresh.append(id)
        try noteChange(.key(record.key))
    }

    /// Removes the entry of a key if a condition holds for its row, and returns the number of removed rows.
    func remove(_ key: CacheKey, where condition: (Row) -> Bool = { _ in true }) throws -> Int {
        let trace = try first(Statements.find, where: key.digest) { row in
            row.has(key) && condition(row) ? Trace(row) : nil
        }
        guard let trace = trace ?? nil else { return 0 }
        try remove(trace)
        return 1
    }

    /// Removes a row if a condition holds for it, and returns the number of removed rows.
    func remove(_ id: Int64, where condition: (Row) -> Bool) throws -> Int {
        guard let trace = try trace(id, where: condition) else { return 0 }
        try remove(trace)
        return 1
    }

    /// Removes a row in the same way, but counts it as evicted.
    func evict(_ id: Int64, where condition: (Row) -> Bool) throws -> Int {
        guard let trace = try trace(id, where: condition) else { return 0 }
        try evict(trace)
        return 1
    }

    func evict(_ trace: Trace) throws {
        removed.evictedCount += 1
        removed.evictedBytes &+= Int(trace.charge)
        try remove(trace)
    }

    func clear() throws {
        let files = try database.statement(Statements.files)
        defer { files.reset() }
        removed.files += try files.integers()
        for sql in Statements.clearing { try database.run(sql) }
        totals.clear()
    }

    private func remove(_ trace: Trace) throws {
        try forget(trace)
        let statement = try database.statement(Statements.delete)
        statement.bind(trace.id, at: 1)
        try statement.run()
    }

    /// Removes the data that belongs to a row.
    private func forget(_ trace: Trace) throws {
        totals.subtract(trace.charge, isPinned: trace.isPinned)
        if let file = trace.file { removed.files.append(file) }
        for tag in trace.tags { try change(Statements.deleteTag, tag: tag, of: trace.id) }
    }

    // MARK: Statements

    private func trace(_ id: Int64, where condition: (Row) -> Bool) throws -> Trace? {
        try first(Statements.row, where: UInt64(bitPattern: id)) { row in condition(row) ? Trace(row) : nil } ?? nil
    }

    private func write(_ record: Record, _ sql: StaticString, id: Int64?) throws {
        let statement = try database.statement(sql)
        try record.withBytes { key, facts, body in
            defer { statement.reset() }
            statement.bind(record.key.digest, at: 1)
            statement.bind(record.flags.rawValue, at: 2)
            statement.bind(record.length, at: 3)
            statement.bind(record.written, at: 4)
            statement.bind(record.expires, at: 5)
            statement.bind(record.file, at: 6)
            statement.bind(record.checksum(key: key, facts: facts, body: body), at: 7)
            statement.bind(lending: key, at: 8)
            if facts.isEmpty { statement.bindNull(at: 9) } else { statement.bind(lending: facts, at: 9) }
            if record.file == nil { statement.bind(lending: body, at: 10) } else { statement.bindNull(at: 10) }
            if let id { statement.bind(id, at: 11) }
            _ = try statement.step()
        }
    }

    private func change(_ sql: StaticString, tag: String, of id: Int64) throws {
        let statement = try database.statement(sql)
        try Array(tag.utf8).withUnsafeBytes { tag in
            statement.bind(lending: tag, at: 1)
            statement.bind(id, at: 2)
            try statement.run()
        }
    }

    /// Returns the result of a closure for the first row of a query with one parameter, or nil if there is none.
    private func first<Result>(
        _ sql: StaticString, where value: UInt64, _ body: (Row) throws -> Result
    ) throws -> Result? {
        let statement = try database.statement(sql)
        defer { statement.reset() }
        statement.bind(value, at: 1)
        return try statement.step() ? body(Row(statement)) : nil
    }
}
