extension SQLiteEngine {
    /// How often a body's file may be replaced between reading its row and opening it, before somebody is to blame.
    private static let attempts = 100

    /// Finds what there is under a key: in its row, or in the file that the row names.
    ///
    /// The file may be gone when it is opened, because the entry was replaced after its row was read: then the row is
    /// read again. If the row still names it, it is lost.
    ///
    /// - Parameters:
    ///   - open: Opens the file at a path.
    ///   - row: What becomes of an entry that is in its row.
    ///   - file: What becomes of a file of this number; nil if it is not that of the key.
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
                discard(key, "its row is not what was written") { transaction in
                    try transaction.remove(id) { $0.storedChecksum == checksum }
                }
                return nil
            case .file(let number, _)?:
                switch try open(bodies.path(of: number)) {
                case .found(let value, _):
                    if let result = file(value, number) { return result }
                    discard(key, number, "its file is that of another entry")
                    return nil
                case .damaged(let reason, _):
                    discard(key, number, reason)
                    return nil
                case .missing where missing == number:
                    discard(key, number, "its file is gone")
                    return nil
                case .missing: missing = number
                }
            }
        }
        throw CacheError(.busy, "The entry \(key) is replaced faster than it can be read: try again.")
    }

    /// Removes an entry whose file is damaged, unless it has been replaced.
    func discard(_ key: CacheKey, _ file: Int64, _ reason: String) {
        discard(key, reason) { transaction in
            try transaction.remove(key) { $0.file == file }
        }
    }

    /// Removes a damaged entry, unless it has been replaced, and says so. The reader does not wait for that.
    private func discard(_ key: CacheKey, _ reason: String, _ removal: @escaping @Sendable (Transaction) throws -> Int)
    {
        report(.damaged(key: key, reason: reason))
        guard role.mayRepair else { return }
        writer.submit(removal) { [self] result in
            if case .failure(let error) = result { reportFailure(error) }
        }
    }

    /// Reports that work in the background has failed.
    func reportFailure(_ error: any Error) {
        let error = told(error)
        let failure = error as? CacheError ?? CacheError(.system, "\(error)", underlying: error)
        // A store that is closed is left as it is: the next one that opens the folder goes on.
        if failure.code != .closed { report(.failed(failure)) }
    }
}
