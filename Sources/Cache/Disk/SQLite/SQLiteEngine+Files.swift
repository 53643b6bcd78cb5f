extension SQLiteEngine {
    /// The number of times to read a row again if the file of the body is replaced meanwhile.
    private static let attempts = 100

    /// Reads the content under a key, from its row or from the file that the row names.
    ///
    /// The file may be missing when it is opened, because the entry was replaced after its row was read. Then the row
    /// is read again. If the row still names that file, the file is lost.
    ///
    /// - Parameters:
    ///   - open: Opens the file at a path.
    ///   - row: Converts an entry that is in its row.
    ///   - file: Converts the content of a file. Returns nil if the file belongs to another key.
    func settle<Value, Result>(
        _ key: CacheKey, open: (String) throws -> EntryFile.Content<Value>, row: (CacheEntry) -> Result,
        file: (Value, Int64) -> Result?
    ) throws -> Result? {
        var missing: Int64?
        for _ in 0..<Self.attempts {
            let now = clock.roughly
            switch try read({ reader in try reader.find(key) { row in look(at: row, now: now) } }) {
            case nil, .over?: return nil
            case .entry(let entry)?: return row(entry)
            case .damaged(let id, let checksum)?:
                discard(key, "its row does not match its checksum") { transaction in
                    try transaction.remove(id) { $0.storedChecksum == checksum }
                }
                return nil
            case .file(let number, _)?:
                switch try open(bodies.path(of: number)) {
                case .found(let value):
                    if let result = file(value, number) { return result }
                    discard(key, number, "its file belongs to another entry")
                    return nil
                case .damaged(let reason):
                    discard(key, number, reason)
                    return nil
                case .missing where missing == number:
                    discard(key, number, "its file is missing")
                    return nil
                case .missing: missing = number
                }
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
        guard role.mayRepair else { return }
        writer.submit(removal) { [self] result in
            if case .failure(let error) = result { reportFailure(error) }
        }
    }

    /// Reports a failure of work in the background.
    func reportFailure(_ error: any Error) {
        let error = told(error)
        let failure = error as? CacheError ?? CacheError(.system, "\(error)", underlying: error)
        // A closed store needs no work: the next store on the folder continues.
        if failure.code != .closed { report(.failed(failure)) }
    }
}
