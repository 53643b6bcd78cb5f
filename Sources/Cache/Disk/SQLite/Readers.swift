import Synchronization

/// Connections for reading, as many as are needed at once, up to a bound. None is ever shared by two readers.
final class Readers: Sendable {
    private final class Slot: Sendable {
        let reader = Mutex<Reader?>(nil)
        let pageCache: Int

        init(pageCache: Int) {
            self.pageCache = pageCache
        }
    }

    private static let bound = 8
    private static let closed = -1

    /// The first one that is idle serves, so the first serves most: its page cache, in KiB, is worth having.
    private let slots = [Slot(pageCache: 24 << 10)] + (1..<bound).map { _ in Slot(pageCache: 2 << 10) }
    private let path: String
    private let mode: Database.Mode

    /// Raised when the database is replaced, so that connections to the old one are closed.
    private let generation = Atomic(0)

    init(_ path: String, _ mode: Database.Mode) {
        self.path = path
        self.mode = mode
    }

    /// Which database it is that connections are opened to now: another number once it was replaced.
    var current: Int { generation.load(ordering: .acquiring) }

    /// Calls a closure with a connection that is open and idle; nil if there is none, or if it would have to wait.
    @inline(__always)
    func glance<Result: Sendable>(_ body: (Reader) throws -> Result?) throws -> Result? {
        let generation = generation.load(ordering: .acquiring)
        var result: Result?
        for slot in slots {
            let wasFree: Void? = try slot.reader.withLockIfAvailable { reader in
                guard let reader, reader.generation == generation, !reader.isDue else { return }
                result = try body(reader)
            }
            if wasFree != nil { break }
        }
        return result
    }

    /// Calls a closure with a connection, which is opened or waited for.
    ///
    /// - Throws: ``Moved`` if the database was replaced by somebody else.
    func read<Result: Sendable>(_ body: (Reader) throws -> Result) throws -> Result {
        for slot in slots {
            if let result = try slot.reader.withLockIfAvailable({ try read(with: &$0, of: slot, body) }) {
                return result
            }
        }
        let slot = slots[Int.random(in: slots.indices)]
        return try slot.reader.withLock { try read(with: &$0, of: slot, body) }
    }

    private func read<Result: Sendable>(
        with reader: inout Reader?, of slot: Slot, _ body: (Reader) throws -> Result
    ) throws -> Result {
        let generation = generation.load(ordering: .acquiring)
        if reader?.generation != generation { reader = nil }
        guard generation != Self.closed else { throw CacheError.closed }
        let open = try reader ?? Reader(path, mode, generation: generation, pageCache: slot.pageCache)
        reader = open
        open.database.wait(upTo: Patience.reader)
        defer { open.database.wait(upTo: Patience.inline) }
        if open.isDue { try open.check() }
        return try body(open)
    }

    /// Closes connections as soon as nobody uses them, and opens new ones when they are needed.
    func renew() {
        let former = current
        guard former != Self.closed else { return }
        // If somebody else has changed it, that was to close them or to renew them too.
        _ = generation.compareExchange(expected: former, desired: former + 1, ordering: .releasing)
        for slot in slots {
            _ = slot.reader.withLockIfAvailable { $0 = nil }
        }
    }

    /// Closes all connections, waiting for those that are in use.
    func close() {
        generation.store(Self.closed, ordering: .releasing)
        for slot in slots {
            slot.reader.withLock { $0 = nil }
        }
    }
}

/// The database was removed or replaced by somebody else.
struct Moved: Error {}

/// A connection for reading.
///
/// @unchecked: used under the lock of its slot only.
final class Reader: @unchecked Sendable {
    let database: Database
    let generation: Int

    private let find: Statement
    private var checked: Int

    init(_ path: String, _ mode: Database.Mode, generation: Int, pageCache: Int) throws {
        // Whoever opens or closes the database elsewhere may have it locked for a moment, and whoever replaces it may
        // have done so by the time one looks.
        let file = FileIdentity(of: path)
        do {
            database =
                try mode == .frozen
                ? .frozen(path) : Database(path, mode, patience: Patience.reader, pageCache: pageCache)
            find = try database.statement(Statements.find)
        } catch let failure as SQLiteFailure {
            throw file == nil || FileIdentity(of: path) != file ? Moved() : failure
        }
        self.generation = generation
        checked = CoarseClock.seconds
        // One that was replaced while it was opened may have got the log of its successor.
        if database.hasMoved { throw Moved() }
    }

    /// The row of a key, lent to a closure; nil if there is none.
    @inline(__always)
    func find<Result>(_ key: CacheKey, _ body: (Row) throws -> Result) throws -> Result? {
        find.bind(key.digest, at: 1)
        defer { find.reset() }
        guard try find.step() else { return nil }
        let row = Row(find)
        guard row.has(key) else { return nil }
        return try body(row)
    }

    // MARK: Still the same file?

    /// Whether it is time to look whether the file is still the one of that name: once a second.
    var isDue: Bool { CoarseClock.seconds != checked }

    func check() throws {
        if database.hasMoved { throw Moved() }
        checked = CoarseClock.seconds
    }
}
