import Synchronization

extension DiskStore {
    /// Returns the present moment in the history of removals, if that needs neither a lock nor a read of the disk.
    func momentAtOnce() -> CacheMoment? {
        guard !connection.isFrozen else { return nil }
        var history: HistoryPosition?
        try? readers.readAtOnce { reader in history = try reader.database.history() }
        return history?.moment
    }

    /// Returns the present moment in the history of removals. Nil if nothing can be stored.
    func presentMoment() throws -> CacheMoment? {
        guard !connection.isFrozen else { return nil }
        let history = try read { reader in try reader.database.history() } ?? renewedHistory()
        return history?.moment
    }

    /// Begins the history anew, because its row is missing.
    private func renewedHistory() throws -> HistoryPosition? {
        var history: HistoryPosition?
        try transact { transaction in
            if try transaction.database.history() == nil { try Schema.renewHistory(of: transaction.database) }
            history = try transaction.database.history()
        }
        return history
    }

    /// Reads the changes that other stores have recorded. One object does so for all followers of a store.
    final class Follower: Sendable {
        private struct State {
            var incarnation: UInt64?
            var lastRemoval: Int64 = 0
            var lastChange: Int64 = 0
            /// The time at which the following has to be extended.
            var due = -Double.infinity
        }

        private weak let store: DiskStore?
        private let origin: UInt64
        private let state = Mutex(State())

        init(_ store: DiskStore) {
            self.store = store
            origin = store.connection.origin
        }

        /// Takes the first look on the caller's thread. Returns false if that needs more than a read.
        func begin() -> Bool {
            guard let store, let names = try? store.files.list(store.place.instances), names.count <= 1 else {
                return false
            }
            return (try? look(store, isRecorded: false)) != nil
        }

        /// Returns the changes since the last look. The first look returns ``CacheChange/all``.
        func look() throws -> (changes: [CacheChange], hasOthers: Bool) {
            guard let store else { throw CacheError.closed }
            let hasOthers = try (store.files.list(store.place.instances) ?? []).count > 1
            return (try look(store, isRecorded: hasOthers), hasOthers)
        }

        /// - Parameter isRecorded: Lets all stores record their changes. Removals are always recorded.
        private func look(_ store: DiskStore, isRecorded: Bool) throws -> [CacheChange] {
            let now = store.clock.roughly
            var state = state.withLock { $0 }
            defer { self.state.withLock { $0 = state } }
            var hasMissed = state.incarnation == nil
            if !isRecorded {
                state.due = -.infinity
            } else if abs(state.due - now) > Transaction.followedTime / 2 || state.due <= now {
                // Others may have made changes before they were recorded.
                if state.due == -.infinity { hasMissed = true }
                try store.transact { transaction in try transaction.follow() }
                state.due = now + Transaction.followedTime / 2
            }
            let former = state
            let origin = origin
            let found = try store.read { reader in
                try reader.database.reading { try Self.read(reader.database, since: former, origin) }
            }
            guard let (next, changes) = found else {
                // The next look finds the new history.
                _ = try store.renewedHistory()
                return [.all]
            }
            (state.incarnation, state.lastRemoval, state.lastChange) = (
                next.incarnation, next.lastRemoval, next.lastChange
            )
            if next.incarnation != former.incarnation, former.incarnation != nil { state.due = -.infinity }
            return hasMissed ? [.all] : changes
        }

        /// Returns the present state, and the changes since a former one; nil if the row of the history is missing.
        private static func read(
            _ database: Database, since former: State, _ origin: UInt64
        ) throws -> (State, [CacheChange])? {
            var next = former
            guard let history = try database.history() else { return nil }
            next.incarnation = history.incarnation
            next.lastRemoval = history.number
            next.lastChange = try database.integer(HistoryTable.changes.last) ?? 0
            var changes: [CacheChange] = []
            guard next.incarnation == former.incarnation,
                try add(.removals, former.lastRemoval, next.lastRemoval, of: database, origin, to: &changes),
                try add(.changes, former.lastChange, next.lastChange, of: database, origin, to: &changes)
            else { return (next, [.all]) }
            return (next, changes)
        }

        /// Adds the changes of other stores after a number. Returns false if they are not all known.
        private static func add(
            _ table: HistoryTable, _ last: Int64, _ now: Int64, of database: Database, _ origin: UInt64,
            to changes: inout [CacheChange]
        ) throws -> Bool {
            guard now != last else { return true }
            guard now > last, let first = try database.integer(table.first), first <= last + 1 else { return false }
            return try database.records(table, from: last + 1) { record in
                if record.origin != origin { changes.append(record.change) }
            }
        }
    }
}
