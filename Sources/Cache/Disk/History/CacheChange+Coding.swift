/// The form in which a change is recorded: a kind and the bytes of a name.
extension CacheChange {
    /// The highest number of bytes of a name. A longer one is recorded as a change that covers more.
    static let longestName = 1_024

    var kind: UInt8 {
        switch self {
        case .all: 0
        case .key: 1
        case .prefix: 2
        case .tag: 3
        }
    }

    var name: [UInt8] {
        switch self {
        case .all: []
        case .key(let key), .prefix(let key): key.bytes
        case .tag(let tag): Array(tag.utf8)
        }
    }

    /// The change itself, or one that covers it if its name is too long.
    var bounded: CacheChange {
        let name = name
        guard name.count > Self.longestName else { return self }
        if case .tag = self { return .all }
        return .prefix(CacheKey(bytes: name.prefix(Self.longestName)))
    }

    init?(kind: UInt8, name: UnsafeRawBufferPointer) {
        switch kind {
        case 0: self = .all
        case 1: self = .key(CacheKey(copying: name))
        case 2: self = .prefix(CacheKey(copying: name))
        case 3: self = .tag(String(decoding: name, as: UTF8.self))
        default: return nil
        }
    }

    /// Returns the digest that is recorded with the change.
    ///
    /// - Parameter number: The number of the record.
    static func checksum(kind: UInt8, origin: UInt64, name: UnsafeRawBufferPointer, number: Int64) -> UInt64 {
        var digest = Digest(seed: UInt64(kind))
        digest.combine(UInt64(bitPattern: number))
        digest.combine(origin)
        digest.combine(name)
        return digest.value
    }
}
