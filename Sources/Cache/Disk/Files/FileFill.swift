#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension DiskFill {
    /// What a file counts for: its body, key and facts, and what it takes to keep an entry. Taken from its length, so
    /// that a scan need not open it; that makes it eight bytes less where the body is empty.
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

    /// Counts a file.
    mutating func add(_ file: FileStatus) {
        change(by: 1, file)
    }

    /// Counts a file no more.
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
    /// Whether so much is allowed.
    func allow(count: Int, bytes: Int) -> Bool {
        self.count.map { count <= $0 } ?? true && self.bytes.map { bytes <= $0 } ?? true
    }

    /// A little less for whatever is over its limit, so that not each of the next entries has to make room again.
    func target(count: Int, bytes: Int) -> CacheLimits {
        var target = self
        if let limit = self.count, count > limit { target.count = limit - limit / 20 }
        if let limit = self.bytes, bytes > limit { target.bytes = limit - limit / 20 }
        return target
    }
}
