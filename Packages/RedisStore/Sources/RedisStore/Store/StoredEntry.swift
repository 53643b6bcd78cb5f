import TangoCache

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// An entry in the form in which it is stored.
///
/// The server's scripts read the first part: `T1`, the incarnation, the generation of the chunks, their number, and the
/// names of the tags. The second part is opaque to them: the dates, the pin, the size and the checksum of the body, and
/// the metadata. A body without chunks follows.
struct StoredEntry {
    let incarnation: Incarnation
    /// The generation of the chunks; empty if there are none.
    let generation: [UInt8]
    let chunks: Int
    let tags: [[UInt8]]
    let written: Date
    let expires: Date?
    let pinned: Bool
    let metadata: [String: String]
    /// The size of the whole body.
    let size: Int
    let checksum: UInt64
    /// The body, if it has no chunks.
    var body: Data

    /// The result of a read.
    enum Reading {
        case missing
        case entry(StoredEntry)
        case damaged
        /// The value has another type.
        case foreign

        init(_ value: Found.Value, name: [UInt8]) {
            switch value {
            case .missing: self = .missing
            case .foreign: self = .foreign
            case .string(let bytes):
                self = StoredEntry(bytes: bytes, name: name, isWhole: true).map { .entry($0) } ?? .damaged
            }
        }
    }

    /// Returns nil if the bytes are damaged, or are not an entry.
    ///
    /// - Parameters:
    ///   - name: The name under which it was found. The checksum contains it, so that an entry of another key is damaged.
    ///   - isWhole: A Boolean value that indicates whether the body is expected too.
    init?(_ data: Data, name: [UInt8], isWhole: Bool = true) {
        guard let entry = data.withUnsafeBytes({ StoredEntry(bytes: $0, name: name, isWhole: isWhole) }) else {
            return nil
        }
        self = entry
    }

    private init?(bytes: UnsafeRawBufferPointer, name: [UInt8], isWhole: Bool) {
        var source = ByteSource(bytes)
        guard source.number(UInt16.self) == Self.mark, let incarnation = source.take(16),
            let generation = source.take(16), let chunks = source.number(UInt32.self),
            let tagCount = source.number(UInt32.self), let headCount = source.number(UInt32.self),
            let tagBytes = source.take(Int(tagCount)), let headBytes = source.take(Int(headCount)),
            headBytes.count > Self.checksumPlace.upperBound
        else { return nil }
        var tagSource = ByteSource(tagBytes)
        var tags: [[UInt8]] = []
        while !tagSource.isAtEnd {
            guard let count = tagSource.number(UInt32.self), let tag = tagSource.take(Int(count)) else { return nil }
            tags.append(Array(tag))
        }
        var head = ByteSource(headBytes)
        guard let written = head.date(), let expires = head.number(UInt64.self), let flags = head.number(UInt8.self),
            let size = head.number(UInt64.self), let checksum = head.number(UInt64.self),
            let headChecksum = head.number(UInt64.self), let count = head.number(UInt32.self), size < 1 << 40
        else { return nil }
        let sum = name.withUnsafeBytes { Self.checksum(name: $0, tags: tagBytes, head: headBytes) }
        guard headChecksum == sum else { return nil }
        var metadata: [String: String] = [:]
        for _ in 0..<count {
            guard let name = head.text(), let value = head.text() else { return nil }
            metadata[name] = value
        }
        self.incarnation = Incarnation(incarnation)
        self.generation = chunks == 0 ? [] : Array(generation)
        self.chunks = Int(chunks)
        self.tags = tags
        self.written = written
        let date = Double(bitPattern: expires)
        self.expires = date.isNaN ? nil : Date(timeIntervalSinceReferenceDate: date)
        pinned = flags & 1 != 0
        self.metadata = metadata
        self.size = Int(size)
        self.checksum = checksum
        guard isWhole, chunks == 0 else {
            body = Data()
            return
        }
        guard source.rest.count == self.size, BodyChecksum.of(source.rest) == checksum else { return nil }
        body = Data(source.rest)
    }

    /// `T1`, with which all entries begin.
    private static let mark: UInt16 = 0x5431

