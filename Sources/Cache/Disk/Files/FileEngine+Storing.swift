extension FileEngine {
    /// The number of attempts to write an entry while another process removes temporary files.
    static let attempts = 3

    nonisolated(nonsending) func set(_ entries: [(key: CacheKey, entry: CacheEntry)]) async throws {
        try await IO.run {
            for (key, entry) in entries { try self.room.check(entry.body.count + key.count + DiskFill.overhead) }
            defer { self.inboxes.tell(entries.map { .key($0.key) }) }
            // Write all of them before the first is published, so that a full volume changes nothing.
            var written = try self.write(entries)[...]
            do {
                for (key, entry) in entries {
                    guard let file = written.popFirst() else { break }
                    try self.store(entry, for: key, file)
                }
            } catch {
                for file in written { _ = try? self.files.remove(file.path) }
                throw error
            }
        }
    }

    /// Moves a finished file to its final path, or removes it if that fails.
    func publish(_ temporary: String, size: Int, at place: EntryFolder.Place) throws -> Bool {
        do {
            return try room.publish(temporary, size: size, at: place)
        } catch {
            _ = try? files.remove(temporary)
            throw error
        }
    }

    /// A finished file in the folder for temporary files.
    typealias Written = (size: Int, path: String)

    /// Writes the files of all entries, or of none.
    private func write(_ entries: [(key: CacheKey, entry: CacheEntry)]) throws -> [Written] {
        var written: [Written] = []
        do {
            for (key, entry) in entries {
                let file = try write(entry, for: key)
                written.append(file)
                try room.check(DiskFill.charge(fileSize: file.size))
            }
            return written
        } catch {
            for file in written { _ = try? files.remove(file.path) }
            throw error
        }
    }

    func write(_ entry: CacheEntry, for key: CacheKey) throws -> Written {
        let (size, path) = try folder.create { path in
            try EntryFile.write(entry, for: key, to: path, modified: clock.now, on: files)
        }
        return (size, path)
    }

    private func store(_ entry: CacheEntry, for key: CacheKey, _ first: Written) throws {
        let place = folder.place(of: key)
        var file = first
        for attempt in 1...Self.attempts {
            if try publish(file.path, size: file.size, at: place) { return }
            if attempt < Self.attempts { file = try write(entry, for: key) }
        }
        throw CacheError(
            .system, "Another program removes the temporary files in \(folder.path). Stop that program.")
    }
}
