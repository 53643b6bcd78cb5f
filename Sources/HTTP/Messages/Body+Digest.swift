extension Body {
    /// Returns the digest of the bytes in memory; nil if the body is a file or a stream.
    package func digestInMemory(_ hash: Hash) throws(MissingHash) -> [UInt8]? {
        switch content {
        case .none: try hash.digest([])
        case .data(let data): try hash.digest(data)
        case .file, .stream: nil
        }
    }

    /// Returns the digest of the bytes, those of a file too; nil if the body is a stream.
    package func digest(_ hash: Hash) async throws -> [UInt8]? {
        guard case .file(let url) = content else { return try digestInMemory(hash) }
        let file = try FileSource(url)
        let open = try file.open()
        var hashing = try Hashing(hash)
        var offset: Int64 = 0
        while offset < file.count {
            var portion = [UInt8](repeating: 0, count: Int(min(file.count - offset, 256 << 10)))
            try portion.withUnsafeMutableBytes { try open.read(into: $0, at: offset) }
            hashing.update(portion)
            offset += Int64(portion.count)
            try Task.checkCancellation()
            await Task.yield()
        }
        return try hashing.finish()
    }
}
