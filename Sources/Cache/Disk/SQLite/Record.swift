/// An entry that is ready to be written: its facts encoded and its body, if it is large, in a file already.
struct Record: Sendable {
    let key: CacheKey
    let entry: CacheEntry
    let facts: [UInt8]

    /// The file of the body; nil if the row holds it.
    let file: Int64?

    /// How many bytes the body has, in the row or in the file.
    let length: Int64

    init(key: CacheKey, entry: CacheEntry, file: Int64? = nil, length: Int? = nil) {
        self.key = key
        self.entry = entry
        self.file = file
        self.length = Int64(length ?? entry.body.count)
        facts = Facts.encode(entry)
    }

    /// Refuses what a row cannot hold.
    func check() throws {
        try entry.validate(for: key)
        if key.count > Self.most || facts.count > Self.most {
            throw CacheError(.invalid, "A key or the metadata of an entry has 256 MB or more: put it into the body.")
        }
    }

    /// SQLite refuses rows that are larger by far.
    private static let most = 256 << 20

    var flags: Row.Flags {
        var flags: Row.Flags = entry.pinned ? .pinned : []
        if !entry.tags.isEmpty { flags.insert(.tagged) }
        return flags
    }

    var written: Double { entry.written?.timeIntervalSinceReferenceDate ?? 0 }
    var expires: Double? { entry.expires?.timeIntervalSinceReferenceDate }

    /// What the entry counts towards the limit.
    var charge: Int64 { length + Int64(key.count + facts.count + DiskFill.overhead) }

    func checksum(
        key: UnsafeRawBufferPointer, facts: UnsafeRawBufferPointer, body: UnsafeRawBufferPointer
    ) -> UInt64 {
        Row.checksum(
            key: key, facts: facts, body: file == nil ? body : .init(start: nil, count: 0), flags: flags,
            length: length, written: written, expires: expires, file: file)
    }

    /// Lends the bytes of the key, the facts and the body.
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

/// What has to be known of a row to remove it.
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
        tags = row.flags.contains(.tagged) ? Facts.decode(row.facts)?.tags ?? [] : []
    }
}
