import TangoPlatform

extension UnsafeRawBufferPointer {
    @inline(__always)
    func equals(_ other: UnsafeRawBufferPointer) -> Bool {
        guard count == other.count else { return false }
        guard count > 0, let own = baseAddress, let others = other.baseAddress else { return true }
        return memcmp(own, others, count) == 0
    }

    /// The first line with its line break; nil if there is no line break.
    @inline(__always)
    var firstLine: UnsafeRawBufferPointer? {
        guard let start = baseAddress, count > 0, let end = memchr(start, 0x0a, count) else { return nil }
        return UnsafeRawBufferPointer(start: start, count: UnsafeRawPointer(end) - start + 1)
    }

    @inline(__always)
    func starts(with prefix: UnsafeRawBufferPointer) -> Bool {
        count >= prefix.count && UnsafeRawBufferPointer(rebasing: self[..<prefix.count]).equals(prefix)
    }
}
