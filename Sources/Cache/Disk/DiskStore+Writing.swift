extension DiskStore {
    /// The size above which a body is a file. From here on a file is faster to write and to read than a row.
    static let threshold = 16 << 10

    /// Stores entries and returns their number.
    ///
    /// - Parameter position: None is stored if one of them was removed since then.
    nonisolated(nonsending) func set(
        _ entries: [(key: CacheKey, entry: CacheEntry)], unlessRemovedSince position: HistoryPosition?
    ) async throws -> Int {
        try checkOpen()
        if schedule.isDue { inBackground { try await self.maintain() } }
        let entries = try entries.map { ($0.key, try stamped($0.entry, for: $0.key)) }
        return try await IO.result { finish in submit(entries, unlessRemovedSince: position, finish) }
    }

    /// Returns the entry with a time of writing. Throws if one of its dates is not a number.
    func stamped(_ entry: CacheEntry, for key: CacheKey) throws -> CacheEntry {
        try entry.validate(for: key)
        guard entry.written == nil else { return entry }
        var entry = entry
        entry.written = clock.now
        return entry
    }

    func submit(
        _ entries: [(key: CacheKey, entry: CacheEntry)], unlessRemovedSince position: HistoryPosition?,
        _ finish: @escaping @Sendable (Result<Int, any Error>) -> Void
    ) {
        guard entries.allSatisfy({ $0.entry.body.count <= Self.threshold }) else {
            return IO.submit { self.setLarge(entries, unlessRemovedSince: position, finish) }
        }
        let records = entries.map { Record(key: $0.key, entry: $0.entry) }
        writer.submit(bytes: records.reduce(0) { $0 + Int($1.charge) }) { transaction in
            try transaction.set(records, unlessRemovedSince: position)
        } finish: { result in
            finish(result.mapError(self.userError))
        }
    }

    /// Writes the needed files, then the rows.
    private func setLarge(
        _ entries: [(key: CacheKey, entry: CacheEntry)], unlessRemovedSince position: HistoryPosition?,
        _ finish: @escaping @Sendable (Result<Int, any Error>) -> Void
    ) {
        var written: [Int64] = []
        do {
            var records: [Record] = []
            for (key, entry) in entries {
                guard entry.body.count > Self.threshold else {
                    records.append(Record(key: key, entry: entry))
                    continue
                }
                let file = try bodies.write(entry, for: key)
                written.append(file)
                var rest = entry
                rest.body = Data()
                records.append(Record(key: key, entry: rest, file: file, length: entry.body.count))
            }
            publish(records, written, unlessRemovedSince: position, finish)
        } catch {
            bodies.remove(written)
            finish(.failure(userError(error)))
        }
    }

    /// Writes rows whose files exist, on this thread if no other is writing.
    func publish(
        _ records: [Record], _ written: [Int64], unlessRemovedSince position: HistoryPosition? = nil,
        _ finish: @escaping @Sendable (Result<Int, any Error>) -> Void
    ) {
        writer.submitHere { transaction in
            try transaction.set(records, unlessRemovedSince: position)
        } finish: { result in
            if case .success(1...) = result {} else { self.bodies.remove(written) }
            finish(result.mapError(self.userError))
        }
    }

    // MARK: Changes

    /// Makes a change and returns its result, after it is committed.
    @discardableResult
    nonisolated(nonsending) func perform(_ work: @escaping @Sendable (Transaction) throws -> Int) async throws -> Int {
        do {
            return try await writer.perform(work)
        } catch {
            throw userError(error)
        }
    }

    /// Makes a change for which no caller waits.
    func submitInBackground(_ work: @escaping @Sendable (Transaction) throws -> Int) {
        writer.submit(work) { result in
            if case .failure(let error) = result { self.reportFailure(error) }
        }
    }

    /// Makes a change on this thread. The change may run several times.
    func transact(_ work: (Transaction) throws -> Void) throws {
        var events: [CacheEvent] = []
        defer { events.forEach(report) }
        try translating { try connection.transaction(now: clock.roughly, &events, work) }
    }
}
