extension TieredStore {
    /// Removes entries from memory, but not from the backing store. Loads in flight do not bring them back.
    ///
    /// The store calls it for each element of ``CacheStore/changes()`` of the backing store. Call it yourself if another
    /// process changes a backing store that reports no changes.
    public func forget(_ change: CacheChange) {
        if case .key(let key) = change {
            state.withLock { $0.inFlight.beginWrite([key]) }
            memory.drop(key)
            state.withLock { $0.inFlight.endWrite([key]) }
        } else {
            state.withLock { $0.inFlight.beginSweep() }
            memory.drop(change)
            state.withLock { $0.inFlight.endSweep() }
        }
    }

    /// Forgets what other processes change, as long as the store exists.
    static func follow(_ changes: CacheChanges, for store: TieredStore) -> Task<Void, Never> {
        Task.detached { [weak store] in
            // Memory was empty at the beginning, so it need not forget entries that were stored since.
            var isFirst = true
            for await change in changes {
                if !isFirst || !changes.isComplete() { store?.forget(change) }
                isFirst = false
            }
        }
    }
}
