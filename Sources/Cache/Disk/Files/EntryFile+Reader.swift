import Synchronization

extension EntryFile {
    /// Reads the body of a file in portions and verifies each.
    ///
    /// The file stays open, so that it can be read to its end even if it is removed or replaced.
    final class Reader: Sendable {
        /// The number of bytes to read at once.
        private static let portion = 4 * EntryFile.block

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

        /// Opens the file at a path. Returns nil if there is none. Throws ``Damage`` if it is damaged.
        static func open(_ path: String, on files: FileSystem) throws -> Reader? {
            guard let file = try files.open(path), let size = try EntryFile.size(of: file) else { return nil }
            let outline = try EntryFile.outline(of: file, size: size)
            return Reader(file, outline)
        }

        /// Returns the next portion, or nil at the end. Throws `.damaged` if it fails verification.
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
                        "The cached entry \(item.key) is damaged: \(damage.reason). Fetch it again.")
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
