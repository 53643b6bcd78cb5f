import Dispatch
import Synchronization

/// The connection that writes, which is replaced when the database was damaged or removed.
final class Connection: Sendable {
    private struct State {
        var database: Database?
        /// Which file it was that was opened.
        var file: FileIdentity?
    }

    /// How long the log gets before it is copied to the database, in pages.
    private static let logLimit = 1000

    /// Longer than this, and the writer itself waits for it.
    private static let hardLogLimit = 16_000

    private let state: Mutex<State>
    private let isCheckpointing = Atomic(false)
    /// Held by who copies the log: SQLite does not wait for another who does, but gives up at once.
    private let copying = Mutex(())
    private let opening: Opening
    private let limits: CacheLimits
    private let clock: WallClock
    private let readers: Readers
    private let bodies: Bodies
    private let touches: Touches
    private let report: @Sendable (CacheEvent) -> Void

    init(
        _ database: Database, _ opening: Opening, limits: CacheLimits, clock: WallClock, readers: Readers,
        bodies: Bodies, touches: Touches
    ) {
        state = Mutex(State(database: database, file: FileIdentity(of: opening.place.database)))
        self.opening = opening
        self.limits = limits
        self.clock = clock
        self.readers = readers
        self.bodies = bodies
        self.touches = touches
        report = opening.report
    }

    /// Makes changes that become visible together, or not at all. What a damaged database throws is not thrown: it is
    /// replaced, and the changes are made in the new one.
    func transaction<Result: Sendable>(_ work: (Transaction) throws -> Result) throws -> Result {
        let (result, removed) = try state.withLock { state in
            do {
                return try attempt(work, &state)
            } catch is Moved {
                try reopen(&state)
            } catch let failure as SQLiteFailure where failure.isDamage {
                try replace(&state, failure)
            } catch let failure as SQLiteFailure where failure.isFull {
                // What is in the log already can be written over once it has been copied.
                try copying.withLock { _ in try state.database?.emptyLog() }
            }
            return try attempt(work, &state)
        }
        bodies.remove(removed.files)
        if removed.forgetsReads { touches.forget() }
        if removed.evictedCount > 0 {
            report(.evicted(count: removed.evictedCount, bytes: removed.evictedBytes))
        }
        return result
    }

    private func attempt<Result: Sendable>(
        _ work: (Transaction) throws -> Result, _ state: inout State
    ) throws -> (Result, Transaction.Removed) {
        if state.database == nil { try reopen(&state) }
        guard let database = state.database else { throw CacheError.closed }
        if database.hasMoved { throw Moved() }
        let transaction = try Transaction(database, limits: limits, now: clock.roughly)
        do {
            let result = try work(transaction)
            try transaction.commit()
            copyLog(of: database)
            return (result, transaction.removed)
        } catch {
            database.rollback()
            throw error
        }
    }

    // MARK: Replacing the database

    /// Replaces a database that a reader has found damaged or moved, unless that has been done.
    func recover(from error: any Error) throws {
        try state.withLock { state in
            if let failure = error as? SQLiteFailure, failure.isDamage {
                try replace(&state, failure)
            } else if error is Moved, state.database?.hasMoved != false {
                try reopen(&state)
            }
        }
    }

    private func reopen(_ state: inout State) throws {
        state.database = nil
        state.database = try opening.open()
        state.file = FileIdentity(of: opening.place.database)
        readers.renew()
        touches.forget()
    }

    private func replace(_ state: inout State, _ failure: SQLiteFailure) throws {
        state.database = nil
        state.database = try opening.replace(state.file, reason: "the database was damaged (\(failure.message))")
        state.file = FileIdentity(of: opening.place.database)
        readers.renew()
        touches.forget()
    }

    // MARK: The log

    /// Sees to it that the log does not grow without bound: by another thread, so that nobody waits.
    private func copyLog(of database: Database) {
        guard database.logLength >= Self.logLimit else { return }
        if database.logLength >= Self.hardLogLimit {
            // It fails where readers are in the way, and is tried again after the next change.
            try? copying.withLock { _ in try database.checkpoint() }
            return
        }
        guard !isCheckpointing.exchange(true, ordering: .acquiring) else { return }
        IO.submit { [self] in
            defer { isCheckpointing.store(false, ordering: .releasing) }
            do {
                try copying.withLock { _ in
                    try Database(opening.place.database, .reader, patience: Patience.inline).checkpoint()
                }
            } catch let failure as SQLiteFailure where !failure.isBusy {
                report(.failed(CacheError(failure, at: opening.place.database)))
            } catch {}
        }
    }

    /// Copies the log to the database.
    func checkpoint() throws {
        try state.withLock { state in
            try copying.withLock { _ in try state.database?.checkpoint() }
        }
    }

    /// Gives the space of an emptied database back to the volume, if nobody is in the way.
    func compact() {
        state.withLock { state in
            // Where this fails, the space is used by the entries to come.
            try? state.database?.execute("VACUUM")
            try? copying.withLock { _ in try state.database?.emptyLog() }
        }
    }

    /// Empties the log and closes.
    func close() {
        state.withLock { state in
            // What stays in the log is found there by whoever opens the store next.
            try? copying.withLock { _ in try state.database?.emptyLog() }
            state.database = nil
        }
    }
}
