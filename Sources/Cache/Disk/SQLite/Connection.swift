import Dispatch
import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The connection that writes, which is replaced when the database was damaged or removed.
final class Connection: Sendable {
    private struct State {
        var database: Database?
        /// Which file it was that was opened.
        var file: FileIdentity?
        var isClosed = false
        var logPatience = LogPatience()
    }

    /// How long the log gets before it is copied to the database, in pages.
    private static let logLimit = 1000

    /// Longer than this, and the writer itself waits for it.
    private static let hardLogLimit = 16_000

    private let state: Mutex<State>
    private let isCheckpointing = Atomic(false)
    private let isClosing = Atomic(false)

    /// Held by who copies or empties the log, and taken after the state: SQLite waits for no other who does, but gives up.
    private let log = Mutex(())
    private let isFrozen: Bool
    private let opening: Opening
    private let limits: CacheLimits
    private let clock: WallClock
    private let readers: Readers
    private let bodies: Bodies
    private let touches: Touches
    let report: @Sendable (CacheEvent) -> Void

    /// Makes changes through a database; nil where nothing can be written.
    init(
        _ database: Database?, _ opening: Opening, limits: CacheLimits, clock: WallClock, readers: Readers,
        bodies: Bodies, touches: Touches, report: @escaping @Sendable (CacheEvent) -> Void
    ) throws {
        state = Mutex(State(database: database, file: FileIdentity(of: opening.place.database)))
        self.opening = opening
        isFrozen = database == nil
        self.limits = limits
        self.clock = clock
        self.readers = readers
        self.bodies = bodies
        self.touches = touches
        self.report = report
        if let database { touches.observe(try Totals(in: database), limits, handMoved: false) }
    }

    /// The time, from the user's clock: ask with nothing locked.
    var now: Double { clock.roughly }

    /// Makes changes that become visible together, or not at all. What a damaged database throws is not thrown: it is
    /// replaced, and the changes are made in the new one.
    ///
    /// - Parameters:
    ///   - now: The time, which is asked for with nothing locked.
    ///   - events: What is to be reported, once nothing is locked any more, even if this throws.
    func transaction<Result: Sendable>(
        now: Double, _ events: inout [CacheEvent], _ work: (Transaction) throws -> Result
    ) throws -> Result {
        let (result, removed) = try state.withLock { state in
            do {
                return try attempt(work, now, &state, &events)
            } catch is Moved {
                try reopen(now, &state, &events)
            } catch let failure as SQLiteFailure where failure.isDamage || isDamage(failure) {
                return try again(work, now, &state, &events)
            } catch let failure as SQLiteFailure where failure.isFull {
                // What is in the log already can be written over once it has been copied.
                try emptyLogForRoom(&state)
            }
            return try attempt(work, now, &state, &events)
        }
        bodies.remove(removed.files)
        if removed.evictedCount > 0 {
            events.append(.evicted(count: removed.evictedCount, bytes: removed.evictedBytes))
        }
        return result
    }

    /// Tries once more what has found damage, with a new connection: it may have been the reading that failed, and not
    /// what is there. If it fails again, the database is replaced.
    private func again<Result: Sendable>(
        _ work: (Transaction) throws -> Result, _ now: Double, _ state: inout State, _ events: inout [CacheEvent]
    ) throws -> (Result, Transaction.Removed) {
        try reopen(now, &state, &events)
        do {
            return try attempt(work, now, &state, &events)
        } catch let failure as SQLiteFailure where failure.isDamage || isDamage(failure) {
            try replace(&state, failure, now, &events)
        }
        return try attempt(work, now, &state, &events)
    }

    private func attempt<Result: Sendable>(
        _ work: (Transaction) throws -> Result, _ now: Double, _ state: inout State, _ events: inout [CacheEvent]
    ) throws -> (Result, Transaction.Removed) {
        if isFrozen { throw CacheError.readOnly(opening.place.folder) }
        if state.isClosed { throw CacheError.closed }
        if state.database == nil { try reopen(now, &state, &events) }
        guard let database = state.database else { throw CacheError.closed }
        if database.hasMoved { throw Moved() }
        do {
            let transaction = try Transaction(database, limits: limits, now: now)
            let result = try work(transaction)
            try transaction.commit(sparing: touches)
            touches.observe(transaction.totals, limits, handMoved: transaction.hasMovedHand)
            for id in transaction.renewed { _ = touches.add(id) }
            copyLog(of: database)
            return (result, transaction.removed)
        } catch {
            database.rollback()
            throw error
        }
    }

