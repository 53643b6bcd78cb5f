/// The metadata and the tags of an entry as bytes, for a file or a row.
///
/// The format: the number of metadata fields, then each name and value in the order of the names, then the tags in
/// order. Numbers have seven bits per byte, lowest first. Each text is its length and its UTF-8 bytes. An entry without
/// facts has no bytes.
enum MetadataCoding {
    /// Returns the bytes for the facts of an entry. Equal facts have equal bytes.
    static func encode(_ entry: CacheEntry) -> [UInt8] {
        encode(metadata: entry.metadata, tags: entry.tags)
    }

    static func encode(metadata: [String: String], tags: Set<String>) -> [UInt8] {
        guard !metadata.isEmpty || !tags.isEmpty else { return [] }
        var bytes: [UInt8] = []
        append(metadata.count, to: &bytes)
        for (name, value) in metadata.ordered(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
            append(name, to: &bytes)
            append(value, to: &bytes)
        }
        append(tags.count, to: &bytes)
        for tag in tags.ordered(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }) {
            append(tag, to: &bytes)
        }
        return bytes
    }

    /// Returns the facts in bytes, or nil if the bytes are invalid.
    static func decode(_ bytes: UnsafeRawBufferPointer) -> (metadata: [String: String], tags: Set<String>)? {
        var rest = bytes[...]
        var metadata: [String: String] = [:]
        var tags: Set<String> = []
        guard !rest.isEmpty else { return (metadata, tags) }
        // A text takes at least one byte, so a count larger than the rest is invalid.
        guard let pairs = number(&rest), pairs <= rest.count / 2 else { return nil }
        for _ in 0..<pairs {
            guard let name = text(&rest), let value = text(&rest) else { return nil }
            metadata[name] = value
        }
        guard let count = number(&rest), count <= rest.count else { return nil }
        for _ in 0..<count {
            guard let tag = text(&rest) else { return nil }
            tags.insert(tag)
        }
        return rest.isEmpty ? (metadata, tags) : nil
    }

    private static func append(_ number: Int, to bytes: inout [UInt8]) {
        var rest = UInt(bitPattern: number)
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    private static func append(_ text: String, to bytes: inout [UInt8]) {
        append(text.utf8.count, to: &bytes)
        bytes.append(contentsOf: text.utf8)
    }

    private static func number(_ rest: inout Slice<UnsafeRawBufferPointer>) -> Int? {
        var number: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 63, by: 7) {
            guard let byte = rest.popFirst() else { return nil }
            number |= UInt64(byte & 0x7f) << shift
            if byte < 0x80 { return Int(exactly: number) }
        }
        return nil
    }

    private static func text(_ rest: inout Slice<UnsafeRawBufferPointer>) -> String? {
        guard let count = number(&rest), count <= rest.count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return String(validating: UnsafeRawBufferPointer(rebasing: rest.prefix(count)), as: UTF8.self)
    }
}
