/// The sums over all entries, as stored in the database, and the position of the hand of the clock.
struct Totals: Equatable {
    /// The bytes that an entry counts for besides its key, facts and body: the approximate overhead of storing it.
    static let overhead = 128

    private(set) var count: Int64
    private(set) var bytes: Int64
    private(set) var pinnedCount: Int64
    private(set) var pinnedBytes: Int64

    /// The last row that the hand has visited.
    var hand: Int64

    /// The last row of the current lap. Newer rows belong to the next lap.
    var lap: Int64

    /// The time of the last maintenance, on the scale of `Date.timeIntervalSinceReferenceDate`.
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

    /// Counts all rows again, if the sums cannot be right.
    mutating func recount(in database: Database) throws {
        let statement = try database.statement(Statements.count)
        defer { statement.reset() }
        guard try statement.step() else { return }
        count = statement.integer(0)
        pinnedCount = statement.integer(2)
        bytes = Self.possible(statement.integer(1)) + count * Int64(Self.overhead)
        pinnedBytes = Self.possible(statement.integer(3)) + pinnedCount * Int64(Self.overhead)
    }

    /// Limits a sum of lengths, any of which may be damaged.
    private static func possible(_ bytes: Int64) -> Int64 {
        min(max(0, bytes), 1 << 59)
    }

    // MARK: Changes

    // A damaged row may hold any number, so this code never traps. Sums that cannot be right are counted again.

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

    /// Begins a new lap over the present rows.
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

    /// Throws if an entry cannot fit even after evicting all others.
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
    /// Throws if a body in portions has become too large to fit.
    func admit(_ length: Int, for key: CacheKey) throws {
        if let bytes, length > bytes { throw CacheError.tooLarge(key, Int64(length), limit: bytes) }
    }
}

extension CacheError {
    static func tooLarge(_ key: CacheKey, _ bytes: Int64, limit: Int) -> CacheError {
        CacheError(
            .tooLarge, "The entry \(key) has \(bytes) bytes, the limit is \(limit). Raise the limit of the store.")
    }

    static var noEntries: CacheError {
        CacheError(.tooLarge, "The limit of the store is 0 entries. Raise it to store entries.")
    }

    static func readOnly(_ folder: String) -> CacheError {
        CacheError(
            .readOnly, "The folder \(folder) cannot be written to. Change its permissions, or choose another folder.")
    }

    static var closed: CacheError {
        CacheError(.closed, "The store is closed. Open a new one on its folder.")
    }

    static func full(_ key: CacheKey) -> CacheError {
        CacheError(
            .full, "Pinned entries leave no room for \(key). Remove or unpin some, or raise the limits of the store.")
    }
}
