extension DiskStore {
    /// The number of times to retry a read while other processes replace the database, or the file of a body.
    private static let attempts = (database: 10, file: 100)

    /// The size up to which a file is read on the caller's thread, if that need not wait for the disk.
    private static let inlineFileLimit = 256 << 10

    /// The number of keys that may be read on the caller's thread.
    private static let inlineKeyLimit = 32

    // MARK: Rows

    enum Found {
        case nothing
        case entry(CacheEntry)
        /// The body is in a file of this length.
        case file(Int64, length: Int64)
        /// The row is damaged: its number and its checksum.
        case damaged(Int64, UInt64)
    }

    /// - Parameter now: The time, read before a connection is taken, because the clock may be user code.
    @inline(never)
    private func find(_ key: CacheKey, _ reader: Reader, now: Double) throws -> Found {
        var found = Found.nothing
        try reader.find(key) { row in
            if row.isOver(at: now, age: limits.age?.seconds) { return }
            if recentReads.add(row.id) { recordReads() }
            if let file = row.file {
                found = .file(file, length: row.length)
            } else if let entry = row.entry() {
                found = .entry(entry)
            } else {
                found = .damaged(row.id, row.storedChecksum)
            }
        }
        return found
    }

    /// Reads the rows of several keys in one snapshot. Returns the indices of those that take more than their row.
    private func find(
        _ keys: [CacheKey], _ reader: Reader, now: Double, into entries: inout [CacheEntry?]
    ) throws -> [Int] {
        try reader.database.reading {
            var open: [Int] = []
            for (index, key) in keys.enumerated() {
                switch try find(key, reader, now: now) {
                case .entry(let entry): entries[index] = entry
                case .nothing: entries[index] = nil
                case .file, .damaged: open.append(index)
                }
            }
            return open
        }
    }

    // MARK: Reading on the caller's thread

    /// Returns the entry under a key if that needs neither a lock nor a read of the disk. Returns nil if it does, or if
    /// it fails: the same read on a thread that may wait reports the failure.
    func getAtOnce(_ key: CacheKey) -> CacheEntry?? {
        let now = clock.roughly
        var found: Found?
        try? readers.readAtOnce { reader in found = try find(key, reader, now: now) }
        switch found {
        case .nothing?: return .some(nil)
        case .entry(let entry)?: return entry
        case .file(let file, let length)? where length <= Self.inlineFileLimit: return getAtOnce(file, of: key)
        case .file?, .damaged?, nil: return nil
        }
    }

    /// Reads a file that is small and in the page cache, which is faster than changing threads.
    private func getAtOnce(_ file: Int64, of key: CacheKey) -> CacheEntry?? {
        var files = files
        files.mayWait = false
        guard let stored = try? EntryFile.read(bodies.path(of: file), expecting: key, on: files), stored.key == key
        else { return nil }
        return stored.entry
    }

    /// Does the same for several keys. Returns nil if one of them takes longer.
    func getManyAtOnce(_ keys: [CacheKey]) -> [CacheEntry?]? {
        guard keys.count <= Self.inlineKeyLimit else { return nil }
        let now = clock.roughly
        var entries: [CacheEntry?] = Array(repeating: nil, count: keys.count)
        var open: [Int]?
        try? readers.readAtOnce { reader in open = try find(keys, reader, now: now, into: &entries) }
        return open?.isEmpty == true ? entries : nil
    }

    // MARK: Reading on a thread that may wait

    func load(_ key: CacheKey) throws -> CacheEntry? {
        var stored: EntryFile.Stored?
        let found = try locate(key) { path in
            stored = try EntryFile.read(path, expecting: key, on: files)
            return stored?.key
        }
        return switch found {
        case .nothing, .damaged: nil
        case .entry(let entry): entry
        case .file: stored?.entry
        }
    }

