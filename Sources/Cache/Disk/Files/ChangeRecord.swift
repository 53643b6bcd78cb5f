/// A change as bytes in a file: its kind, the length of its name, the store that made it, a checksum, and the name.
struct ChangeRecord: Hashable, Sendable {
    /// The length of a record without its name.
    private static let head = 19

    var origin: UInt64
    var change: CacheChange

    init(_ change: CacheChange, by origin: UInt64) {
        self.change = change.bounded
        self.origin = origin
    }

    func append(to bytes: inout [UInt8]) {
        let name = change.name
        let checksum = name.withUnsafeBytes { CacheChange.checksum(kind: change.kind, origin: origin, name: $0) }
        bytes.append(change.kind)
        bytes += Self.bytes(UInt16(truncatingIfNeeded: name.count))
        bytes += Self.bytes(origin)
        bytes += Self.bytes(checksum)
        bytes += name
    }

    static func bytes(_ number: some FixedWidthInteger & BitwiseCopyable) -> [UInt8] {
        withUnsafeBytes(of: number.littleEndian) { Array($0) }
    }

    /// Reads all records. Returns nil if one is damaged or incomplete.
    static func all(in bytes: UnsafeRawBufferPointer) -> [ChangeRecord]? {
        var records: [ChangeRecord] = []
        var rest = bytes
        while !rest.isEmpty {
            guard rest.count >= head else { return nil }
            let length = Int(UInt16(littleEndian: rest.loadUnaligned(fromByteOffset: 1, as: UInt16.self)))
            let origin = UInt64(littleEndian: rest.loadUnaligned(fromByteOffset: 3, as: UInt64.self))
            let checksum = UInt64(littleEndian: rest.loadUnaligned(fromByteOffset: 11, as: UInt64.self))
            guard rest.count - head >= length else { return nil }
            let name = UnsafeRawBufferPointer(rebasing: rest[head..<(head + length)])
            guard CacheChange.checksum(kind: rest[0], origin: origin, name: name) == checksum,
                let change = CacheChange(kind: rest[0], name: name)
            else { return nil }
            records.append(ChangeRecord(change, by: origin))
            rest = UnsafeRawBufferPointer(rebasing: rest[(head + length)...])
        }
        return records
    }
}
