import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

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
        let complaint = Complaint()
        return CacheReader(item: item) {
            try await IO.run {
                do {
                    return try reader.next()
                } catch let error as CacheError where error.code == .damaged {
                    if complaint.isFirst { self.discard(place, status, key, error.message) }
                    throw error
                }
            }
        }
    }

    /// Sees that damage is reported once, however often its reader is asked.
    private final class Complaint: Sendable {
        private let isMade = Atomic(false)

        /// Whether nobody has asked before.
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

    /// The file that a writer writes to.
    private final class Stream: CacheWriter.Target {
        private let engine: FileEngine
        private let key: CacheKey
        private let writer: EntryFile.Writer

        /// What the entry counts for besides its body.
        private let base: Int

        init(engine: FileEngine, key: CacheKey, base: Int, writer: EntryFile.Writer) {
            self.engine = engine
            self.key = key
            self.base = base
            self.writer = writer
        }

        nonisolated(nonsending) func write(_ portion: Data) async throws {
            try await IO.run { [engine, base, writer] in
                // Not only at the end, so that a body without an end does not fill the volume.
                try engine.room.check(base + writer.count + portion.count)
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
