extension DiskFill {
    /// Returns the size that a file counts for: body, key, facts and overhead. It is derived from the length of the
    /// file, so that a scan need not open it. For an empty body it is eight bytes less.
    static func charge(fileSize: Int) -> Int {
        let content = max(0, fileSize - EntryFile.Header.size)
        let digests = (content + EntryFile.block + 7) / (EntryFile.block + 8)
        return content - digests * 8 + overhead
    }

    init(_ found: some Sequence<EntryFolder.Found>) {
        for file in found {
            add(file.status)
        }
    }

    /// Adds a file.
    mutating func add(_ file: FileStatus) {
        change(by: 1, file)
    }

    /// Subtracts a file.
    mutating func subtract(_ file: FileStatus) {
        change(by: -1, file)
    }

    private mutating func change(by sign: Int, _ file: FileStatus) {
        let charge = Self.charge(fileSize: file.size)
        count = max(0, count + sign)
        bytes = max(0, bytes + sign * charge)
        guard !file.isWritable else { return }
        pinnedCount = max(0, pinnedCount + sign)
        pinnedBytes = max(0, pinnedBytes + sign * charge)
    }
}

extension CacheLimits {
    /// Returns whether a count and a size are within the limits.
    func allow(count: Int, bytes: Int) -> Bool {
        self.count.map { count <= $0 } ?? true && self.bytes.map { bytes <= $0 } ?? true
    }

    /// Returns slightly lower limits for each one that is exceeded, so that the next entries need no eviction.
    func target(count: Int, bytes: Int) -> CacheLimits {
        var target = self
        if let limit = self.count, count > limit { target.count = limit - limit / 20 }
        if let limit = self.bytes, bytes > limit { target.bytes = limit - limit / 20 }
        return target
    }
}
