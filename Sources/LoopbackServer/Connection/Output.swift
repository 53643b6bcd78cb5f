/// The pending output, as segments that are never copied.
struct Output {
    private static let vectorLimit = 64

    private var segments: [Segment] = []
    private var start = 0
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    mutating func append(_ segment: Segment) {
        guard segment.count > 0 else { return }
        segments.append(segment)
        count += segment.count
    }

    mutating func removeAll() {
        segments.removeAll(keepingCapacity: true)
        start = 0
        count = 0
    }

    /// Writes once, at most `limit` bytes. Returns the number of bytes written, or -1.
    mutating func write(to descriptor: Int32, atMost limit: Int) -> Int {
        let written =
            segments.count - start == 1 || segments[start].count >= limit
            ? Socket.write(
                descriptor, segments[start].block.start + segments[start].offset, min(limit, segments[start].count))
            : writeMany(descriptor, limit)
        if written > 0 { drop(written) }
        return written
    }

    private func writeMany(_ descriptor: Int32, _ limit: Int) -> Int {
        withUnsafeTemporaryAllocation(of: iovec.self, capacity: Self.vectorLimit) { vectors in
            var used = 0
            var left = limit
            for segment in segments[start...] where used < Self.vectorLimit && left > 0 {
                let count = min(left, segment.count)
                vectors[used] = iovec(
                    iov_base: UnsafeMutableRawPointer(mutating: segment.block.start + segment.offset), iov_len: count)
                left -= count
                used += 1
            }
            return Socket.write(descriptor, UnsafeMutableBufferPointer(rebasing: vectors[..<used]))
        }
    }

    private mutating func drop(_ written: Int) {
        count -= written
        var left = written
        while left > 0 {
            let size = segments[start].count
            if left < size {
                segments[start].offset += left
                return
            }
            left -= size
            start += 1
        }
        if start == segments.count {
            segments.removeAll(keepingCapacity: true)
            start = 0
        } else if start > 256 {
            segments.removeFirst(start)
            start = 0
        }
    }
}
