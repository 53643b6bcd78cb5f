import TangoPlatform

/// A row of the table `entry` as read by one of the ``Statements``. Its bytes are valid until the next step or reset.
struct Row {
    struct Flags: OptionSet {
        let rawValue: Int64

        static let pinned = Flags(rawValue: 1)
        static let tagged = Flags(rawValue: 2)
    }

    /// `id, flags, length, written, expires, file, checksum, key, facts, body`, in the order of the table.
    private let statement: Statement

    let id: Int64
    let flags: Flags
    let length: Int64
    let written: Double
    let expires: Double?
    let file: Int64?

    @inline(__always)
    init(_ statement: Statement) {
        self.statement = statement
        id = statement.integer(0)
        flags = Flags(rawValue: statement.integer(1))
        length = statement.integer(2)
        written = statement.real(3)
        expires = statement.optionalReal(4)
        file = statement.optionalInteger(5)
    }

    var key: UnsafeRawBufferPointer { statement.bytes(7) }
    var facts: UnsafeRawBufferPointer { statement.bytes(8) }
    private var body: UnsafeRawBufferPointer { statement.bytes(9) }

    /// The size that the entry counts for.
    var charge: Int64 {
        length &+ Int64(key.count + facts.count + Totals.overhead)
    }

    var storedChecksum: UInt64 { UInt64(bitPattern: statement.integer(6)) }

    func has(_ key: CacheKey) -> Bool {
        key.withBytes { self.key.equals($0) }
    }

    /// Returns whether the entry has expired or is too old. Pinned entries have no highest age.
    func isOver(at now: Double, age: Double?) -> Bool {
        if let expires, expires <= now { return true }
        if let age, now - written > age, !flags.contains(.pinned) { return true }
        return false
    }

    /// Returns the checksum of the whole row. It covers the body, or the name of the body's file, which has its own
    /// checksums.
    static func checksum(
        key: UnsafeRawBufferPointer, facts: UnsafeRawBufferPointer, body: UnsafeRawBufferPointer, flags: Flags,
        length: Int64, written: Double, expires: Double?, file: Int64?
    ) -> UInt64 {
        var digest = Digest(seed: UInt64(bitPattern: flags.rawValue &+ length << 8))
        digest.combine(written.bitPattern)
        digest.combine(expires?.bitPattern ?? .max)
        if let file { digest.combine(UInt64(bitPattern: file)) }
        digest.combine(key)
        if !facts.isEmpty { digest.combine(facts) }
        if !body.isEmpty { digest.combine(body) }
        return digest.value
    }

    private var isWhole: Bool {
        let sum = Self.checksum(
            key: key, facts: facts, body: body, flags: flags, length: length, written: written, expires: expires,
            file: file)
        return sum == storedChecksum && (file != nil || length == Int64(body.count))
    }

    /// Returns the entry, or nil if the row is damaged.
    @inline(__always)
    func entry() -> CacheEntry? {
        guard isWhole else { return nil }
        let body = Data(copying: body)
        if facts.isEmpty, expires == nil, flags.isEmpty {
            return CacheEntry(body: body, written: Date(timeIntervalSinceReferenceDate: written))
        }
        guard let facts = MetadataCoding.decode(facts) else { return nil }
        return CacheEntry(
            body: body, metadata: facts.metadata,
            expires: expires.map { Date(timeIntervalSinceReferenceDate: $0) }, tags: facts.tags,
            pinned: flags.contains(.pinned), written: Date(timeIntervalSinceReferenceDate: written))
    }

    /// Throws if the row does not follow the last one, because a listing would never end.
    func follows(_ last: inout Int64) throws {
        guard id > last else {
            throw SQLiteFailure(code: SQLiteFailure.damaged, message: "the rows are out of order")
        }
        last = id
    }

    /// Returns the entry without its body, or nil if the row is damaged.
    func item() -> CacheItem? {
        guard isWhole, let facts = MetadataCoding.decode(facts), length >= 0 else { return nil }
        return CacheItem(
            key: CacheKey(copying: key), size: Int(length),
            written: Date(timeIntervalSinceReferenceDate: written),
            expires: expires.map { Date(timeIntervalSinceReferenceDate: $0) }, metadata: facts.metadata,
            tags: facts.tags, pinned: flags.contains(.pinned))
    }
}

extension Data {
    /// Copies bytes without clearing the memory first.
    @inline(__always)
    init(copying bytes: UnsafeRawBufferPointer) {
        guard bytes.count > 64, let source = bytes.baseAddress, let copy = malloc(bytes.count) else {
            self.init(bytes)
            return
        }
        memcpy(copy, source, bytes.count)
        self.init(bytesNoCopy: copy, count: bytes.count, deallocator: .free)
    }
}

extension CacheKey {
    /// Creates a key with a copy of bytes, as text if they are text.
    init(copying bytes: UnsafeRawBufferPointer) {
        if let text = String(validating: bytes, as: UTF8.self) {
            self.init(text)
        } else {
            self.init(bytes: bytes)
        }
    }
}
