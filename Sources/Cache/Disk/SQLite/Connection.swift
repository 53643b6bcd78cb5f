import Dispatch
import Synchronization
import TangoPlatform

/// The connection that writes. It is replaced if the database was damaged or removed.
final class Connection: Sendable {
    private struct State {
        var database: Database?
        var file: FileStatus.Identity?
        var isClosed = false
        var logTimeout = LogTimeout()
    }

    /// The length of the log from which it is copied to the database, in pages.
    private static let logLimit = 1000

    /// The length of the log from which the writer itself waits for copying, in pages.
    private static let hardLogLimit = 16_000

    private let state: Mutex<State>
    private let isCheckpointing = Atomic(false)
    private let isClosing = Atomic(false)

    /// Locked while the log is copied or emptied, and always after the state. SQLite fails instead of waiting if
    /// another thread copies the log.
    private let log = Mutex(())
    /// A Boolean value that indicates whether the folder cannot be written to.
    let isFrozen: Bool
    private let opening: Opening
    private let limits: CacheLimits
    private let clock: WallClock
    private let readers: Readers
    private let bodies: Bodies
    private let recentReads: RecentReads
    let report: @Sendable (CacheEvent) -> Void

    /// A number for the store, so that it does not follow its own changes.
    let origin = UInt64.random(in: 1 ... .max)

    /// Creates a connection that writes to a database. The database is nil if the folder cannot be written to.
    init(
        _ database: Database?, _ opening: Opening, limits: CacheLimits, clock: WallClock, readers: Readers,
        bodies: Bodies, recentReads: RecentReads, report: @escaping @Sendable (CacheEvent) -> Void
    ) throws {
        state = Mutex(State(database: database, file: FileStatus(of: opening.place.database)?.identity))
        self.opening = opening
        isFrozen = database == nil
        self.limits = limits
        self.clock = clock
        self.readers = readers
        self.bodies = bodies
        self.recentReads = recentReads
        self.report = report
        if let database { recentReads.observe(try Totals(in: database), limits, handMoved: false) }
    }

    /// The time of the user's clock. Read it without holding a lock.
    var now: Double { clock.roughly }

    /// Makes changes that become visible together, or not at all. A damaged database causes no error: it is replaced,
    /// and the changes are made in the new one.
    ///
    /// Work that has found damage is retried with a new connection, because the read itself may have failed. If it fails
    /// again, the database is replaced.
    ///
    /// - Parameters:
    ///   - now: The time, read without holding a lock.
    ///   - events: Receives the events to report after all locks are released, even if this throws.
    func transaction(now: Double, _ events: inout [CacheEvent], _ work: (Transaction) throws -> Void) throws {
        let removed = try state.withLock { state in
            do {
                return try attempt(work, now, &state, &events)
            } catch is Moved {
                try reopen(now, &state, &events)
            } catch let failure as SQLiteFailure where isDamage(failure) {
                try reopen(now, &state, &events)
                do {
                    return try attempt(work, now, &state, &events)
                } catch let failure as SQLiteFailure where isDamage(failure) {
                    try replace(&state, failure, now, &events)
                }
            } catch let failure as SQLiteFailure where failure.isFull {
                // The part of the log that has been copied can be overwritten.
                try emptyLog(&state)
            }
            return try attempt(work, now, &state, &events)
        }
        bodies.remove(removed.files)
        if removed.evictedCount > 0 {
            events.append(.evicted(count: removed.evictedCount, bytes: removed.evictedBytes))
        }
    }

    @inline(never)
    private func attempt(
        _ work: (Transaction) throws -> Void, _ now: Double, _ state: inout State, _ events: inout [CacheEvent]
    ) throws -> Transaction.Removed {
        if isFrozen { throw CacheError.readOnly(opening.place.folder) }
        if state.isClosed { throw CacheError.closed }
        if state.database == nil { try reopen(now, &state, &events) }
        guard let database = state.database else { throw CacheError.closed }
        if database.hasMoved { throw Moved() }
        do {
            let transaction = try Transaction(
                database, limits: limits, now: now, origin: origin, isGuest: !opening.role.isOwner)
            try work(transaction)
            try transaction.commit(sparing: recentReads)
            recentReads.observe(transaction.totals, limits, handMoved: transaction.hasMovedHand)
            for id in transaction.renewed { _ = recentReads.add(id) }
            copyLog(of: database)
            return transaction.removed
        } catch {
            database.rollback()
            throw error
        }
    }

    // MARK: Replacing the database

    /// Returns whether a failure is damage. A damaged header makes SQLite report a writable file as read-only.
    private func isDamage(_ failure: SQLiteFailure) -> Bool {
        failure.isDamage
            || failure.isPlainReadOnly && access(opening.place.database, W_OK) == 0
                && access(opening.place.index, W_OK) == 0
    }

