import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension EntryFile {
    /// Reads the body of a file in portions, each of which is verified before it is returned.
    ///
    /// It keeps the file open, so it reads to the end even if the file is removed or another takes its place.
    final class Reader: Sendable {
        /// How much is read at a time.
        private static let portion = 4 * EntryFile.block

        /// The entry as it is listed.
        let item: CacheItem

        private let file: File
        private let header: Header
        private let sums: [UInt64]
        /// The number of the next block.
        private let position = Mutex(0)

        private init(_ file: consuming File, _ outline: (item: CacheItem, header: Header, sums: [UInt64])) {
            self.file = file
            (item, header, sums) = outline
        }

        /// Opens the file at a path.
        static func open(_ path: String, on files: FileSystem) throws -> Content<Reader> {
            guard let file = try files.open(path) else { return .missing }
            switch try EntryFile.content(of: file, { file, size in try EntryFile.outline(of: file, size: size) }) {
            case .missing: return .missing
            case .damaged(let reason, let status): return .damaged(reason: reason, status)
            case .found(let outline, let status): return .found(Reader(file, outline), status)
            }
        }

        /// The next portion, nil at the end. Throws `.damaged` if it is not what was written.
        func next() throws -> Data? {
            try position.withLock { position in
                let start = position * EntryFile.block
                guard start < header.bodyCount else { return nil }
                var portion = Data(count: min(Self.portion, header.bodyCount - start))
                do {
                    try portion.withUnsafeMutableBytes { bytes in
                        let read = try file.read(into: bytes, at: header.bodyOffset + start)
                        try EntryFile.whole(read, bytes.count)
                        try verify(UnsafeRawBufferPointer(bytes), from: position)
                    }
                } catch let damage as Damage {
                    throw CacheError(
                        .damaged,
                        "The entry \(item.key) was damaged while it was kept: \(damage.reason). Fetch it anew.")
                }
                position += EntryFile.blocks(portion.count)
                return portion
            }
        }

        private func verify(_ bytes: UnsafeRawBufferPointer, from first: Int) throws {
            for number in 0..<EntryFile.blocks(bytes.count) {
                let part = bytes[(number * EntryFile.block)..<min((number + 1) * EntryFile.block, bytes.count)]
                try EntryFile.verify(UnsafeRawBufferPointer(rebasing: part), first + number, sums[first + number])
            }
        }
    }
}
