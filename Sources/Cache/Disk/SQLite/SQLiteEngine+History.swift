import Synchronization

extension SQLiteEngine {
    func momentAtOnce() -> CacheMoment? {
        guard !connection.isFrozen else { return nil }
        let history = try? readers.readAtOnce { reader in try reader.database.history() }
        return history?.moment
    }

    func moment() throws -> CacheMoment? {
        guard !connection.isFrozen else { return nil }
        let history = try read { reader in try reader.database.history() }
        guard let history else { throw Follower.missing }
        return history.moment
    }

    nonisolated(nonsending) func set(
        _ entry: CacheEntry, for key: CacheKey, unlessRemovedSince position: HistoryPosition
    ) async throws -> Bool {
        let count = try await IO.result { tell in
            let finish = { @Sendable (result: Result<Int, any Error>) in tell(self.told(result)) }
            if entry.body.count <= Self.threshold {
                submit([Record(key: key, entry: entry)], unlessRemovedSince: position, finish)
            } else {
                IO.submit { self.setLarge([(key, entry)], unlessRemovedSince: position, finish) }
            }
        }
        return count > 0
    }

    func changes() -> CacheChanges {
        feed.follow { Follower(self) }
    }

    /// Reads the records of other stores.
    private final class Follower: ChangeFollower {
        private struct State {
            var incarnation: UInt64?
            var lastRemoval: Int64 = 0
            var lastChange: Int64 = 0
            /// The time at which the following has to be extended.
            var due = -Double.infinity
        }

        private weak let engine: SQLiteEngine?
        private let origin: UInt64
        private let state = Mutex(State())

        init(_ engine: SQLiteEngine) {
            self.engine = engine
            origin = engine.connection.origin
        }

        func begin() -> Bool {
            guard let engine, let names = try? engine.files.list(engine.place.instances), names.count <= 1 else {
                return false
            }
            return (try? engine.translating { try look(engine, isRecorded: false) }) != nil
        }

        func look() throws -> (changes: [CacheChange], hasOthers: Bool) {
            guard let engine else { throw CacheError.closed }
            let hasOthers = try (engine.files.list(engine.place.instances) ?? []).count > 1
            let changes = try engine.translating { try look(engine, isRecorded: hasOthers) }
            return (changes, hasOthers)
        }

        func end() {}

        static var missing: CacheError {
            CacheError(.damaged, "The history of the store is missing. Remove its folder.")
        }

        /// - Parameter isRecorded: Lets all stores record their changes. Removals are always recorded.
        private func look(_ engine: SQLiteEngine, isRecorded: Bool) throws -> [CacheChange] {
            let now = engine.clock.roughly
            var state = state.withLock { $0 }
            defer { self.state.withLock { $0 = state } }
            var hasMissed = state.incarnation == nil
            if !isRecorded {
                state.due = -.infinity
            } else if abs(state.due - now) > Transaction.followedTime / 2 || state.due <= now {
                // Others may have made changes before they were recorded.
                if state.due == -.infinity { hasMissed = true }
                try engine.extendFollowing()
                state.due = now + Transaction.followedTime / 2
            }
            let former = state
            let origin = origin
            let (next, changes) = try engine.read { reader in
                try reader.database.reading { try Self.read(reader.database, since: former, origin) }
            }
            (state.incarnation, state.lastRemoval, state.lastChange) = (
                next.incarnation, next.lastRemoval, next.lastChange
            )
            if next.incarnation != former.incarnation, former.incarnation != nil { state.due = -.infinity }
            return hasMissed ? [.all] : changes
        }

        private static func read(
            _ database: Database, since former: State, _ origin: UInt64
        ) throws -> (State, [CacheChange]) {
            var next = former
            guard let history = try database.history() else { throw Self.missing }
            next.incarnation = history.incarnation
            next.lastRemoval = history.number
            next.lastChange = try database.integer(Statements.lastChange) ?? 0
            guard next.incarnation == former.incarnation,
                try isWhole(database, Statements.firstRemoval, former.lastRemoval, next.lastRemoval),
                try isWhole(database, Statements.firstChange, former.lastChange, next.lastChange)
            else { return (next, [.all]) }
            var changes: [CacheChange] = []
            let add = { (record: Database.Record) in
                if record.change == nil || record.origin != origin { changes.append(record.change ?? .all) }
            }
            if next.lastRemoval > former.lastRemoval {
                try database.records(Statements.removals, after: former.lastRemoval, add)
            }
            if next.lastChange > former.lastChange {
                try database.records(Statements.changes, after: former.lastChange, add)
            }
            return (next, changes)
        }

        /// Returns whether all records after a number are still there.
        private static func isWhole(
            _ database: Database, _ first: StaticString, _ last: Int64, _ now: Int64
        ) throws -> Bool {
            guard now != last else { return true }
            return try database.integer(first).map { $0 <= last + 1 } ?? false
        }
    }

    /// Lets all stores record their changes for some time.
    private func extendFollowing() throws {
        var events: [CacheEvent] = []
        defer { events.forEach(report) }
        try connection.transaction(now: clock.roughly, &events) { transaction in try transaction.follow() }
    }
}
