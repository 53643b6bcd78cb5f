import Synchronization
import TangoCache

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The store of a client, with what is on its way there.
///
/// Nobody waits for a write: it is visible at once to all who ask here, and gets to the store in its own time, those of
/// one key one after the other. What is in memory is answered at once.
final class AnswerStore: Sendable {
    enum Change: Sendable {
        case set(CacheEntry)
        /// The same entry, used or confirmed later than the store knows, in place of the one that was written then. It
        /// gives way to another entry that has come since.
        case renew(CacheEntry, written: Date?)
        case remove
    }

    /// What can be said without waiting.
    enum Glance {
        case found(CacheEntry)
        case nothing
        case unknown
    }

    typealias Report = @Sendable ((any Error)?) -> Void

    fileprivate struct Pending {
        var change: Change
        var report: Report
        var number: Int
        /// The number of the first change of its key that has not got to the store.
        var oldest: Int
    }

    fileprivate struct State {
        var pending: [CacheKey: Pending] = [:]
        var lastNumber = 0
        /// Who waits for all changes up to a number.
        var waiters: [(last: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    /// A number of its own within the process.
    let number: UInt64
    let store: any CacheStore
    /// Who asks although the store has an answer.
    let refreshes = RefreshPlaces()
    private let memory: MemoryStore?
    /// Whether everything is in memory.
    private let isMemory: Bool
    private let state = Mutex(State())
    private let pendingCount = Atomic<Int>(0)
    /// What was removed: what began before must not come after.
    let changes = Changes()

    private static let lastNumber = Atomic<UInt64>(0)

    init(_ store: any CacheStore) {
        number = Self.lastNumber.add(1, ordering: .relaxed).newValue
        self.store = store
        isMemory = store is MemoryStore
        memory = store as? MemoryStore ?? (store as? TieredStore)?.memory
    }

    // MARK: Reading

    /// What there is under a key, as far as that can be said at once.
    func glance(_ key: CacheKey) -> Glance {
        if pendingCount.load(ordering: .acquiring) > 0, let change = pending(key) {
            return change.entry.map(Glance.found) ?? .nothing
        }
        guard let memory else { return .unknown }
        if let entry = memory.peek(key) { return .found(entry) }
        return isMemory ? .nothing : .unknown
    }

    func get(_ key: CacheKey) async throws -> CacheEntry? {
        if let change = pending(key) { return change.entry }
        return try await store.get(key)
    }

    private func pending(_ key: CacheKey) -> Change? {
        state.withLock { $0.pending[key]?.change }
    }

    /// Keeps an object in memory beside the entry that it was made of, unless that has gone.
    func attach(_ object: any Sendable, to entry: CacheEntry, under key: CacheKey) {
        memory?.attach(object, to: entry, under: key)
    }

    // MARK: Changing

    /// Changes what there is under a key, unless that was removed since a mark of ``changes``.
    func change(_ key: CacheKey, _ change: Change, since mark: Int? = nil, report: @escaping Report = { _ in }) {
        let isWanted = { mark.map { !self.changes.hasRemoved(key, since: $0) } ?? true }
        if isMemory, let memory {
            do {
                let isMade = try memory.apply(change, to: key, if: isWanted)
                if isMade { report(nil) }
            } catch {
                report(error)
            }
            return
        }
        // What is overtaken is released out here: it may hold anything.
        let (isNew, _) = state.withLock { state -> (Bool, Pending?) in
            guard isWanted() else { return (false, nil) }
            let old = state.pending[key]
            if case .renew = change, old != nil { return (false, nil) }
            state.lastNumber += 1
            let number = state.lastNumber
            state.pending[key] = Pending(change: change, report: report, number: number, oldest: old?.oldest ?? number)
            if old == nil { pendingCount.add(1, ordering: .releasing) }
            return (old == nil, old)
        }
        if isNew { Task { await carryOut(key) } }
    }

    /// Makes changes, and returns when they have been made, or throws what kept one from it.
    func carryOut(_ changes: [(key: CacheKey, change: Change)]) async throws {
        let failure = Failure()
        for (key, change) in changes { self.change(key, change) { failure.note($0) } }
        await finish()
        if let error = failure.first { throw error }
    }

    private final class Failure: Sendable {
        private let error = Mutex<(any Error)?>(nil)

        var first: (any Error)? { error.withLock(\.self) }

        func note(_ failure: (any Error)?) {
            error.withLock { $0 = $0 ?? failure }
        }
    }

    /// Does what is to be done under a key until nothing is left.
    private func carryOut(_ key: CacheKey) async {
        while let pending = state.withLock({ $0.pending[key] }) {
            var failure: (any Error)?
            do { try await store.apply(pending.change, to: key) } catch { failure = error }
            pending.report(failure)
            let waiters = state.withLock { state in
                if state.pending[key]?.number == pending.number {
                    state.pending[key] = nil
                    pendingCount.subtract(1, ordering: .releasing)
                } else {
                    state.pending[key]?.oldest = pending.number + 1
                }
                return state.takeWaiters()
            }
            for waiter in waiters { waiter.resume() }
        }
    }

    /// Returns when everything so far has got to the store: not what others add meanwhile,
    /// unless it takes the place of what is waited for.
    func finish() async {
        await withCheckedContinuation { continuation in
            let isDone = state.withLock { state in
                if !state.pending.isEmpty { state.waiters.append((state.lastNumber, continuation)) }
                return state.pending.isEmpty
            }
            if isDone { continuation.resume() }
        }
    }

    /// Removes everything whose key begins so, also what is on its way.
    func removeAll(in scope: CacheKey) async throws {
        try await changes.removing(scope) {
            await drop { $0.hasPrefix(scope) }
            try await store.remove(prefix: scope)
        }
    }

    /// Removes everything with a tag, also what is on its way.
    func removeAll(tagged tag: String) async throws {
        try await changes.removing(nil) {
            await finish()
            try await store.remove(tag: tag)
        }
    }

    /// Has nothing written any more that is on its way, and waits for what is being written.
    private func drop(_ isDropped: (CacheKey) -> Bool) async {
        // What is dropped is released out here: it may hold anything.
        _ = state.withLock { state in
            let dropped = state.pending.filter { isDropped($0.key) }
            for key in dropped.keys { state.pending[key]?.change = .remove }
            return dropped
        }
        await finish()
    }
}

extension AnswerStore.State {
    /// Those who have nothing left to wait for.
    fileprivate mutating func takeWaiters() -> [CheckedContinuation<Void, Never>] {
        guard !waiters.isEmpty else { return [] }
        let oldest = pending.values.lazy.map(\.oldest).min() ?? .max
        let done = waiters.filter { $0.last < oldest }
        waiters.removeAll { $0.last < oldest }
        return done.map(\.continuation)
    }
}

extension AnswerStore.Change {
    fileprivate var entry: CacheEntry? {
        switch self {
        case .set(let entry), .renew(let entry, _): entry
        case .remove: nil
        }
    }
}

extension CacheStore {
    fileprivate func apply(_ change: AnswerStore.Change, to key: CacheKey) async throws {
        switch change {
        case .set(let entry): try await set(entry, for: key)
        case .renew(let entry, let written):
            guard let present = try await get(key), present.written == written else { return }
            try await set(entry, for: key)
        case .remove: try await remove(key)
        }
    }
}

extension MemoryStore {
    /// Makes a change if, with the store locked, a condition holds. False if it did not, or nothing was to be done.
    fileprivate func apply(
        _ change: AnswerStore.Change, to key: CacheKey, if condition: () -> Bool
    ) throws -> Bool {
        switch change {
        case .set(let entry): return try put(entry, for: key, pinned: entry.pinned, if: condition)
        case .renew(let entry, let written):
            return try put(entry, for: key, replacing: { $0.written == written && condition() })
        case .remove:
            drop(key)
            return true
        }
    }
}
