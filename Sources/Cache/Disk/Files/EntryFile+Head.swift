extension EntryFile {
    /// The part of a file before the body, while it is written.
    struct Head {
        private var bytes: [UInt8]
        private let pinned: Bool
        private let written: Date
        private let expires: Date?
        private let keyCount: UInt32
        private let factsCount: UInt32

        /// Creates the key and the facts behind a header that is zero until the body is known.
        init(key: CacheKey, entry: CacheEntry) throws {
            let facts = Facts.encode(entry)
            guard let keyCount = UInt32(exactly: key.count), let factsCount = UInt32(exactly: facts.count) else {
                throw CacheError(.invalid, "The key or the metadata has 4 GB or more. Store large data in the body.")
            }
            var bytes = [UInt8](repeating: 0, count: Header.size)
            bytes.reserveCapacity(Header.size + key.count + facts.count)
            key.withBytes { bytes.append(contentsOf: $0) }
            bytes.append(contentsOf: facts)
            self.bytes = bytes
            pinned = entry.pinned
            written = entry.written ?? Date()
            expires = entry.expires
            self.keyCount = keyCount
            self.factsCount = factsCount
        }

        /// Writes the header.
        ///
        /// - Parameters:
        ///   - body: The length of the body.
        ///   - table: The digests of the body.
        mutating func seal(body: Int, table: UnsafeRawBufferPointer) {
            bytes.withUnsafeMutableBytes { start in
                Header.write(
                    to: start, pinned: pinned, written: written, expires: expires, key: keyCount, facts: factsCount,
                    body: body, table: table)
            }
        }

        func withBytes<Result>(_ work: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
            try bytes.withUnsafeBytes(work)
        }
    }
}
