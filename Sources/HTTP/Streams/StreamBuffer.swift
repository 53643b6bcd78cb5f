import TangoPlatform

/// The bytes of a streamed body that have arrived and were not read yet.
///
/// The bytes that were searched without success are not searched again, so a line in many small portions costs linear
/// time.
struct StreamBuffer {
    private var bytes: [UInt8] = []
    /// The place of the first unread byte.
    private var start = 0
    /// The place up to which no end of a line was found.
    private var searched = 0

    private static let searchLength = 1024

    /// The number of unread bytes.
    var count: Int { bytes.count - start }

    /// The first unread byte.
    var first: UInt8? { start < bytes.count ? bytes[start] : nil }

    /// The last unread byte.
    var last: UInt8? { start < bytes.count ? bytes[bytes.count - 1] : nil }

    /// Adds a portion.
    mutating func append(_ portion: Data) {
        if start > 0 {
            if start == bytes.count {
                bytes.removeAll(keepingCapacity: true)
            } else {
                bytes.removeSubrange(..<start)
            }
            searched -= start
            start = 0
        }
        portion.withUnsafeBytes { bytes.append(contentsOf: $0) }
    }

    /// Removes all bytes.
    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        start = 0
        searched = 0
    }

    /// Removes bytes at the beginning.
    mutating func removeFirst(_ count: Int = 1) {
        start += count
        searched = max(searched, start)
    }

    /// Returns the length of the first line, up to a line feed; nil if there is none.
    mutating func lengthOfLine() -> Int? {
        let (from, count) = (searched, bytes.count)
        guard from < count else { return nil }
        let place = bytes.withUnsafeBytes { bytes -> Int? in
            guard let base = bytes.baseAddress, let found = memchr(base + from, 0x0A, count - from) else { return nil }
            return UnsafeRawPointer(found) - base
        }
        searched = place ?? count
        return place.map { $0 - start }
    }

    /// Returns the length of the first line, up to a carriage return or a line feed; nil if there is none.
    mutating func lengthOfEventLine() -> Int? {
        let (from, count) = (searched, bytes.count)
        guard from < count else { return nil }
        let place = bytes.withUnsafeBytes { bytes -> Int? in
            guard let base = bytes.baseAddress else { return nil }
            // In pieces, so that the search for one of the two never goes on far after the other.
            for from in stride(from: from, to: count, by: Self.searchLength) {
                let end = min(from + Self.searchLength, count)
                let lineFeed = memchr(base + from, 0x0A, end - from).map { UnsafeRawPointer($0) - base }
                let length = (lineFeed ?? end) - from
                let carriageReturn = memchr(base + from, 0x0D, length).map { UnsafeRawPointer($0) - base }
                if let place = carriageReturn ?? lineFeed { return place }
            }
            return nil
        }
        searched = place ?? count
        return place.map { $0 - start }
    }

    /// Calls a closure with the first `count` unread bytes.
    func withFirst<Result>(_ count: Int, _ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try bytes.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0[start..<start + count])) }
    }

    /// Removes a mark of the byte order at the beginning (U+FEFF in UTF-8).
    mutating func removeByteOrderMark() {
        guard count >= 3, bytes[start] == 0xEF, bytes[start + 1] == 0xBB, bytes[start + 2] == 0xBF else { return }
        removeFirst(3)
    }

    /// A Boolean value that indicates whether the bytes may be the beginning of a mark of the byte order.
    var mayBeginMark: Bool {
        count < 3 && zip(bytes[start...], [0xEF, 0xBB] as [UInt8]).allSatisfy { $0 == $1 }
    }
}
