import Synchronization

/// Operations that overlap have the effect of one after the other. Each rule shifts one operation along the other.
extension Rule {
    static let overlaps: [Self] =
        [
            Self("A read during a `set` returns the old entry or the new one, with its own metadata.") { trial in
                let (old, new) = (entry(1), entry(2))
                let read = { @Sendable in try trial.expectOne(of: [old, new], got: try await trial.store.get("a")) }
                let write = { @Sendable in try await trial.store.set(new, for: "a") }
                let prepare = { @Sendable in try await trial.store.set(old, for: "a") }
                try await trial.overlap(write, read, prepare: prepare)
                try await trial.overlap(read, write, prepare: prepare)
            },
            Self("Of two `set`s of one key at once, one entry stays, with its own metadata.") { trial in
                let (one, other) = (entry(1), entry(2))
                try await trial.overlap {
                    try await trial.store.set(one, for: "a")
                } _: {
                    try await trial.store.set(other, for: "a")
                } check: {
                    try trial.expectOne(of: [one, other], got: try await trial.store.get("a"))
                }
            },
        ]
        + waysToRemove.map { name, remove in
            Self("`set(_:for:unlessRemovedSince:)` leaves no entry that \(name) removes at the same time.") { trial in
                guard try await trial.store.moment() != nil else { return }
                let other = try await trial.another()
                let remover = try await trial.isShared(with: other) ? other : trial.store
                let moment = Mutex<CacheMoment?>(nil)
                let stored = Sample.entry(7, tags: ["users"])
                let write = { @Sendable in
                    guard let moment = moment.withLock({ $0 }) else { return }
                    try await trial.store.set(stored, for: Trial.removedKey, unlessRemovedSince: moment)
                }
                for isWriteFirst in [true, false] {
                    try await trial.overlap(
                        { try await isWriteFirst ? write() : remove(remover) },
                        { try await isWriteFirst ? remove(remover) : write() },
                        prepare: {
                            try await trial.store.set(stored, for: Trial.removedKey)
                            let now = try await trial.store.moment()
                            moment.withLock { $0 = now }
                        },
                        check: {
                            // The memory of the other store may be behind, but not that of the store that has removed it.
                            try trial.expect(
                                nil, got: try await remover.get(Trial.removedKey), at: Trial.removedKey)
                        })
                }
            }
        }

    private static func entry(_ number: Int) -> CacheEntry {
        CacheEntry(body: Sample.bytes(20_000, of: number), metadata: ["sample": "\(number)"], tags: ["\(number)"])
    }
}

extension Trial {
    /// The number of times at which the second of two operations begins.
    private static let steps = 24

    /// Performs two operations at once, several times. The second one begins at other times while the first one runs.
    ///
    /// - Parameters:
    ///   - prepare: Called before each time.
    ///   - check: Called after each time.
    func overlap(
        _ first: @escaping @Sendable () async throws -> Void, _ second: @escaping @Sendable () async throws -> Void,
        prepare: @Sendable () async throws -> Void = {}, check: @Sendable () async throws -> Void = {}
    ) async throws {
        try await prepare()
        let clock = ContinuousClock()
        var span = try await clock.measure(first)
        for step in 0..<Self.steps {
            try await prepare()
            let began = Mutex(false)
            async let length = clock.measure {
                began.withLock { $0 = true }
                try await first()
            }
            while !began.withLock({ $0 }) { await Task.yield() }
            let start = clock.now
            while clock.now - start < span * step / Self.steps { await Task.yield() }
            try await second()
            // The first measurement may have been that of a machine with other work.
            span = min(span, try await length)
            try await check()
        }
    }

    /// Expects one of several entries under the key `a`.
    func expectOne(of entries: [CacheEntry], got: CacheEntry?) throws {
        let own = got.flatMap { got in entries.first { $0.metadata == got.metadata } }
        try expect(own ?? entries[0], got: got, at: "a")
    }
}
