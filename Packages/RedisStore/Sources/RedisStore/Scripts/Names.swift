import TangoCache

/// The names of the keys of a store on the server.
///
/// All begin with the prefix, the version of the application's data and the version of this format. A letter follows:
/// `e` an entry, `b` a chunk of a body, `i` the index, `l` the log of removals, `x` a former index, `w` a lock.
struct Names: Sendable {
    /// The version of the format that this code reads and writes.
    static let format = 1

    /// The common part of all names.
    let base: [UInt8]
    private let cipher: NameCipher?

    init(_ configuration: RedisConfiguration) {
        base = Array("\(configuration.prefix):\(configuration.version):\(Self.format):".utf8)
        cipher = configuration.keySecret.map { NameCipher(secret: $0) }
    }

    /// The channel of changes.
    var channel: [UInt8] { base + [UInt8(ascii: "f")] }
    var index: [UInt8] { base + [UInt8(ascii: "i")] }
    var log: [UInt8] { base + [UInt8(ascii: "l")] }

    func entry(_ name: [UInt8]) -> [UInt8] { base + [UInt8(ascii: "e")] + name }
    func lock(_ name: [UInt8]) -> [UInt8] { base + [UInt8(ascii: "w")] + name }

    func chunk(_ number: Int, of generation: [UInt8]) -> [UInt8] {
        base + [UInt8(ascii: "b")] + generation + Array(":\(number)".utf8)
    }

    /// Returns the name of a key or a tag, enciphered if there is a secret.
    func name(_ bytes: [UInt8]) -> [UInt8] { cipher?.encipher(bytes) ?? bytes }
    func name(_ key: CacheKey) -> [UInt8] { name(key.bytes) }

    /// Returns the bytes that have this name.
    func plain(_ name: [UInt8]) -> [UInt8] { cipher?.decipher(name) ?? name }
}

/// A part of the index: all members with a prefix.
struct IndexRange: Sendable {
    let start: [UInt8]
    let end: [UInt8]

    /// The members of the keys that begin with a name.
    init(prefix name: [UInt8]) {
        self.init(member: [UInt8(ascii: "k")] + name)
    }

    /// The members of the keys that have a tag.
    init(tag name: [UInt8]) {
        let count = UInt32(truncatingIfNeeded: name.count)
        self.init(member: [UInt8(ascii: "t")] + withUnsafeBytes(of: count.bigEndian) { Array($0) } + name)
    }

    private init(member: [UInt8]) {
        start = [UInt8(ascii: "[")] + member
        var next = member
        while next.last == 0xff { next.removeLast() }
        if let last = next.popLast() { next.append(last + 1) }
        end = [UInt8(ascii: "(")] + next
    }
}
