/// Waiting for changes, and the history of a store that several processes share. Its removals are those of all
/// processes, while the log of changes has only those of this one.
extension SharedStore {
    /// Returns once all changes so far have reached the store. It waits for a later change only if that replaces an
    /// earlier one.
    func finish() async {
        await wait(.everything, limit: nil)
    }

    /// Waits for work in the queue, but not longer than for a time.
    func wait(_ wait: StoreQueue.Wait, limit: Duration?) async {
        var number = 0
        update { number = $0.nextNumber() }
        let timer = limit.map { limit in
            Task { [number] in
                guard (try? await Task.sleep(for: limit)) != nil else { return }
                update { $0.stopWaiting(number) }
            }
        }
        await withCheckedContinuation { continuation in
            update { $0.add(continuation, wait, number: number) }
        }
        timer?.cancel()
    }

    /// Performs a job that leads to a change of a key, in a task of its own. ``finish()`` and readers of the key wait
    /// for it.
    func carryOut(under key: CacheKey, _ work: @escaping @Sendable () async -> Void) {
        var number = 0
        update { number = $0.beginJob(key) }
        Task { [number] in
            await work()
            update { $0.endJob(number) }
        }
    }

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
        if isPending { await wait(.removals(key(), tags: tags()), limit: waitLimit) }
        return await presentMoment()
    }

    private func presentMoment() async -> StoreMoment {
        do {
            guard let moment = try await store.moment() else { return .absent }
            // Numbered after it was read: a moment with a lower number is valid for requests of both.
            var number = 0
            update { number = $0.nextNumber() }
            return .taken(moment, number: number)
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
        if since?.error != nil { return (nil, since) }
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
}
