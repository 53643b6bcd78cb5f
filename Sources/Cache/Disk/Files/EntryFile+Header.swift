extension EntryFile {
    /// The first 64 bytes of a file.
    ///
    /// | offset | bytes | |
    /// |---|---|---|
    /// | 0 | 4 | `TNGO` |
    /// | 4 | 2 | the version, 1 |
    /// | 6 | 2 | flags: 1 pinned, 2 expires |
    /// | 8 | 4 | the length of the key |
    /// | 12 | 4 | the length of the facts |
    /// | 16 | 8 | the length of the body |
    /// | 24 | 8 | the time of writing: the bits of a double, seconds since 2001 |
    /// | 32 | 8 | the expiry, in the same form; zero if never |
    /// | 40 | 16 | zero |
    /// | 56 | 8 | the digest of the bytes before it, of key and facts, and of the digests of the body |
    struct Header {
        static let size = 64
        fileprivate static let magic: UInt32 = 0x4f47_4e54
        fileprivate static let version: UInt16 = 1
        fileprivate static let checksumOffset = 56

        let pinned: Bool
        let written: Date
        let expires: Date?
        let keyCount: Int
        let factsCount: Int
        let bodyCount: Int
        let checksum: UInt64

        /// The length of everything before the body.
        var bodyOffset: Int { Self.size + keyCount + factsCount }

        /// The offset of the digests of the body.
        var tableOffset: Int { bodyOffset + bodyCount }

        /// The length of the digests of the body.
        var tableCount: Int { EntryFile.blocks(bodyCount) * 8 }

        /// Reads a header. Throws if it does not fit a file of this size.
        init(_ bytes: UnsafeRawBufferPointer, fileSize: Int) throws {
            guard bytes.count >= Self.size else { throw Damage(reason: "it is shorter than its header") }
            guard bytes.number(at: 0, UInt32.self) == Self.magic else {
                throw Damage(reason: "it does not begin like the file of an entry")
            }
            let version = bytes.number(at: 4, UInt16.self)
            guard version == Self.version else { throw Damage(reason: "its version \(version) is unknown") }
            let flags = bytes.number(at: 6, UInt16.self)
            let keyCount = UInt64(bytes.number(at: 8, UInt32.self))
            let factsCount = UInt64(bytes.number(at: 12, UInt32.self))
            let bodyCount = bytes.number(at: 16, UInt64.self)
            // Each step compares with the remaining size, so that no number can overflow.
            let size = UInt64(fileSize)
            let start = UInt64(Self.size) + keyCount + factsCount
            guard start <= size, bodyCount <= size - start else {
                throw Damage(reason: "it is shorter than its header says")
            }
            self.keyCount = Int(keyCount)
            self.factsCount = Int(factsCount)
            self.bodyCount = Int(bodyCount)
            pinned = flags & 1 != 0
            written = Date(timeIntervalSinceReferenceDate: Double(bitPattern: bytes.number(at: 24, UInt64.self)))
            let expires = Date(timeIntervalSinceReferenceDate: Double(bitPattern: bytes.number(at: 32, UInt64.self)))
            self.expires = flags & 2 != 0 ? expires : nil
            checksum = bytes.number(at: Self.checksumOffset, UInt64.self)
            guard ![written, expires].contains(where: \.timeIntervalSinceReferenceDate.isNaN) else {
                throw Damage(reason: "one of its dates is not a number")
            }
            guard size - start - bodyCount == UInt64(tableCount) else {
                throw Damage(reason: "its length differs from its header")
            }
        }

        /// Throws if the part before the body, or the digests of the body, are damaged.
        func verify(_ start: UnsafeRawBufferPointer, table: UnsafeRawBufferPointer) throws {
            guard Self.checksum(start, table: table) == checksum else {
                throw Damage(reason: "its header, key or metadata does not match its checksum")
            }
        }

        fileprivate static func checksum(_ start: UnsafeRawBufferPointer, table: UnsafeRawBufferPointer) -> UInt64 {
            var digest = Digest()
            digest.combine(UnsafeRawBufferPointer(rebasing: start[..<checksumOffset]))
            digest.combine(UnsafeRawBufferPointer(rebasing: start[size...]))
            digest.combine(table)
            return digest.value
        }
    }

    /// The part of a file before the body, while it is written. The header has no checksum until the body is known, so an
    /// unfinished file is never valid.
    struct Head {
        private var bytes = [UInt8](repeating: 0, count: Header.size)

        init(key: CacheKey, entry: CacheEntry) throws {
            let facts = MetadataCoding.encode(entry)
            guard let keyCount = UInt32(exactly: key.count), let factsCount = UInt32(exactly: facts.count) else {
                throw CacheError(.invalid, "The key or the metadata has 4 GB or more. Store large data in the body.")
            }
            bytes.withUnsafeMutableBytes { start in
                start.put(Header.magic, at: 0)
                start.put(Header.version, at: 4)
                start.put(UInt16((entry.pinned ? 1 : 0) | (entry.expires == nil ? 0 : 2)), at: 6)
                start.put(keyCount, at: 8)
                start.put(factsCount, at: 12)
                start.put((entry.written ?? Date()).timeIntervalSinceReferenceDate.bitPattern, at: 24)
                start.put(entry.expires?.timeIntervalSinceReferenceDate.bitPattern ?? 0, at: 32)
            }
            bytes.reserveCapacity(Header.size + key.count + facts.count)
            key.withBytes { bytes.append(contentsOf: $0) }
            bytes.append(contentsOf: facts)
        }

        /// Completes the header.
        ///
        /// - Parameters:
        ///   - body: The length of the body.
        ///   - table: The digests of the body.
        mutating func seal(body: Int, table: UnsafeRawBufferPointer) {
            bytes.withUnsafeMutableBytes { start in
                start.put(UInt64(body), at: 16)
                start.put(Header.checksum(UnsafeRawBufferPointer(start), table: table), at: Header.checksumOffset)
            }
        }

        func withBytes<Result>(_ work: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
            try bytes.withUnsafeBytes(work)
        }
    }
}

extension UnsafeRawBufferPointer {
    /// Returns the little-endian number at an offset.
    fileprivate func number<Number: FixedWidthInteger & BitwiseCopyable>(at offset: Int, _: Number.Type) -> Number {
        Number(littleEndian: loadUnaligned(fromByteOffset: offset, as: Number.self))
    }
}

extension UnsafeMutableRawBufferPointer {
    /// Writes a little-endian number at an offset.
    fileprivate func put(_ number: some FixedWidthInteger & BitwiseCopyable, at offset: Int) {
        storeBytes(of: number.littleEndian, toByteOffset: offset, as: type(of: number))
    }
}
