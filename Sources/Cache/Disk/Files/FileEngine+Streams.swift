#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension FileEngine {
    func reader(for key: CacheKey) throws -> CacheReader? {
        let place = folder.place(of: key)
        let content = try EntryFile.Reader.open(place.path, on: files)
        guard let (reader, status) = whole(content, key, place), reader.item.key == key else { return nil }
        guard !isOver(written: reader.item.written, expires: reader.item.expires) else {
            _ = try? room.remove(place, ifStill: status)
            return nil
        }
        touch(place, status)
        return CacheReader(item: reader.item) {
            try await IO.run {
                do {
                    return try reader.next()
                } catch let error as CacheError where error.code == .damaged {
                    self.discard(place, status, key, error.message)
                    throw error
                }
            }
        }
    }

    func writer(for key: CacheKey, entry: CacheEntry) throws -> any CacheWriter.Target {
        var entry = entry
        if entry.written == nil { entry.written = clock.now }
        let stamped = entry
        let (writer, _) = try folder.create { path in
            try EntryFile.Writer(stamped, for: key, to: path, on: files)
        }
        return Stream(engine: self, key: key, writer: writer)
    }

    /// The file that a writer writes to.
    private final class Stream: CacheWriter.Target {
        private let engine: FileEngine
        private let key: CacheKey
        private let writer: EntryFile.Writer

        init(engine: FileEngine, key: CacheKey, writer: EntryFile.Writer) {
            self.engine = engine
            self.key = key
            self.writer = writer
        }

        nonisolated(nonsending) func write(_ portion: Data) async throws {
            try await IO.run { [engine, key, writer] in
                // Not only at the end, so that a body without an end does not fill the volume.
                try engine.room.check(writer.count + portion.count + key.count + DiskFill.overhead)
                try writer.append(portion)
            }
        }

        nonisolated(nonsending) func commit() async throws {
            try await IO.run { [engine, key, writer] in
                let size = try writer.finish(modified: engine.clock.now)
                guard try engine.publish(writer.path, size: size, at: engine.folder.place(of: key)) else {
                    throw CacheError(
                        .system, "The temporary file \(writer.path) was removed by somebody else: write the entry anew."
                    )
                }
            }
        }

        func abandon() {
            writer.abandon()
        }
    }
}
