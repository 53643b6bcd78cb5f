/// An entry that is ready to be written. Its facts are encoded, and a large body is already in a file.
struct Record: Sendable {
    let key: CacheKey
    let entry: CacheEntry
    let facts: [UInt8]

    /// The file of the body; nil if the row holds it.
    let file: Int64?

    /// The number of bytes of the body, in the row or in the file.
    let length: Int64

    init(key: CacheKey, entry: CacheEntry, file: Int64? = nil, length: Int? = nil) {
        self.key = key
        self.entry = entry
        self.file = file
        self.length = Int64(length ?? entry.body.count)
        facts = MetadataCoding.encode(entry)
    }

    func check() throws {
        try entry.validate(for: key)
        if key.count > Self.most || facts.count > Self.most {
            throw CacheError(.invalid, "The key or the metadata has 256 MB or more. Store large data in the body.")
        }
    }

    /// The size limit of a row, well below that of SQLite.
    private static let most = 256 << 20

    var flags: Row.Flags {
        var flags: Row.Flags = entry.pinned ? .pinned : []
        if !entry.tags.isEmpty { flags.insert(.tagged) }
        return flags
    }

    var written: Double { entry.written?.timeIntervalSinceReferenceDate ?? 0 }
    var expires: Double? { entry.expires?.timeIntervalSinceReferenceDate }

    /// The size that the entry counts for.
    var charge: Int64 { length + Int64(key.count + facts.count + Totals.overhead) }

    func checksum(
        key: UnsafeRawBufferPointer, facts: UnsafeRawBufferPointer, body: UnsafeRawBufferPointer
    ) -> UInt64 {
        Row.checksum(
            key: key, facts: facts, body: file == nil ? body : .init(start: nil, count: 0), flags: flags,
            length: length, written: written, expires: expires, file: file)
    }

    func withBytes<Result>(
        _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws -> Result
    ) rethrows -> Result {
        try key.withBytes { key in
            try facts.withUnsafeBytes { facts in
                try entry.body.withUnsafeBytes { bytes in try body(key, facts, bytes) }
            }
        }
    }
}

/// The columns of a row that are needed to remove it.
struct Trace {
    let id: Int64
    let charge: Int64
    let isPinned: Bool
    let file: Int64?
    let tags: Set<String>

    init(_ row: Row) {
        id = row.id
        charge = row.charge
        isPinned = row.flags.contains(.pinned)
        file = row.file
        tags = row.flags.contains(.tagged) ? MetadataCoding.decode(row.facts)?.tags ?? [] : []
    }
}