    // MARK: Replacing the database

    /// Whether a file that can be written to is said to be read-only: so says a damaged header.
    private func isDamage(_ failure: SQLiteFailure) -> Bool {
        failure.isPlainReadOnly && access(opening.place.database, W_OK) == 0 && access(opening.place.index, W_OK) == 0
    }

    /// Replaces a database that a reader has found damaged or moved, unless that has been done.
    ///
    /// - Parameter generation: That of the readers, before the one that failed began.
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

    private func reopen(_ now: Double, _ state: inout State, _ events: inout [CacheEvent]) throws {
        state.database = nil
        state.database = try opening.open(now: now, &events)
        state.file = FileIdentity(of: opening.place.database)
        readers.renew()
    }

    private func replace(
        _ state: inout State, _ failure: SQLiteFailure, _ now: Double, _ events: inout [CacheEvent]
    ) throws {
        // What has this name now may be the successor already.
        if state.database?.hasMoved == true { return try reopen(now, &state, &events) }
        state.database = nil
        state.database = try opening.replace(
            state.file, reason: "the database was damaged (\(failure.message))", now: now, &events)
        state.file = FileIdentity(of: opening.place.database)
        readers.renew()
    }

    // MARK: The log

    /// Empties the log because the volume is full, and waits for readers that are in the way, but not again and again.
    private func emptyLogForRoom(_ state: inout State) throws {
        guard let database = state.database else { return }
        database.wait(upTo: state.logPatience.milliseconds)
        defer { database.wait(upTo: Patience.writer) }
        let isEmptied = try log.withLock { _ in try database.emptyLog() }
        state.logPatience.note(isEmptied: isEmptied)
    }

    /// Sees to it that the log does not grow without bound: by another thread, so that nobody waits.
    private func copyLog(of database: Database) {
        guard database.logLength >= Self.logLimit else { return }
        if database.logLength >= Self.hardLogLimit {
            // It fails where readers are in the way, and is tried again after the next change.
            _ = try? log.withLock { _ in try database.checkpoint() }
            return
        }
        guard !isCheckpointing.exchange(true, ordering: .acquiring) else { return }
        IO.submit { [self] in
            defer { isCheckpointing.store(false, ordering: .releasing) }
            do {
                try log.withLock { _ in
                    guard !isClosing.load(ordering: .acquiring) else { return }
                    let database = try Database(opening.place.database, .reader, patience: Patience.inline)
                    // One that was replaced while it was opened may have got the log of its successor.
                    if !database.hasMoved { try database.checkpoint() }
                }
                // What was added meanwhile is little. Only once all is copied does SQLite begin the log anew.
                try checkpoint()
            } catch let failure as SQLiteFailure where !failure.isBusy {
                guard state.withLock({ !$0.isClosed && $0.database?.hasMoved == false }) else { return }
                report(.failed(CacheError(failure, at: opening.place.database)))
            } catch {
                // Somebody is in the way: the change after the next copies more.
            }
        }
    }

    /// Waits for a lock that somebody holds for so many milliseconds, until the database is replaced.
    func wait(upTo milliseconds: Int32) {
        state.withLock { $0.database?.wait(upTo: milliseconds) }
    }

    /// Copies the log to the database.
    func checkpoint() throws {
        try state.withLock { state in
            try log.withLock { _ in try state.database?.checkpoint() }
        }
    }

    /// Gives the space of an emptied database back to the volume, if nobody is in the way.
    func compact() {
        state.withLock { state in
            guard let database = state.database else { return }
            // Whoever waits here keeps all others from writing. Where this fails, the space is used by what is to come.
            database.wait(upTo: Patience.inline)
            defer { database.wait(upTo: Patience.writer) }
            try? database.execute("VACUUM")
            _ = try? log.withLock { _ in try database.emptyLog() }
        }
    }

    /// Empties the log, if nobody is in the way, and closes.
    func close() {
        isClosing.store(true, ordering: .releasing)
        state.withLock { state in
            state.isClosed = true
            state.database?.wait(upTo: Patience.inline)
            // What stays in the log is found there by whoever opens the store next.
            _ = log.withLock { _ in try? state.database?.emptyLog() }
            state.database = nil
        }
    }
}
