/// The storage of a disk store: entries as rows of a database, and the bodies of large entries as files beside it.
///
/// Methods that are not `async` block; the store calls them on suitable threads. Methods that are `async` leave the
/// caller's thread themselves and return to the caller's actor.
final class SQLiteEngine: Sendable {
    /// The size above which a body is a file. From here on a file is faster to write and to read than a row.
    static let threshold = 16 << 10

    /// The number of times to retry a read while other processes replace the database.
    private static let attempts = 10

    /// The size up to which a file is read on the caller's thread, if that need not wait for the disk.
    private static let inlineFileLimit = 256 << 10

    let place: Place
    let files: FileSystem
    let limits: CacheLimits
    let clock: WallClock
    let report: @Sendable (CacheEvent) -> Void
    let readers: Readers
    let connection: Connection
    let writer: Writer
    let bodies: Bodies
    let touches = Touches()
    let feed = ChangeFeed()

    let role: Role

    private let age: Double?

    init(
        folder: String, limits: CacheLimits, role: Role, clock: WallClock, files: FileSystem = FileSystem(),
        report: @escaping @Sendable (CacheEvent) -> Void
    ) throws {
        place = Place(folder: folder)
        self.files = files
        self.limits = limits
        self.clock = clock
        self.report = report
        age = limits.age?.seconds
        self.role = role
        let opening = Opening(place: place, files: files, role: role)
        let (database, bodies) = try Self.open(opening, now: clock.roughly, report)
        self.bodies = bodies
        readers = Readers(place.database, database == nil ? .frozen : .reader)
        connection = try Connection(
            database, opening, limits: limits, clock: clock, readers: readers, bodies: bodies, touches: touches,
            report: report)
        writer = Writer(connection)
        if role.isOwner, database != nil { maintainInBackground() }
    }

    /// Opens the database for writing. Returns nil if the folder cannot be written to but can be read.
    private static func open(
        _ opening: Opening, now: Double, _ report: (CacheEvent) -> Void
    ) throws -> (Database?, Bodies) {
        let place = opening.place
        var events: [CacheEvent] = []
        defer { events.forEach(report) }
        do {
            do {
                return (try opening.open(now: now, &events), try Bodies(place, opening.files, role: opening.role))
            } catch let error as CacheError where error.code == .readOnly && FileIdentity(of: place.database) != nil {
                try opening.checkFrozen()
                return (nil, try Bodies(place, opening.files, role: opening.role, isFrozen: true))
            }
        } catch let failure as SQLiteFailure {
            throw CacheError(failure, at: place.database)
        }
    }

    // MARK: Reading

    /// The content of a row for a reader.
    enum Found: Sendable {
        case entry(CacheEntry)
        /// The body is in a file of this length.
        case file(Int64, length: Int64)
        case over
        /// The row is damaged: its number and its checksum.
        case damaged(Int64, UInt64)
    }

    /// - Parameter now: The time, read before a connection is taken, because the clock may be user code.
    @inline(__always)
    func look(at row: Row, now: Double) -> Found {
        if row.isOver(at: now, age: age) { return .over }
        if touches.add(row.id) { noteTouches() }
        if let file = row.file { return .file(file, length: row.length) }
        guard let entry = row.entry() else { return .damaged(row.id, row.storedChecksum) }
        return .entry(entry)
    }

    /// Returns the entry under a key if that needs neither a lock nor a read of the disk. Meant for the caller's own
    /// thread.
    func getAtOnce(_ key: CacheKey) throws -> ImmediateResult {
        do {
            let now = clock.roughly
            let found = try readers.readAtOnce { reader in
                try reader.find(key) { row in look(at: row, now: now) } ?? .over
            }
            guard let found else { return .wouldBlock }
            return switch found {
            case .entry(let entry): .entry(entry)
            case .over: .nothing
            case .file(let file, let length):
                length <= Self.inlineFileLimit ? getAtOnce(at: file, of: key) : .wouldBlock
            case .damaged: .wouldBlock
            }
        } catch is SQLiteFailure {
            // The same read on a thread that may wait reports the failure, if any.
            return .wouldBlock
        }
    }

    /// Reads a file that is small and in the page cache, which is faster than changing threads.
    private func getAtOnce(at file: Int64, of key: CacheKey) -> ImmediateResult {
        var files = files
        files.mayWait = false
        // Failures are handled by the read that may wait.
        let content = try? EntryFile.read(bodies.path(of: file), expecting: key, on: files)
        guard case .found(let stored)? = content, stored.key == key else { return .wouldBlock }
        return .entry(stored.entry)
    }

    /// Does the same for several keys. Returns nil if one of them takes longer.
    func getManyAtOnce(_ keys: [CacheKey]) throws -> [CacheEntry?]? {
        do {
            let now = clock.roughly
            return try readers.readAtOnce { reader in
                try reader.database.reading {
                    var entries: [CacheEntry?] = []
                    entries.reserveCapacity(keys.count)
                    for key in keys {
                        switch try reader.find(key, { row in look(at: row, now: now) }) {
                        case .entry(let entry)?: entries.append(entry)
                        case nil, .over?: entries.append(nil)
                        case .file?, .damaged?: return nil
                        }
                    }
                    return entries
                }
            }
        } catch is SQLiteFailure {
            return nil
        }
    }

    /// Returns the entry under a key, or nil.
    func get(_ key: CacheKey) throws -> CacheEntry? {
        try settle(key) { path in
            try EntryFile.read(path, expecting: key, on: files)
        } row: { entry in
            entry
        } file: { stored, _ in
            stored.key == key ? stored.entry : nil
        }
    }

