/// The history of a store that several processes share. Its removals are those of all processes, while the log of
/// changes has only those of this one.
extension SharedStore {
    /// Returns the moment to take before a request is sent. It costs at most one call of the store, and none if the
    /// store has no history.
    ///
    /// Removals of the response that this process has begun come before the moment, so that they do not prevent storing
    /// it. Removals of other responses are not waited for.
    ///
    /// - Parameters:
    ///   - key: The key of the response, if it is known.
    ///   - tags: The tags that the response may have.
    func moment(
        for key: @autoclosure () -> CacheKey?, tags: @autoclosure () -> Set<String>
    ) async -> StoreMoment {
        guard hasHistory else { return .absent }
        if pendingCount.load(ordering: .acquiring) > 0 {
            let (key, tags) = (key(), tags())
            await wait { queue, number, waiter in queue.waitForRemovals(of: key, tags: tags, number, waiter) }
        }
        return await presentMoment()
    }

    /// Returns the present moment.
    func presentMoment() async -> StoreMoment {
        do {
            guard let moment = try await store.moment() else { return .absent }
            // Numbered after it was read: a moment with a lower number is valid for requests of both.
            return .taken(moment, number: withQueue { $0.nextNumber() })
        } catch {
            return .unknown(error)
        }
    }

    /// Reads an entry that is to be edited, and the moment since which it must not be removed.
    ///
    /// The tier in front may still have an entry that another process has removed, so it is not used.
    ///
    /// - Parameter needsMoment: Pass false if all edits have moments, which are older.
    func entryToEdit(_ key: CacheKey, needsMoment: Bool) async throws -> (entry: CacheEntry?, since: StoreMoment?) {
        guard hasHistory else { return (try await store.get(key), nil) }
        let since = needsMoment ? await presentMoment() : nil
        if let error = since?.error { throw error }
        guard let tiered = store as? TieredStore else { return (try await store.get(key), since) }
        guard let entry = try await tiered.backing.get(key) else { return (nil, since) }
        // The copy in memory also has the outputs that were made of the responses.
        if let copy = memory?.peek(key, isUse: false), copy.body == entry.body, copy.metadata == entry.metadata,
            copy.tags == entry.tags
        {
            return (copy, since)
        }
        return (entry, since)
    }

    /// Waits for something in the queue, but not longer than for the time of ``patience``.
    ///
    /// - Parameter begin: Adds a waiter with a number. Returns false if there is nothing to wait for.
    func wait(_ begin: (inout StoreQueue, Int, StoreQueue.Waiter) -> Bool) async {
        let number = withQueue { $0.nextNumber() }
        let timer = Task {
            guard (try? await Task.sleep(for: patience)) != nil else { return }
            run(withQueue { $0.stopWaiting(number) })
        }
        await withCheckedContinuation { continuation in
            let waits = withQueue { begin(&$0, number, continuation) }
            if !waits { continuation.resume() }
        }
        timer.cancel()
    }
}
