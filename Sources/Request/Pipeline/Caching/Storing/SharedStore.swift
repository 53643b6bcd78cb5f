import Synchronization

/// The store of one or more clients, with the changes that have not reached it yet.
///
/// All clients of a store object share one instance. Calls do not wait for writes: all readers see a change at once,
/// and it reaches the store later, in order. The bytes that wait are bounded: see ``limit``. A store in memory is
/// changed at once, on the caller's thread.
///
/// If the store has a history, another process may have removed what waits to be written. So readers of a response wait
/// until it is written, or refused by the store.
final class SharedStore: Sendable {
    /// The result of a read that does not wait.
    enum Peek {
        case found(CacheEntry)
        case nothing
        case unknown
    }

    /// The bytes that may wait to be written. A change that finds no room removes the entry that it would have
    /// replaced.
    static let limit = 16 << 20

    let store: any CacheStore
    /// The log of changes. A response that was requested before a change is not cached after it.
    let changes = ChangeLog()
    /// The memory of the store, which can be read at once; nil if it has none.
    let memory: MemoryStore?
    /// A Boolean value that indicates whether the whole store is in memory, so that no operation waits.
    let isMemory: Bool
    /// A Boolean value that indicates whether the store knows the removals of all processes that use it.
    let hasHistory: Bool
    private let queue: Mutex<StoreQueue>
    /// The number of keys and sweeps in the queue.
    let pendingCount = Atomic<Int>(0)
    /// The longest time for which a reader waits for the changes and bodies before it. After that, it goes on without them.
    let waitLimit: Duration
    /// The longest time for which the reader of a response waits for a store that takes none of its bytes.
    var recordingWaitLimit: Duration { waitLimit * 5 }

    init(_ store: any CacheStore, waitLimit: Duration) {
        self.store = store
        self.waitLimit = waitLimit
        isMemory = store is MemoryStore
        hasHistory = store.hasHistory
        queue = Mutex(StoreQueue(hasHistory: hasHistory))
        memory = store as? MemoryStore ?? (store as? TieredStore)?.memory
    }

    private static let all = WeakTable<SharedStore>()

    /// Returns the instance that all clients of a store share.
    ///
    /// - Parameter waitLimit: The ``waitLimit`` of an instance that is created.
    static func of(_ store: any CacheStore, waitLimit: Duration = .seconds(1)) -> SharedStore {
        all.value(for: store) { SharedStore(store, waitLimit: waitLimit) }
    }

    /// A Boolean value that indicates whether reads can find entries in memory, without waiting.
    var isInMemory: Bool { memory != nil }

    /// A Boolean value that indicates whether changes wait, so that readers may see other entries than the store has.
    var isPending: Bool { pendingCount.load(ordering: .acquiring) > 0 }

    /// Changes the queue, and performs the work that this leaves.
    func update(_ body: (inout StoreQueue) -> Void) {
        run(transition(body))
    }

    /// Changes the queue. Returns the work that this leaves for the time after the lock.
    @inline(never)
    func transition(_ body: (inout StoreQueue) -> Void) -> StoreQueue.Effects {
        queue.withLock { queue in
            body(&queue)
            pendingCount.store(queue.count, ordering: .releasing)
            return queue.takeEffects()
        }
    }

    // MARK: Reading

    /// Returns the entry under a key, as far as it is known without waiting.
    ///
    /// - Parameter isUse: A Boolean value that indicates whether this counts as a use of the entry.
    func peek(_ key: CacheKey, isUse: Bool = true) -> Peek {
        var hiddenTags: [String] = []
        if isPending {
            switch view(of: key) {
            case .known(let entry): return entry.map(Peek.found) ?? .nothing
            case .loading, .changing: return .unknown
            case .stored(let tags): hiddenTags = tags
            }
        }
        guard let memory else { return .unknown }
        if let entry = memory.peek(key, isUse: isUse) {
            return entry.hasTag(of: hiddenTags) ? .nothing : .found(entry)
        }
        return isMemory ? .nothing : .unknown
    }

    /// Records a use of the entry in memory.
    func use(_ key: CacheKey) {
        _ = memory?.peek(key)
    }

    func get(_ key: CacheKey) async throws -> CacheEntry? {
        var mayWait = true
        while isPending {
            switch view(of: key, mayWait: mayWait) {
            case .known(let entry): return entry
            case .loading: await wait(.load(key), limit: nil)
            case .changing:
                await wait(.changes(key), limit: waitLimit)
                mayWait = false
            case .stored(let tags):
                let entry = try await store.get(key)
                return entry?.hasTag(of: tags) == true ? nil : entry
            }
        }
        return try await store.get(key)
    }

    private func view(of key: CacheKey, mayWait: Bool = true) -> StoreQueue.View {
        var view = StoreQueue.View.loading
        update { view = $0.peek(key, mayWait: mayWait) }
        return view
    }

    /// Attaches an object to its entry in memory, unless the entry was replaced.
    func attach(_ object: any Sendable, to entry: CacheEntry, under key: CacheKey) {
        guard let memory else { return }
        var isAttached = false
        if isPending { update { isAttached = $0.attach(object, to: entry, under: key) } }
        if isAttached { return }
        memory.attach(object, to: entry, under: key)
    }

    // MARK: Changing

    /// Changes the entry under a key. Returns false if too many bytes wait to be written; then the present entry is
    /// removed.
    ///
    /// - Parameter instead: The change that is made in that case, in place of the removal.
    @discardableResult
    func change(_ key: CacheKey, _ change: StoreChange, cost: Int = 0, instead: StoreChange.Kind? = nil) -> Bool {
        var refusal = change.condition?.moment.error
        var condition = change.condition
        if refusal != nil { condition?.moment = .absent }
        update { queue in
            if refusal == nil, !isMemory, queue.bytes > 0, queue.bytes + cost > Self.limit {
                refusal = CacheError(.busy, "Too many bytes wait for the store, so this is not cached.")
            }
            guard refusal != nil else { return queue.apply(change, to: key) }
            queue.apply(StoreChange(instead ?? .edit { $0 == nil ? .keep : .remove }, if: condition), to: key)
        }
        if let refusal { change.report(.failed(refusal)) }
        return refusal == nil
    }

    /// Makes changes. Returns once they have reached the store, or throws the first error.
    func carryOut(_ changes: [(key: CacheKey, kind: StoreChange.Kind)]) async throws {
        var failure: (any Error)?
        for (key, kind) in changes {
            let outcome = await outcome { report in change(key, StoreChange(kind, report: report)) }
            failure = failure ?? outcome.error
        }
        if let failure { throw failure }
    }

    /// Removes all entries in a scope, and calls a function when that has succeeded or failed. They are hidden at once.
    func remove(_ scope: CacheChange, report: @escaping StoreChange.Report) {
        update { $0.sweep(scope, report) }
    }

    /// Removes all entries in a scope. Returns once they are removed. If that fails, they stay hidden.
    func remove(_ scope: CacheChange) async throws {
        let outcome = await outcome { report in remove(scope, report: report) }
        if let error = outcome.error { throw error }
    }

    /// Removes what the files of the store still contain of removed entries.
    func removeTraces() async throws {
        try await (store as? any TracingStore)?.removeTraces()
    }

    private func outcome(_ work: (@escaping StoreChange.Report) -> Void) async -> StoreChange.Outcome {
        await withCheckedContinuation { continuation in
            work { continuation.resume(returning: $0) }
        }
    }
}

extension CacheEntry {
    func hasTag(of tags: [String]) -> Bool {
        tags.contains { tag in self.tags.contains { $0.hasSameBytes(as: tag) } }
    }
}