    func loadMany(_ keys: [CacheKey]) throws -> [CacheEntry?] {
        var entries: [CacheEntry?] = Array(repeating: nil, count: keys.count)
        let now = clock.roughly
        let open = try read { reader in try find(keys, reader, now: now, into: &entries) }
        for index in open { entries[index] = try load(keys[index]) }
        return entries
    }

    /// Finds the content under a key, in its row or in the file that the row names. A damaged entry is removed, and
    /// counts as nothing.
    ///
    /// The file may be missing when it is opened, because the entry was replaced after its row was read. Then the row
    /// is read again. If the row still names that file, the file is lost.
    ///
    /// - Parameter open: Opens the file at a path and returns its key; nil if there is no file.
    func locate(_ key: CacheKey, _ open: (_ path: String) throws -> CacheKey?) throws -> Found {
        var missing: Int64?
        for _ in 0..<Self.attempts.file {
            let now = clock.roughly
            let found = try read { reader in try find(key, reader, now: now) }
            switch found {
            case .nothing, .entry: return found
            case .damaged(let id, let checksum):
                discard(key, "its row does not match its checksum") { transaction in
                    try transaction.remove(id) { $0.storedChecksum == checksum }
                }
                return .nothing
            case .file(let file, _):
                do {
                    let stored = try open(bodies.path(of: file))
                    if stored == key { return found }
                    if stored == nil, missing != file {
                        missing = file
                        continue
                    }
                    discard(key, file, stored == nil ? "its file is missing" : "its file belongs to another entry")
                } catch let damage as EntryFile.Damage {
                    discard(key, file, damage.reason)
                }
                return .nothing
            }
        }
        throw CacheError(.busy, "The entry \(key) is replaced faster than it can be read. Try again.")
    }

    /// Removes an entry whose file is damaged, unless it has been replaced.
    func discard(_ key: CacheKey, _ file: Int64, _ reason: String) {
        discard(key, reason) { transaction in
            try transaction.remove(key) { $0.file == file }
        }
    }

    /// Removes a damaged entry, unless it has been replaced, and reports it. The reader does not wait for the removal.
    private func discard(_ key: CacheKey, _ reason: String, _ removal: @escaping @Sendable (Transaction) throws -> Int)
    {
        report(.damaged(key: key, reason: reason))
        if role.mayRepair { submitInBackground(removal) }
    }

    /// Reads with a connection that may wait. If the read finds damage, it is retried once with a new connection. After
    /// that, a damaged or missing database is replaced and read again.
    func read<Result>(_ body: (Reader) throws -> Result) throws -> Result {
        var result: Result?
        try readRepeatedly { reader in result = try body(reader) }
        guard let result else { throw CacheError.closed }
        return result
    }

    private func readRepeatedly(_ body: (Reader) throws -> Void) throws {
        try translating {
            var hasFoundDamage = false
            for _ in 0..<Self.attempts.database {
                let generation = readers.current
                do {
                    return try readers.read(body)
                } catch let failure as SQLiteFailure where failure.isDamage && !hasFoundDamage {
                    hasFoundDamage = true
                    readers.renew()
                } catch let error where error is Moved || (error as? SQLiteFailure)?.isDamage == true {
                    try connection.recover(from: error, seen: generation)
                }
            }
            try readers.read(body)
        }
    }

    // MARK: Errors

    /// Converts failures of SQLite to errors for the user.
    func userError(_ error: any Error) -> any Error {
        switch error {
        case let failure as SQLiteFailure: CacheError(failure, at: place.database)
        case is Moved:
            CacheError(
                .system, "Another program repeatedly removes or replaces the folder \(place.folder). Stop that program."
            )
        default: error
        }
    }

    func translating(_ work: () throws -> Void) throws {
        do { try work() } catch { throw userError(error) }
    }

    func reportFailure(_ error: any Error) {
        let error = userError(error)
        let failure = error as? CacheError ?? CacheError(.system, "\(error)", underlying: error)
        // A closed store needs no work: the next store on the folder continues.
        if failure.code != .closed { report(.failed(failure)) }
    }
}
