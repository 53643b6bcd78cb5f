import Synchronization

extension FileEngine {
    func reader(for key: CacheKey) throws -> CacheReader? {
        let place = folder.place(of: key)
        let content = try EntryFile.Reader.open(place.path, on: files)
        guard let (reader, status) = try whole(content, key, place), reader.item.key == key else { return nil }
        let item = reader.item
        guard !isOver(written: item.written, expires: item.expires, pinned: item.pinned) else {
            release(place, status)
            return nil
        }
        touch(place, status)
        let firstReport = FirstReport()
        return CacheReader(item: item) {
            try await IO.run {
                do {
                    return try reader.next()
                } catch let error as CacheError where error.code == .damaged {
                    if firstReport.isFirst { self.discard(place, status, key, error.message) }
                    throw error
                }
            }
        }
    }

    /// Ensures that damage is reported once, however often its reader is used.
    private final class FirstReport: Sendable {
        private let isMade = Atomic(false)

        /// True for the first access.
        var isFirst: Bool { !isMade.exchange(true, ordering: .relaxed) }
    }

    func writer(for key: CacheKey, entry: CacheEntry) throws -> any CacheWriter.Target {
        var entry = entry
        if entry.written == nil { entry.written = clock.now }
        let stamped = entry
        let base = key.count + Facts.encode(entry).count + DiskFill.overhead
        try room.check(base + entry.body.count)
        let (writer, _) = try folder.create { path in
            try EntryFile.Writer(stamped, for: key, to: path, on: files)
        }
        return Stream(engine: self, key: key, base: base, writer: writer)
    }

    /// The target of a writer: a file.
    private final class Stream: CacheWriter.Target {
        private let engine: FileEngine
        private let key: CacheKey
        private let writer: EntryFile.Writer

        /// The size of the entry without its body.
        private let base: Int

        init(engine: FileEngine, key: CacheKey, base: Int, writer: EntryFile.Writer) {
            self.engine = engine
            self.key = key
            self.base = base
            self.writer = writer
        }

        nonisolated(nonsending) func write(_ portion: Data) async throws {
            try await IO.run { [engine, base, writer] in
                // Checked for each portion, so that an endless body does not fill the volume.
                try engine.room.check(base + writer.count + portion.count)
                try writer.append(portion)
            }
        }

        nonisolated(nonsending) func commit() async throws {
            try await IO.run { [engine, key, writer] in
                let size = try writer.finish(modified: engine.clock.now)
                guard try engine.publish(writer.path, size: size, at: engine.folder.place(of: key)) else {
                    throw CacheError(
                        .system, "Another program removed the temporary file \(writer.path). Write the entry again."
                    )
                }
                engine.inboxes.tell([.key(key)])
            }
        }

        func abandon() {
            writer.abandon()
        }
    }
}
