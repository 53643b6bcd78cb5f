import TangoPlatform

extension EntryFile {
    /// The size of the first read. It covers header, key and facts of most files, and many files entirely.
    private static let firstRead = 4096

    /// Reads and verifies a whole file. Returns nil if there is none. Throws ``Damage`` if it is damaged.
    ///
    /// - Parameter key: The expected key, which saves creating it again. The result may have another key.
    static func read(_ path: String, expecting key: CacheKey? = nil, on files: FileSystem) throws -> Stored? {
        guard let file = try files.open(path), let size = try size(of: file) else { return nil }
        var stored: Stored?
        try withStart(of: file, size: size) { header, start, more in
            stored = try readRest(of: file, header, start, more, expecting: key)
        }
        return stored
    }

    /// Reads and verifies everything but the body.
    static func item(_ path: String, on files: FileSystem) throws -> CacheItem? {
        guard let file = try files.open(path), let size = try size(of: file) else { return nil }
        return try outline(of: file, size: size).item
    }

    /// Returns the listing of an open file and the digests of its body.
    static func outline(of file: borrowing File, size: Int) throws -> (item: CacheItem, header: Header, sums: [UInt64])
    {
        var sums: [UInt64] = []
        var outline: (item: CacheItem, header: Header)?
        try withStart(of: file, size: size) { header, start, _ in
            sums = [UInt64](repeating: 0, count: header.tableCount / 8)
            try sums.withUnsafeMutableBytes { table in
                try whole(try file.read(into: table, at: header.tableOffset), table.count)
                try header.verify(start, table: UnsafeRawBufferPointer(table))
            }
            let (key, facts) = try keyAndFacts(header, start, expecting: nil)
            let item = CacheItem(
                key: key, size: header.bodyCount, written: header.written, expires: header.expires,
                metadata: facts.metadata, tags: facts.tags, pinned: header.pinned)
            outline = (item, header)
        }
        guard let outline else { throw Damage(reason: "it cannot be read") }
        return (outline.item, outline.header, sums)
    }

    /// Returns the size of a file; nil if another object has its path.
    static func size(of file: borrowing File) throws -> Int? {
        let status = try file.status()
        return status.isRegular ? status.size : nil
    }

    static func verify(_ part: UnsafeRawBufferPointer, _ number: Int, _ sum: UInt64) throws {
        guard Digest.of(part) == UInt64(littleEndian: sum) else {
            throw Damage(reason: "its body does not match its checksum, at byte \(number * block) or after it")
        }
    }

    /// Throws if a read ended early. The length was verified before, so the file was cut meanwhile.
    static func whole(_ count: Int, _ expected: Int) throws {
        guard count == expected else { throw Damage(reason: "it became shorter while it was read") }
    }

    /// Reads the part before the body, and passes it on with the bytes that were read behind it.
    private static func withStart(
        of file: borrowing File, size: Int,
        _ work: (Header, _ start: UnsafeRawBufferPointer, _ more: UnsafeRawBufferPointer) throws -> Void
    ) throws {
        try withUnsafeTemporaryAllocation(byteCount: min(firstRead, max(size, 1)), alignment: 8) { first in
            let count = try file.read(into: first, at: 0)
            let read = UnsafeRawBufferPointer(rebasing: first[..<count])
            let header = try Header(read, fileSize: size)
            guard header.bodyOffset > count else {
                let start = UnsafeRawBufferPointer(rebasing: read[..<header.bodyOffset])
                return try work(header, start, UnsafeRawBufferPointer(rebasing: read[header.bodyOffset...]))
            }
            return try withUnsafeTemporaryAllocation(byteCount: header.bodyOffset, alignment: 8) { start in
                start.copyMemory(from: read)
                let rest = UnsafeMutableRawBufferPointer(rebasing: start[count...])
                try whole(try file.read(into: rest, at: count), rest.count)
                return try work(header, UnsafeRawBufferPointer(start), UnsafeRawBufferPointer(start: nil, count: 0))
            }
        }
    }

    /// Reads the body into its own memory and verifies everything.
    private static func readRest(
        of file: borrowing File, _ header: Header, _ start: UnsafeRawBufferPointer, _ more: UnsafeRawBufferPointer,
        expecting key: CacheKey?
    ) throws -> Stored {
        // The length was compared with that of the file, so damage cannot cause a larger allocation.
        let count = header.bodyCount
        guard let memory = malloc(max(count, 1)) else {
            throw CacheError(.system, "An entry of \(count) bytes does not fit into memory. Read it in portions.")
        }
        var isOwned = true
        defer { if isOwned { free(memory) } }
        let body = UnsafeMutableRawBufferPointer(start: memory, count: count)
        try withUnsafeTemporaryAllocation(byteCount: header.tableCount, alignment: 8) { table in
            let inBody = min(more.count, count)
            body.copyMemory(from: UnsafeRawBufferPointer(rebasing: more[..<inBody]))
            table.copyMemory(from: UnsafeRawBufferPointer(rebasing: more[inBody...]))
            let restOfBody = UnsafeMutableRawBufferPointer(rebasing: body[inBody...])
            let restOfTable = UnsafeMutableRawBufferPointer(rebasing: table[(more.count - inBody)...])
            if !restOfTable.isEmpty {
                let offset = header.bodyOffset + more.count
                let read = try file.read(into: restOfBody, and: restOfTable, at: offset)
                try whole(read, restOfBody.count + restOfTable.count)
            }
            try header.verify(start, table: UnsafeRawBufferPointer(table))
            for number in 0..<blocks(count) {
                let part = body[(number * block)..<min((number + 1) * block, count)]
                let sum = table.load(fromByteOffset: number * 8, as: UInt64.self)
                try verify(UnsafeRawBufferPointer(rebasing: part), number, sum)
            }
        }
        let (key, facts) = try keyAndFacts(header, start, expecting: key)
        // Not earlier: `Data` copies few bytes and frees the memory at once.
        isOwned = false
        let data = Data(bytesNoCopy: memory, count: count, deallocator: .free)
        let entry = CacheEntry(
            body: data, metadata: facts.metadata, expires: header.expires, tags: facts.tags, pinned: header.pinned,
            written: header.written)
        return Stored(key: key, entry: entry)
    }

    private static func keyAndFacts(
        _ header: Header, _ start: UnsafeRawBufferPointer, expecting key: CacheKey?
    ) throws -> (CacheKey, (metadata: [String: String], tags: Set<String>)) {
        let end = Header.size + header.keyCount
        let bytes = UnsafeRawBufferPointer(rebasing: start[Header.size..<end])
        guard let facts = MetadataCoding.decode(UnsafeRawBufferPointer(rebasing: start[end...])) else {
            throw Damage(reason: "its metadata cannot be read")
        }
        if let key, key.withBytes({ $0.equals(bytes) }) { return (key, facts) }
        return (CacheKey(bytes: bytes), facts)
    }
}
