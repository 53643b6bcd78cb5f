import Synchronization

/// Connections for reading: as many as are needed at once, up to a limit. Each serves one reader at a time.
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

    /// The connections. The first idle one is used, so the first serves most reads and has the largest page cache, in
    /// KiB.
    private let slots = [Slot(pageCache: 24 << 10)] + (1..<bound).map { _ in Slot(pageCache: 2 << 10) }
    private let path: String
    private let mode: Database.Mode

    /// A number that changes when the database is replaced, so that connections to the old one are closed.
    private let generation = Atomic(0)

    init(_ path: String, _ mode: Database.Mode) {
        self.path = path
        self.mode = mode
    }

    /// The number of the database that connections are opened to now. It changes when the database is replaced.
    var current: Int { generation.load(ordering: .acquiring) }

    /// Calls a closure with an idle connection. Does nothing if there is none, or if the read would have to wait.
    func readAtOnce(_ body: (Reader) throws -> Void) throws {
        let generation = generation.load(ordering: .acquiring)
        for slot in slots {
            let wasFree: Void? = try slot.reader.withLockIfAvailable { reader in
                guard let reader, reader.generation == generation, !reader.isDue else { return }
                try body(reader)
            }
            if wasFree != nil { break }
        }
    }

    /// Calls a closure with a connection, which it opens or waits for.
    ///
    /// - Throws: ``Moved`` if another process has replaced the database.
    func read(_ body: (Reader) throws -> Void) throws {
        for slot in slots {
            let wasFree: Void? = try slot.reader.withLockIfAvailable { try read(with: &$0, of: slot, body) }
            if wasFree != nil { return }
        }
        let slot = slots[Int.random(in: slots.indices)]
        try slot.reader.withLock { try read(with: &$0, of: slot, body) }
    }

    @inline(never)
    private func read(with reader: inout Reader?, of slot: Slot, _ body: (Reader) throws -> Void) throws {
        let generation = generation.load(ordering: .acquiring)
        if reader?.generation != generation { reader = nil }
        guard generation != Self.closed else { throw CacheError.closed }
        let open = try reader ?? Reader(path, mode, generation: generation, pageCache: slot.pageCache)
        reader = open
        open.database.wait(upTo: LockTimeout.reader)
        defer { open.database.wait(upTo: LockTimeout.inline) }
        if open.isDue { try open.check() }
        try body(open)
    }

    /// Closes connections as soon as they are idle. New ones are opened on demand.
    func renew() {
        let former = current
        guard former != Self.closed else { return }
        // If another thread has changed it, that thread closes or renews them.
        _ = generation.compareExchange(expected: former, desired: former + 1, ordering: .releasing)
        for slot in slots {
            _ = slot.reader.withLockIfAvailable { $0 = nil }
        }
    }

    /// Closes all connections, and waits for those in use.
    func close() {
        generation.store(Self.closed, ordering: .releasing)
        for slot in slots {
            slot.reader.withLock { $0 = nil }
        }
    }
}

/// Another process has removed or replaced the database.
struct Moved: Error {}

/// A connection for reading.
///
/// @unchecked: used only under the lock of its slot.
final class Reader: @unchecked Sendable {
    let database: Database
    let generation: Int

    private let find: Statement
    private var checked: Int

    init(_ path: String, _ mode: Database.Mode, generation: Int, pageCache: Int) throws {
        // Another process that opens or closes the database may lock it for a moment. One that replaces it may have
        // done so by the time of this check.
        let file = FileStatus(of: path)?.identity
        do {
            database =
                try mode == .frozen
                ? .frozen(path) : Database(path, mode, timeout: LockTimeout.reader, pageCache: pageCache)
            find = try database.statement(Statements.find)
        } catch let failure as SQLiteFailure {
            throw file == nil || FileStatus(of: path)?.identity != file ? Moved() : failure
        }
        self.generation = generation
        checked = CoarseClock.seconds
        // A database that was replaced while it was opened may have the log of its successor.
        if database.hasMoved { throw Moved() }
    }

    /// Calls a closure with the row of a key, if there is one.
    @inline(__always)
    func find(_ key: CacheKey, _ body: (Row) throws -> Void) throws {
        find.bind(key.digest, at: 1)
        defer { find.reset() }
        guard try find.step() else { return }
        let row = Row(find)
        if row.has(key) { try body(row) }
    }

    /// Returns whether a key has a row for which a condition holds.
    func finds(_ key: CacheKey, where condition: (Row) -> Bool) throws -> Bool {
        var isFound = false
        try find(key) { row in isFound = condition(row) }
        return isFound
    }

    // MARK: Detecting a replaced file

    /// Returns true once a second, when it is time to check whether the file was replaced.
    var isDue: Bool { CoarseClock.seconds != checked }

    func check() throws {
        if database.hasMoved { throw Moved() }
        checked = CoarseClock.seconds
    }
}
