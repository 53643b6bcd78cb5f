#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The file of one entry. It is written once, says all about itself, and proves that it is whole.
///
/// Version 1, all numbers little-endian: a header of 64 bytes (``Header``), the key, the facts (``Facts``), the body,
/// and the ``Digest`` of each 64 KB of the body. The header holds a digest of itself, the key, the facts and the
/// digests of the body, so every byte of the file is covered; and as the digests come last and the header is of fixed
/// size, a body can be written and read in portions.
enum EntryFile {
    /// How many bytes of the body have a digest of their own.
    static let block = 64 << 10

    /// What is found at a path.
    enum Content<Value> {
        /// No file.
        case missing

        /// A file that is not what was written. Why, and which file it was.
        case damaged(reason: String, FileStatus)

        /// What was asked for, and which file it is from.
        case found(Value, FileStatus)
    }

    /// A key and its entry.
    struct Stored {
        var key: CacheKey
        var entry: CacheEntry
    }

    /// Why a file is not what was written.
    struct Damage: Error {
        let reason: String
    }

    /// How many digests a body has.
    static func blocks(_ count: Int) -> Int {
        count / block + (count % block == 0 ? 0 : 1)
    }

    /// Writes the file of an entry, which must not exist, and returns its size; nil if the folder is missing.
    ///
    /// If it throws, no file is left. The caller renames the file to where it belongs.
    static func write(
        _ entry: CacheEntry, for key: CacheKey, to path: String, modified: Date? = nil, on files: FileSystem
    ) throws -> Int? {
        var head = try Head(key: key, entry: entry)
        guard let file = try files.create(path, permissions: permissions(entry)) else { return nil }
        do {
            return try entry.body.withUnsafeBytes { body in
                let sums = sums(body)
                return try sums.withUnsafeBytes { table in
                    head.seal(body: body.count, table: table)
                    try head.withBytes { head in try file.write(head, body, table) }
                    if let modified { try file.touch(modified) }
                    return head.count + body.count + table.count
                }
            }
        } catch {
            _ = try? files.remove(path)
            throw error
        }
    }

    /// The digests of a body, as they are written.
    static func sums(_ body: UnsafeRawBufferPointer) -> [UInt64] {
        (0..<blocks(body.count)).map { number in
            let start = number * block
            let part = body[start..<min(start + block, body.count)]
            return Digest.of(UnsafeRawBufferPointer(rebasing: part)).littleEndian
        }
    }

    /// A file that nobody may write to is a pinned entry: so who looks for room can tell without opening it.
    static func permissions(_ entry: CacheEntry) -> mode_t {
        entry.pinned ? 0o400 : 0o600
    }
}