    /// Replaces a database that a reader has found damaged or moved, unless it has been replaced already.
    ///
    /// - Parameter generation: The generation of the readers before the failed read began.
    func recover(from error: any Error, seen generation: Int) throws {
        let now = clock.roughly
        var events: [CacheEvent] = []
        defer { events.forEach(report) }
        try state.withLock { state in
            if state.isClosed { throw CacheError.closed }
            guard readers.current == generation else { return }
            if isFrozen {
                guard error is Moved else { throw error }
                return readers.renew()
            }
            if let failure = error as? SQLiteFailure, failure.isDamage {
                try replace(&state, failure, now, &events)
            } else if error is Moved, state.database?.hasMoved != false {
                try reopen(now, &state, &events)
            }
        }
    }

    @inline(never)
    private func reopen(_ now: Double, _ state: inout State, _ events: inout [CacheEvent]) throws {
        state.database = nil
        state.database = try opening.open(now: now, &events)
        state.file = FileStatus(of: opening.place.database)?.identity
        readers.renew()
    }

    @inline(never)
    private func replace(
        _ state: inout State, _ failure: SQLiteFailure, _ now: Double, _ events: inout [CacheEvent]
    ) throws {
        // The file of this name may be the successor already.
        if state.database?.hasMoved == true { return try reopen(now, &state, &events) }
        state.database = nil
        state.database = try opening.replace(
            state.file, reason: "the database was damaged (\(failure.message))", now: now, &events)
        state.file = FileStatus(of: opening.place.database)?.identity
        readers.renew()
    }

    // MARK: The log

    /// Empties the log at once. Waits for readers that block this, but only once.
    private func emptyLog(_ state: inout State) throws {
        guard let database = state.database else { return }
        database.wait(upTo: state.logTimeout.milliseconds)
        defer { database.wait(upTo: LockTimeout.writer) }
        let isEmptied = try log.withLock { _ in try database.emptyLog() }
        state.logTimeout.note(isEmptied: isEmptied)
    }

    /// Limits the length of the log. Another thread copies it, so that no write waits.
    private func copyLog(of database: Database) {
        guard database.logLength >= Self.logLimit else { return }
        if database.logLength >= Self.hardLogLimit {
            // This fails while a reader blocks it, and is retried after the next change.
            _ = try? log.withLock { _ in try database.checkpoint() }
            return
        }
        guard !isCheckpointing.exchange(true, ordering: .acquiring) else { return }
        IO.submit { [self] in
            defer { isCheckpointing.store(false, ordering: .releasing) }
            do {
                try log.withLock { _ in
                    guard !isClosing.load(ordering: .acquiring) else { return }
                    let database = try Database(opening.place.database, .reader, timeout: LockTimeout.inline)
                    // A database that was replaced while it was opened may have the log of its successor.
                    if !database.hasMoved { try database.checkpoint() }
                }
                // Little was added meanwhile. SQLite restarts the log only after all of it is copied.
                try checkpoint()
            } catch let failure as SQLiteFailure where !failure.isBusy {
                guard state.withLock({ !$0.isClosed && $0.database?.hasMoved == false }) else { return }
                report(.failed(CacheError(failure, at: opening.place.database)))
            } catch {
                // A reader blocks this. A later change copies the rest.
            }
        }
    }

    /// Sets the time to wait for a lock, in milliseconds, until the database is replaced.
    func wait(upTo milliseconds: Int32) {
        state.withLock { $0.database?.wait(upTo: milliseconds) }
    }

    func checkpoint() throws {
        try state.withLock { state in
            try log.withLock { _ in try state.database?.checkpoint() }
        }
    }

    /// Empties the log, which has the removed entries, and removes databases that were set aside. Free pages have none,
    /// because the connections overwrite what they remove.
    func removeTraces() throws {
        try state.withLock { try emptyLog(&$0) }
        try opening.place.removeSetAsides(opening.files)
    }

    /// Returns the space of an emptied database to the volume, unless another connection blocks this.
    func compact() {
        state.withLock { state in
            guard let database = state.database else { return }
            // Waiting here would stop all writers. If it fails, later entries use the space.
            database.wait(upTo: LockTimeout.inline)
            defer { database.wait(upTo: LockTimeout.writer) }
            try? database.execute("VACUUM")
            _ = try? log.withLock { _ in try database.emptyLog() }
        }
    }

    /// Empties the log, unless another connection blocks this, and closes.
    func close() {
        isClosing.store(true, ordering: .releasing)
        state.withLock { state in
            state.isClosed = true
            state.database?.wait(upTo: LockTimeout.inline)
            // The next store that opens the database finds the rest of the log.
            _ = log.withLock { _ in try? state.database?.emptyLog() }
            state.database = nil
        }
    }
}
