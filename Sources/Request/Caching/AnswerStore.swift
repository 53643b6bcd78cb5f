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

    private struct Pending {
        var change: Change
        var report: Report
        var number: Int
    }

    private struct State {
        var pending: [CacheKey: Pending] = [:]
        var lastNumber = 0
        var waiters: [CheckedContinuation<Void, Never>] = []
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
    private let sweepCount = Atomic<Int>(0)

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

    /// How often everything was removed: what began before must not come after.
    var sweeps: Int { sweepCount.load(ordering: .acquiring) }

    /// Changes what there is under a key, unless everything was removed since.
    func change(_ key: CacheKey, _ change: Change, since sweeps: Int? = nil, report: @escaping Report = { _ in }) {
        if isMemory, let memory {
            do {
                let isMade = try memory.apply(change, to: key) { sweeps.map { $0 == self.sweeps } ?? true }
                if isMade { report(nil) }
            } catch {
                report(error)
            }
            return
        }
        let isIdle = state.withLock { state -> Bool? in
            if let sweeps, sweeps != self.sweeps { return nil }
            let old = state.pending[key]
            if case .renew = change, old != nil { return nil }
            state.lastNumber += 1
            state.pending[key] = Pending(change: change, report: report, number: state.lastNumber)
            if old == nil { pendingCount.add(1, ordering: .releasing) }
            return old == nil
        }
        if isIdle == true { Task { await carryOut(key) } }
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
            let waiters = state.withLock { state -> [CheckedContinuation<Void, Never>] in
                guard state.pending[key]?.number == pending.number else { return [] }
                state.pending[key] = nil
                pendingCount.subtract(1, ordering: .releasing)
                guard state.pending.isEmpty else { return [] }
                defer { state.waiters = [] }
                return state.waiters
            }
            for waiter in waiters { waiter.resume() }
        }
    }

    /// Returns when everything has got to the store.
    func finish() async {
        await withCheckedContinuation { continuation in
            let isDone = state.withLock { state in
                if !state.pending.isEmpty { state.waiters.append(continuation) }
                return state.pending.isEmpty
            }
            if isDone { continuation.resume() }
        }
    }

    /// Removes everything whose key begins so, also what is on its way.
    func removeAll(in scope: CacheKey) async throws {
        await sweep { $0.hasPrefix(scope) }
        defer { countSweep() }
        try await store.remove(prefix: scope)
    }

    /// Removes everything with a tag, also what is on its way.
    func removeAll(tagged tag: String) async throws {
        await sweep { _ in false }
        defer { countSweep() }
        try await store.remove(tag: tag)
    }

    /// Has nothing kept any more that is asked for by now, and waits for what is being written.
    private func sweep(dropping isDropped: (CacheKey) -> Bool) async {
        state.withLock { state in
            countSweep()
            for key in state.pending.keys where isDropped(key) { state.pending[key]?.change = .remove }
        }
        await finish()
    }

    /// Before something is removed, and after that: whoever began in between may have found it still.
    private func countSweep() {
        sweepCount.add(1, ordering: .releasing)
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