    /// The place of the checksum in the second part.
    private static let checksumPlace = 33..<41

    /// Returns the checksum of everything but the body.
    private static func checksum(
        name: UnsafeRawBufferPointer, tags: UnsafeRawBufferPointer, head: UnsafeRawBufferPointer
    ) -> UInt64 {
        var sum = SipState(0, 0)
        sum.add(name)
        sum.add(tags)
        sum.add(UnsafeRawBufferPointer(rebasing: head[..<checksumPlace.lowerBound]))
        sum.add(UnsafeRawBufferPointer(rebasing: head[checksumPlace.upperBound...]))
        return sum.value
    }

    /// Returns the part that is opaque to scripts, without the body.
    static func head(_ entry: CacheEntry, name: [UInt8], written: Date, tags: [UInt8], size: Int, checksum: UInt64)
        -> [UInt8]
    {
        var head: [UInt8] = []
        head.append(number: written.timeIntervalSinceReferenceDate.bitPattern)
        head.append(number: (entry.expires?.timeIntervalSinceReferenceDate ?? .nan).bitPattern)
        head.append(entry.pinned ? 1 : 0)
        head.append(number: UInt64(size))
        head.append(number: checksum)
        head.append(number: UInt64(0))
        head.append(number: UInt32(truncatingIfNeeded: entry.metadata.count))
        for (name, value) in entry.metadata {
            head.append(text: Array(name.utf8))
            head.append(text: Array(value.utf8))
        }
        let sum = name.withUnsafeBytes { name in
            tags.withUnsafeBytes { tags in
                head.withUnsafeBytes { Self.checksum(name: name, tags: tags, head: $0) }
            }
        }
        head.replaceSubrange(checksumPlace, with: withUnsafeBytes(of: sum.bigEndian) { Array($0) })
        return head
    }

    /// Returns tags in the form that the scripts read.
    static func tagBytes(_ names: [[UInt8]]) -> [UInt8] {
        names.reduce(into: []) { bytes, name in bytes.append(text: name) }
    }
}

/// The number of an index, in 16 digits.
struct Incarnation: Equatable, Sendable {
    private let first: UInt64
    private let second: UInt64

    /// - Parameter bytes: 16 bytes.
    init(_ bytes: UnsafeRawBufferPointer) {
        first = bytes.loadUnaligned(as: UInt64.self)
        second = bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
    }

    /// Returns nil if the mark of the index does not begin as expected.
    init?(in mark: [UInt8], after start: [UInt8]) {
        guard mark.count == start.count + 16, mark.starts(with: start) else { return nil }
        self = mark.withUnsafeBytes { Incarnation(UnsafeRawBufferPointer(rebasing: $0[start.count...])) }
    }
}

/// The bytes of an entry, read from the front.
private struct ByteSource {
    private let bytes: UnsafeRawBufferPointer
    private var position = 0

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    var isAtEnd: Bool { position == bytes.count }

    var rest: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: bytes[position...]) }

    mutating func take(_ count: Int) -> UnsafeRawBufferPointer? {
        guard count >= 0, count <= bytes.count - position else { return nil }
        defer { position += count }
        return UnsafeRawBufferPointer(rebasing: bytes[position..<position + count])
    }

    mutating func number<Number: FixedWidthInteger & BitwiseCopyable>(_: Number.Type) -> Number? {
        take(MemoryLayout<Number>.size).map { Number(bigEndian: $0.loadUnaligned(as: Number.self)) }
    }

    mutating func date() -> Date? {
        guard let bits = number(UInt64.self) else { return nil }
        let seconds = Double(bitPattern: bits)
        return seconds.isFinite ? Date(timeIntervalSinceReferenceDate: seconds) : nil
    }

    mutating func text() -> String? {
        guard let count = number(UInt32.self), let bytes = take(Int(count)) else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }
}

extension [UInt8] {
    fileprivate mutating func append(number: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
    }

    fileprivate mutating func append(text: [UInt8]) {
        append(number: UInt32(truncatingIfNeeded: text.count))
        append(contentsOf: text)
    }
}
