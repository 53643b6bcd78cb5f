/// The file `history`: the removals in a folder of plain files, in order.
///
/// The first store that asks for a moment creates it; without it, nothing is recorded. A record is appended in one call,
/// which the system does not mix with those of other processes. A file that is too long or damaged is replaced by an
/// empty one of another incarnation, so that all former moments are unknown.
struct RemovalLog: Sendable {
    /// The length from which the file is replaced.
    static let limit = 256 << 10

    private static let magic = Array("TNGH".utf8) + [1, 0, 0, 0]
    private static let head = 16
    private static let attempts = 5

    let folder: EntryFolder

    private var files: FileSystem { folder.files }
    private var path: String { folder.path + "/history" }

    /// Returns the present position. Creates the file if it is missing.
    func position() throws -> HistoryPosition {
        for _ in 0..<Self.attempts {
            if let file = try files.open(path), let incarnation = try incarnation(of: file) {
                return HistoryPosition(incarnation: incarnation, number: Int64(try file.status().size))
            }
            try replace()
        }
        throw CacheError(.system, "Another program removes the file \(path). Stop that program.")
    }

    /// Records removals before they are made, if a store has asked for a moment.
    func note(_ removals: [CacheChange], by origin: UInt64) throws {
        var bytes: [UInt8] = []
        for _ in 0..<Self.attempts {
            guard let file = try files.append(path) else { return }
            if bytes.isEmpty { for removal in removals { ChangeRecord(removal, by: origin).append(to: &bytes) } }
            do {
                guard try file.status().size + bytes.count <= Self.limit else { return try forget() }
                try bytes.withUnsafeBytes { try file.write($0) }
            } catch {
                // The volume may be full, where files can still be removed.
                return try forget()
            }
            // Another process may have replaced the file meanwhile.
            guard let present = try files.status(path) else { return }
            if present.hasSameIdentity(as: try file.status()) { return }
        }
        try forget()
    }

    /// Returns whether an entry was removed since a position, or may have been.
    func isRemoved(_ key: CacheKey, tags: Set<String>, since position: HistoryPosition) throws -> Bool {
        guard let file = try files.open(path), try incarnation(of: file) == position.incarnation else { return true }
        let count = try file.status().size - Int(position.number)
        guard count != 0 else { return false }
        guard count > 0, position.number >= Self.head else { return true }
        let records = try withUnsafeTemporaryAllocation(byteCount: count, alignment: 8) { bytes in
            let read = try file.read(into: bytes, at: Int(position.number))
            return read == count ? ChangeRecord.all(in: UnsafeRawBufferPointer(bytes)) : nil
        }
        guard let records else {
            try forget()
            return true
        }
        return records.contains { $0.change.concerns(key, tags: tags) }
    }

    /// Makes all former moments unknown.
    func forget() throws {
        try files.remove(path)
    }

    private func incarnation(of file: borrowing File) throws -> UInt64? {
        guard try file.status().isRegular else { return nil }
        return try withUnsafeTemporaryAllocation(byteCount: Self.head, alignment: 8) { bytes in
            guard try file.read(into: bytes, at: 0) == Self.head, bytes.starts(with: Self.magic) else { return nil }
            return UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        }
    }

    private func replace() throws {
        let bytes = Self.magic + ChangeRecord.bytes(UInt64.random(in: 1 ... .max))
        let (_, temporary) = try folder.create { path -> Bool? in
            guard let file = try files.create(path) else { return nil }
            try bytes.withUnsafeBytes { try file.write($0) }
            return true
        }
        _ = try files.rename(temporary, to: path)
    }
}
