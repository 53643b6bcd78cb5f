/// The sums over all entries, as they are kept in the database, and where the hand of the clock is.
struct Totals: Equatable {
    private(set) var count: Int64
    private(set) var bytes: Int64
    private(set) var pinnedCount: Int64
    private(set) var pinnedBytes: Int64

    /// The last row that the hand of the clock has passed.
    var hand: Int64

    /// The last row of the lap that the hand is on. Those that have come since wait for the next one.
    var lap: Int64

    /// When what is over was removed last, on the scale of `Date.timeIntervalSinceReferenceDate`.
    var maintained: Double

    init(in database: Database) throws {
        let statement = try database.statement(Statements.totals)
        defer { statement.reset() }
        guard try statement.step() else {
            throw SQLiteFailure(code: SQLiteFailure.damaged, message: "the sums are missing")
        }
        count = statement.integer(0)
        bytes = statement.integer(1)
        pinnedCount = statement.integer(2)
        pinnedBytes = statement.integer(3)
        hand = statement.integer(4)
        lap = statement.integer(5)
        maintained = statement.real(6)
        let isPossible =
            count >= 0 && pinnedCount >= 0 && pinnedCount <= count && pinnedBytes >= 0 && pinnedBytes <= bytes
            && count < 1 << 60 && bytes < 1 << 60 && hand >= 0
        if !isPossible {
            try recount(in: database)
            hand = 0
            lap = 0
        }
    }

    func save(in database: Database) throws {
        let statement = try database.statement(Statements.saveTotals)
        statement.bind(count, at: 1)
        statement.bind(bytes, at: 2)
        statement.bind(pinnedCount, at: 3)
        statement.bind(pinnedBytes, at: 4)
        statement.bind(hand, at: 5)
        statement.bind(lap, at: 6)
        statement.bind(maintained, at: 7)
        try statement.run()
    }

    /// Counts what is there: for when the sums cannot be right.
    mutating func recount(in database: Database) throws {
        let statement = try database.statement(Statements.count)
        defer { statement.reset() }
        guard try statement.step() else { return }
        count = statement.integer(0)
        pinnedCount = statement.integer(2)
        bytes = Self.possible(statement.integer(1)) + count * Int64(DiskFill.overhead)
        pinnedBytes = Self.possible(statement.integer(3)) + pinnedCount * Int64(DiskFill.overhead)
    }

    /// A sum of lengths, any of which may be damaged.
    private static func possible(_ bytes: Int64) -> Int64 {
        min(max(0, bytes), 1 << 59)
    }

    // MARK: Changes

    // A damaged row may hold any number, so nothing here traps: sums that cannot be right are counted anew.

    mutating func add(_ charge: Int64, isPinned: Bool) {
        count &+= 1
        bytes &+= charge
        if isPinned {
            pinnedCount &+= 1
            pinnedBytes &+= charge
        }
    }

    mutating func subtract(_ charge: Int64, isPinned: Bool) {
        count &-= 1
        bytes &-= charge
        if isPinned {
            pinnedCount &-= 1
            pinnedBytes &-= charge
        }
    }

    mutating func clear() {
        count = 0
        bytes = 0
        pinnedCount = 0
        pinnedBytes = 0
        hand = 0
        lap = 0
    }

    // MARK: The hand

    /// Begins a new lap, over the rows that are there now.
    mutating func turn(in database: Database) throws {
        hand = 0
        lap = try database.integer(Statements.last) ?? 0
    }

    // MARK: Limits

    func exceed(_ limits: CacheLimits) -> Bool {
        if let limit = limits.bytes, bytes > limit { return true }
        if let limit = limits.count, count > limit { return true }
        return false
    }

    /// Refuses an entry that cannot fit, whatever is evicted.
    func admit(_ record: Record, _ limits: CacheLimits) throws {
        if let limit = limits.bytes {
            guard record.charge <= limit else { throw CacheError.tooLarge(record.key, record.charge, limit: limit) }
            guard pinnedBytes &+ record.charge <= limit else { throw CacheError.full(record.key) }
        }
        if let limit = limits.count {
            guard limit > 0 else { throw CacheError.noEntries }
            guard pinnedCount < limit else { throw CacheError.full(record.key) }
        }
    }
}

extension CacheLimits {
    /// Refuses a body of which so much has come that it cannot fit.
    func admit(_ length: Int, for key: CacheKey) throws {
        if let bytes, length > bytes { throw CacheError.tooLarge(key, Int64(length), limit: bytes) }
    }
}

extension CacheError {
    static func tooLarge(_ key: CacheKey, _ bytes: Int64, limit: Int) -> CacheError {
        CacheError(.tooLarge, "The entry \(key) counts \(bytes) bytes, but the limit of the whole store is \(limit).")
    }

    /// The limit of the number of entries is zero.
    static var noEntries: CacheError {
        CacheError(.tooLarge, "The store may hold 0 entries: raise its limit.")
    }

    static func readOnly(_ folder: String) -> CacheError {
        CacheError(.readOnly, "The folder \(folder) cannot be written to: what is in it can be read, and no more.")
    }

    static var closed: CacheError {
        CacheError(.closed, "The store is closed: open a new one on its folder.")
    }

    static func full(_ key: CacheKey) -> CacheError {
        CacheError(.full, "Pinned entries leave no room for \(key): remove some, or raise the limits of the store.")
    }
}
