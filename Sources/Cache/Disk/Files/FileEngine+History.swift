extension FileEngine {
    func momentAtOnce() -> CacheMoment? { nil }

    func moment() throws -> CacheMoment? {
        try log.position().moment
    }

    func changes() -> CacheChanges {
        feed.follow { Inboxes.Follower(inboxes) { [weak self] in self != nil } }
    }

    /// Stores an entry, unless it was removed since a position.
    ///
    /// There is no lock. The finished file waits under a name that all processes can find while the history is read. A
    /// removal is recorded first, then it removes such files, then entries. So either the removal is in the history that
    /// is read here, or it finds the file, here or at its final path.
    nonisolated(nonsending) func set(
        _ entry: CacheEntry, for key: CacheKey, unlessRemovedSince position: HistoryPosition
    ) async throws -> Bool {
        try await IO.run {
            try self.room.check(entry.body.count + key.count + DiskFill.overhead)
            let place = self.folder.place(of: key)
            for _ in 1...Self.attempts {
                if try self.log.isRemoved(key, tags: entry.tags, since: position) { return false }
                let file = try self.write(entry, for: key)
                let pending = self.folder.pending(file.path)
                guard try self.files.rename(file.path, to: pending) else { continue }
                if try self.isRemoved(key, entry, since: position, pending) { return false }
                if try self.publish(pending, size: file.size, at: place) {
                    self.inboxes.tell([.key(key)])
                    return true
                }
            }
            throw CacheError(
                .system, "Another program removes the temporary files in \(self.folder.path). Stop that program.")
        }
    }

    /// Returns whether an entry was removed. Then, or if that cannot be read, the pending file is removed.
    private func isRemoved(
        _ key: CacheKey, _ entry: CacheEntry, since position: HistoryPosition, _ pending: String
    ) throws -> Bool {
        var isRemoved = true
        defer { if isRemoved { _ = try? files.remove(pending) } }
        isRemoved = try log.isRemoved(key, tags: entry.tags, since: position)
        return isRemoved
    }

    /// Makes a removal, after it was recorded and the files that wait to be published were removed.
    func removing<Result>(_ removals: [CacheChange], _ work: () throws -> Result) throws -> Result {
        try log.note(removals, by: origin)
        for path in try folder.pendings() {
            if case .found(let item, _) = try EntryFile.item(path, on: files),
                !removals.contains(where: { $0.concerns(item.key, tags: item.tags) })
            {
                continue
            }
            try files.remove(path)
        }
        defer { inboxes.tell(removals) }
        return try work()
    }
}
