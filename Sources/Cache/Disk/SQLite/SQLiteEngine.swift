#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Entries as rows of a database, and the bodies of large ones as files beside it.
final class SQLiteEngine: DiskEngine {
    /// Bodies above this are files: from here on a file is faster to write and to read than a row.
    static let threshold = 16 << 10

    /// How often a read is tried while others replace the database, too.
    private static let attempts = 10

    /// Files up to this are read on the caller's thread, if that need not wait for the disk.
    private static let nimble = 256 << 10

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

    /// Opens what is written to: no database where nothing can be written, but what is there can be read.
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

    /// What a row has for a reader.
    enum Found: Sendable {
        case entry(CacheEntry)
        /// The body, of so many bytes, is in a file.
        case file(Int64, length: Int64)
        case over
        /// The row is not what was written: where it is, and its checksum.
        case damaged(Int64, UInt64)
    }

    /// - Parameter now: The time, which is asked for before a connection is taken: the clock may be the user's.
    @inline(__always)
    func look(at row: Row, now: Double) -> Found {
        if row.isOver(at: now, age: age) { return .over }
        if touches.add(row.id) { noteTouches() }
        if let file = row.file { return .file(file, length: row.length) }
        guard let entry = row.entry() else { return .damaged(row.id, row.storedChecksum) }
        return .entry(entry)
    }

    func glance(_ key: CacheKey) throws -> Glance {
        do {
            let now = clock.roughly
            let found = try readers.glance { reader in
                try reader.find(key) { row in look(at: row, now: now) } ?? .over
            }
            guard let found else { return .elsewhere }
            return switch found {
            case .entry(let entry): .entry(entry)
            case .over: .nothing
            case .file(let file, let length): length <= Self.nimble ? glance(at: file, of: key) : .elsewhere
            case .damaged: .elsewhere
            }
        } catch is SQLiteFailure {
            // Where one may wait, the same read says what is wrong, if anything.
            return .elsewhere
        }
    }

    /// Reads a file that is in memory anyway and is not large: that takes less than to change threads.
    private func glance(at file: Int64, of key: CacheKey) -> Glance {
        var files = files
        files.isPatient = false
        // Whatever is amiss is looked into where one may wait.
        let content = try? EntryFile.read(bodies.path(of: file), expecting: key, on: files)
        guard case .found(let stored, _)? = content, stored.key == key else { return .elsewhere }
        return .entry(stored.entry)
    }

    func glanceMany(_ keys: [CacheKey]) throws -> [CacheEntry?]? {
        do {
            let now = clock.roughly
            return try readers.glance { reader in
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

    func get(_ key: CacheKey) throws -> CacheEntry? {
        try settle(key) { path in
            try EntryFile.read(path, expecting: key, on: files)
        } row: { entry in
            entry
        } file: { stored, _ in
            stored.key == key ? stored.entry : nil
        }
    }

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

    /// Reads with a connection that may wait. What finds damage is tried once more with a new connection; then a database
    /// that is damaged, or gone, is replaced, and read again.
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
                try kept { try connection.recover(from: error, seen: generation) }
            } catch let failure as SQLiteFailure {
                throw CacheError(failure, at: place.database)
            }
        }
        return try kept { try readers.read(body) }
    }

    /// Turns what SQLite says into what a user is told.
    func kept<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let failure as SQLiteFailure {
            throw CacheError(failure, at: place.database)
        } catch is Moved {
            throw CacheError(
                .system, "The folder \(place.folder) is removed or replaced again and again: leave it there.")
        } catch let other as OtherEngine {
            throw CacheError(other, at: place.folder)
        }
    }

    // MARK: Writing

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

    private func submit(_ records: [Record], _ finish: @escaping @Sendable (Result<Int, any Error>) -> Void) {
        writer.submit(
            bytes: records.reduce(0) { $0 + Int($1.charge) },
            { transaction in
                for record in records { try transaction.set(record) }
                return records.count
            }, finish: finish)
    }

    /// Writes the files that are needed, then the rows.
    private func setLarge(
        _ entries: [(key: CacheKey, entry: CacheEntry)], _ finish: @escaping @Sendable (Result<Int, any Error>) -> Void
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
            publish(records, written, finish)
        } catch {
            bodies.remove(written)
            finish(.failure(error))
        }
    }

    /// Writes rows whose files are there, on this thread if nobody else is writing.
    func publish(
        _ records: [Record], _ written: [Int64], _ finish: @escaping @Sendable (Result<Int, any Error>) -> Void
    ) {
        let bodies = bodies
        writer.submitHere(
            { transaction in
                for record in records { try transaction.set(record) }
                return records.count
            },
            finish: { result in
                if case .failure = result { bodies.remove(written) }
                finish(result)
            })
    }

    @discardableResult
    nonisolated(nonsending) func remove(_ keys: [CacheKey]) async throws -> Int {
        try await perform { transaction in
            try keys.reduce(0) { count, key in try count + transaction.remove(key) }
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
            return try kept { throw error }
        } catch let error {
            return error as any Error
        }
    }

    // MARK: What is there

    func fill() throws -> DiskFill {
        let totals = try read { reader in try Totals(in: reader.database) }
        return DiskFill(
            count: Int(totals.count), bytes: Int(totals.bytes), pinnedCount: Int(totals.pinnedCount),
            pinnedBytes: Int(totals.pinnedBytes))
    }

    /// Closes the parts: those that use the store through them alone, listings and writers, are done by now.
    deinit {
        let parts = (writer, readers, connection, bodies)
        IO.submit { Self.close(parts) }
    }

    func close() {
        Self.close((writer, readers, connection, bodies))
    }

    private static func close(_ parts: (Writer, Readers, Connection, Bodies)) {
        parts.0.close()
        parts.1.close()
        parts.2.close()
        parts.3.close()
    }
}
