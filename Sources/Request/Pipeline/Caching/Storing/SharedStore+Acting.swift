/// The execution of what the queue of a store decides.
extension SharedStore {
    /// Performs the work that a transition of the queue leaves: at once if the store is in memory, otherwise in tasks.
    func run(_ effects: StoreQueue.Effects) {
        notify(effects)
        guard !effects.steps.isEmpty else { return }
        guard let memory, isMemory else {
            for step in effects.steps { Task { await carryOut(step) } }
            return
        }
        // Each pass performs the steps that the last one has left.
        var steps = effects.steps
        while !steps.isEmpty {
            steps = steps.flatMap { step in
                let effects = perform(step, in: memory)
                notify(effects)
                return effects.steps
            }
        }
    }

    /// Performs a step, then the last of the steps that it leaves, and so on. Tasks of their own perform the others.
    private func carryOut(_ step: StoreQueue.Step) async {
        var next: StoreQueue.Step? = step
        while let step = next {
            var effects = await perform(step)
            next = effects.steps.popLast()
            run(effects)
        }
    }

    private func notify(_ effects: StoreQueue.Effects) {
        for waiter in effects.waiters { waiter.resume() }
        for (report, outcome) in effects.reports { report(outcome) }
    }

    private func perform(_ step: StoreQueue.Step) async -> StoreQueue.Effects {
        switch step {
        case .load(let key, let line):
            var tags: [String] = []
            var needsMoment = false
            update { queue in
                tags = queue.hiddenTags
                needsMoment = queue.needsMoment(key, line: line)
            }
            do {
                let (entry, since) = try await entryToEdit(key, needsMoment: needsMoment)
                let base = entry?.hasTag(of: tags) == true ? nil : entry
                return transition { $0.loaded(key, line: line, base, since: since) }
            } catch {
                return transition { $0.loadFailed(key, line: line, error) }
            }
        case .write(let key, let line, let entry, let old, let since):
            return await write(key, line, entry, over: old, since: since)
        case .sweep(let number, let scope):
            var failure: (any Error)?
            do { try await store.remove(scope) } catch { failure = error }
            return transition { $0.swept(number, failure) }
        }
    }

    private func write(
        _ key: CacheKey, _ line: Int, _ entry: CacheEntry?, over old: CacheEntry?, since moment: CacheMoment?
    ) async -> StoreQueue.Effects {
        do {
            let image = try StoreImage(entry, over: old, under: key)
            guard try await write(image, under: key, since: moment) else {
                return transition { $0.written(key, line: line, stored: nil, .unchanged) }
            }
            return written(image, of: entry, key, line)
        } catch {
            // The old entry is out of date, so it is removed.
            let isRemoved = (try? await store.remove(key)) != nil
            if let bodies = try? StoreImage(nil, over: old, under: key).obsolete, !bodies.isEmpty {
                try? await store.removeMany(bodies)
            }
            return transition { $0.written(key, line: line, stored: nil, .failed(error), isUncertain: !isRemoved) }
        }
    }

    /// Ends a write. Before that, it passes the outputs that calls have decoded meanwhile to the memory of the store.
    private func written(_ image: StoreImage, of entry: CacheEntry?, _ key: CacheKey, _ line: Int) -> StoreQueue.Effects
    {
        // The written form of an entry has no decoded outputs.
        var given = (entry?.object as? StoredResponses).flatMap { $0.decoded.isEmpty ? $0 : nil }
        while true {
            var pending: StoredResponses?
            let effects = transition { queue in
                pending = queue.responses(key, line: line)
                if pending == nil || pending === given { queue.written(key, line: line, stored: image.entry, .done) }
            }
            guard let pending, pending !== given else { return effects }
            given = pending
            give(pending.decoded, of: image, to: memory, under: key)
        }
    }

    private func give(
        _ decoded: [StoredResponses.Decoded], of image: StoreImage, to memory: MemoryStore?, under key: CacheKey
    ) {
        // The store has set the time of writing, so its entry is no longer that of the image.
        guard let memory, let present = memory.peek(key, isUse: false),
            let written = image.entry?.object as? StoredResponses,
            let responses = present.object as? StoredResponses, responses.all.map(\.id) == written.all.map(\.id)
        else { return }
        memory.attach(StoredResponses(written.all, decoded: decoded), to: present, under: key)
    }

    /// Writes an entry and its bodies. Returns false if the store refuses the entry, because it was removed since a
    /// moment.
    private func write(_ image: StoreImage, under key: CacheKey, since moment: CacheMoment?) async throws -> Bool {
        do {
            for body in image.bodies {
                let entry = CacheEntry(body: Data(), tags: image.entry?.tags ?? [])
                let writer = try await store.writer(for: body.key, entry: entry)
                try await writer.write(body.data)
                try await writer.commit()
            }
            switch (image.entry, moment) {
            case (let entry?, let moment?):
                guard try await store.set(entry, for: key, unlessRemovedSince: moment) else {
                    // Nothing refers to these bodies.
                    if !image.bodies.isEmpty { try? await store.removeMany(image.bodies.map(\.key)) }
                    return false
                }
            case (let entry?, nil): try await store.set(entry, for: key)
            case (nil, _): try await store.remove(key)
            }
        } catch {
            if !image.bodies.isEmpty { try? await store.removeMany(image.bodies.map(\.key)) }
            throw error
        }
        // Nothing refers to these bodies, so a failed removal has no effect on reads.
        if !image.obsolete.isEmpty { try? await store.removeMany(image.obsolete) }
        return true
    }

    // MARK: In memory

    private func perform(_ step: StoreQueue.Step, in memory: MemoryStore) -> StoreQueue.Effects {
        switch step {
        case .load(let key, let line):
            let base = memory.peek(key, isUse: false)
            return transition { $0.loaded(key, line: line, base) }
        case .write(let key, let line, let entry, let old, _):
            do {
                let image = try StoreImage(entry, over: old, under: key)
                for body in image.bodies {
                    try memory.put(CacheEntry(body: body.data, tags: image.entry?.tags ?? []), for: body.key)
                }
                if let entry = image.entry { try memory.put(entry, for: key) } else { memory.drop(key) }
                for key in image.obsolete { memory.drop(key) }
                return written(image, of: entry, key, line)
            } catch {
                memory.drop(key)
                return transition { $0.written(key, line: line, stored: nil, .failed(error)) }
            }
        case .sweep(let number, let scope):
            memory.drop(scope)
            return transition { $0.swept(number, nil) }
        }
    }
}