    /// Returns the entries under several keys, in their order.
    func getMany(_ keys: [CacheKey]) throws -> [CacheEntry?] {
        var entries: [CacheEntry?] = Array(repeating: nil, count: keys.count)
        var open: [Int] = []
        let now = clock.roughly
        try read { reader in
            open.removeAll()
            try reader.database.reading {
                for (index, key) in keys.enumerated() {
                    switch try reader.find(key, { row in look(at: row, now: now) }) {
                    case .entry(let entry)?: entries[index] = entry
                    case nil, .over?: entries[index] = nil
                    case .file?, .damaged?: open.append(index)
                    }
                }
            }
        }
        for index in open { entries[index] = try get(keys[index]) }
        return entries
    }

    /// Reads with a connection that may wait. If the read finds damage, it is retried once with a new connection. After
    /// that, a damaged or missing database is replaced and read again.
    func read<Result: Sendable>(_ body: (Reader) throws -> Result) throws -> Result {
        var hasFoundDamage = false
        for _ in 0..<Self.attempts {
            let generation = readers.current
            do {
                return try readers.read(body)
            } catch let failure as SQLiteFailure where failure.isDamage && !hasFoundDamage {
                hasFoundDamage = true
                readers.renew()
            } catch let error where error is Moved || (error as? SQLiteFailure)?.isDamage == true {
                try translating { try connection.recover(from: error, seen: generation) }
            } catch let failure as SQLiteFailure {
                throw CacheError(failure, at: place.database)
            }
        }
        return try translating { try readers.read(body) }
    }

    /// Converts failures of SQLite to errors for the user.
    func translating<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let failure as SQLiteFailure {
            throw CacheError(failure, at: place.database)
        } catch is Moved {
            throw CacheError(
                .system, "Another program repeatedly removes or replaces the folder \(place.folder). Stop that program."
            )
        }
    }

    // MARK: Writing

    /// Stores entries. Each has its time of writing.
    nonisolated(nonsending) func set(_ entries: [(key: CacheKey, entry: CacheEntry)]) async throws {
        _ = try await IO.result { tell in
            let finish = { @Sendable (result: Result<Int, any Error>) in tell(self.told(result)) }
            if entries.allSatisfy({ $0.entry.body.count <= Self.threshold }) {
                let records = entries.map { Record(key: $0.key, entry: $0.entry) }
                submit(records, finish)
            } else {
                IO.submit { self.setLarge(entries, finish) }
            }
        }
    }

    /// - Parameter position: The records are only written if none of them was removed since then.
    func submit(
        _ records: [Record], unlessRemovedSince position: HistoryPosition? = nil,
        _ finish: @escaping @Sendable (Result<Int, any Error>) -> Void
    ) {
        writer.submit(
            bytes: records.reduce(0) { $0 + Int($1.charge) },
            { transaction in try transaction.set(records, unlessRemovedSince: position) }, finish: finish)
    }

    /// Writes the needed files, then the rows.
    func setLarge(
        _ entries: [(key: CacheKey, entry: CacheEntry)], unlessRemovedSince position: HistoryPosition? = nil,
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
            finish(.failure(error))
        }
    }

    /// Writes rows whose files exist, on this thread if no other is writing.
    func publish(
        _ records: [Record], _ written: [Int64], unlessRemovedSince position: HistoryPosition? = nil,
        _ finish: @escaping @Sendable (Result<Int, any Error>) -> Void
    ) {
        let bodies = bodies
        writer.submitHere(
            { transaction in try transaction.set(records, unlessRemovedSince: position) },
            finish: { result in
                if case .success(1...) = result {} else { bodies.remove(written) }
                finish(result)
            })
    }

    /// Removes the entries under several keys and returns their number.
    @discardableResult
    nonisolated(nonsending) func remove(_ keys: [CacheKey]) async throws -> Int {
        try await perform { transaction in
            try keys.reduce(0) { count, key in
                try transaction.note(.key(key))
                return try count + transaction.remove(key)
            }
        }
    }

    nonisolated(nonsending) func perform(_ work: @escaping @Sendable (Transaction) throws -> Int) async throws -> Int {
        do {
            return try await writer.perform(work)
        } catch {
            throw told(error)
        }
    }

    func told(_ result: Result<Int, any Error>) -> Result<Int, any Error> {
        result.mapError { told($0) }
    }

    func told(_ error: any Error) -> any Error {
        do {
            return try translating { throw error }
        } catch let error {
            return error as any Error
        }
    }

    // MARK: Content

    /// Returns the size of the store.
    func fill() throws -> DiskFill {
        let totals = try read { reader in try Totals(in: reader.database) }
        return DiskFill(
            count: Int(totals.count), bytes: Int(totals.bytes), pinnedCount: Int(totals.pinnedCount),
            pinnedBytes: Int(totals.pinnedBytes))
    }

    /// Closes the parts. Listings and writers, which use them without the engine, have ended by now.
    deinit {
        feed.finish()
        let parts = (writer, readers, connection, bodies)
        IO.submit { Self.close(parts) }
    }

    /// Closes all open files.
    func close() {
        feed.finish()
        Self.close((writer, readers, connection, bodies))
    }

    private static func close(_ parts: (Writer, Readers, Connection, Bodies)) {
        parts.0.close()
        parts.1.close()
        parts.2.close()
        parts.3.close()
    }
}
