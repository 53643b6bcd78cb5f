import TangoPlatform

/// The file of one entry. It is written once and contains checksums of all its bytes.
///
/// Version 1, all numbers little-endian: a header of 64 bytes (``Header``), the key, the facts (``MetadataCoding``),
/// the body, and the ``Digest`` of each 64 KB of the body. The header holds a digest of itself, the key, the facts and
/// the digests of the body, so every byte of the file is covered. The digests come last and the header has a fixed
/// size, so a body can be written and read in portions.
enum EntryFile {
    /// The number of bytes of the body that have one digest.
    static let block = 64 << 10

    struct Stored {
        var key: CacheKey
        var entry: CacheEntry
    }

    struct Damage: Error {
        let reason: String
    }

    /// Returns the number of digests of a body.
    static func blocks(_ count: Int) -> Int {
        count / block + (count % block == 0 ? 0 : 1)
    }

    /// Writes the file of an entry. Returns false if the folder is missing. The file must not exist.
    ///
    /// If it throws, no file is left. The caller renames the file to its final path.
    static func write(
        _ entry: CacheEntry, for key: CacheKey, to path: String, on files: FileSystem
    ) throws -> Bool {
        var head = try Head(key: key, entry: entry)
        guard let file = try files.create(path) else { return false }
        do {
            try entry.body.withUnsafeBytes { body in
                let sums = sums(body)
                try sums.withUnsafeBytes { table in
                    head.seal(body: body.count, table: table)
                    try head.withBytes { head in try file.write(head, body, table) }
                }
            }
            return true
        } catch {
            _ = try? files.remove(path)
            throw error
        }
    }

    /// Returns the digests of a body.
    static func sums(_ body: UnsafeRawBufferPointer) -> [UInt64] {
        (0..<blocks(body.count)).map { number in
            let start = number * block
            let part = body[start..<min(start + block, body.count)]
            return Digest.of(UnsafeRawBufferPointer(rebasing: part)).littleEndian
        }
    }
}
