/// Decodes bytes in the formats of gzip and deflate (RFC 1950, 1951 and 1952).
///
/// Stubs are decoded without a library of the system, so that a test has the same result everywhere. Transports use the
/// faster code of libcurl and of `URLSession`.
struct Inflation {
    enum Problem: Error {
        /// The input ends before its end is announced.
        case isTruncated
        case isDamaged
        case isTooLong
    }

    private let input: [UInt8]
    private let limits: Decompression
    private var place = 0
    private var buffer: UInt32 = 0
    private var buffered = 0
    private(set) var output: [UInt8] = []

    init(_ input: [UInt8], _ limits: Decompression) {
        self.input = input
        self.limits = limits
    }

    // MARK: Formats

    mutating func readGzip() throws(Problem) {
        guard try byte() == 0x1f, try byte() == 0x8b, try byte() == 8 else { throw .isDamaged }
        let flags = try byte()
        guard flags & 0xe0 == 0 else { throw .isDamaged }
        _ = try number(of: 6)
        if flags & 4 != 0 { for _ in 0..<(try number(of: 2)) { _ = try byte() } }
        for flag in [8, 16] as [UInt8] where flags & flag != 0 { while try byte() != 0 {} }
        if flags & 2 != 0 {
            let sum = Checksums.crc32(input[..<place]) & 0xffff
            guard try number(of: 2) == Int(sum) else { throw .isDamaged }
        }
        try readBlocks()
        guard try number(of: 4) == Int(Checksums.crc32(output[...])),
            try number(of: 4) == output.count & 0xffff_ffff
        else { throw .isDamaged }
        try end()
    }

    /// Reads the coding `deflate`: the format of zlib, or the plain blocks that some servers send.
    mutating func readDeflate() throws(Problem) {
        guard input.count > 1 else { throw .isTruncated }
        let isZlib = input[0] & 15 == 8 && input[0] >> 4 < 8 && (Int(input[0]) << 8 | Int(input[1])) % 31 == 0
        guard isZlib else {
            try readBlocks()
            return try end()
        }
        _ = try byte()
        // A dictionary that both sides know.
        guard try byte() & 0x20 == 0 else { throw .isDamaged }
        try readBlocks()
        var sum: UInt32 = 0
        for _ in 0..<4 { sum = sum << 8 | UInt32(try byte()) }
        guard sum == Checksums.adler32(output[...]) else { throw .isDamaged }
        try end()
    }

    /// Checks that nothing follows.
    private func end() throws(Problem) {
        guard place == input.count else { throw .isDamaged }
    }

    // MARK: Blocks

    private mutating func readBlocks() throws(Problem) {
        var isLast = false
        while !isLast {
            isLast = try bits(1) == 1
            switch try bits(2) {
            case 0: try readStored()
            case 1: try readCoded(.fixedLiterals, .fixedDistances)
            case 2:
                let (literals, distances) = try readCodes()
                try readCoded(literals, distances)
            default: throw .isDamaged
            }
        }
        (buffer, buffered) = (0, 0)
    }

    private mutating func readStored() throws(Problem) {
        (buffer, buffered) = (0, 0)
        let count = try number(of: 2)
        guard try number(of: 2) == ~count & 0xffff else { throw .isDamaged }
        for _ in 0..<count { try append(try byte()) }
    }

    private mutating func readCoded(_ literals: PrefixCode, _ distances: PrefixCode) throws(Problem) {
        while true {
            let symbol = try self.symbol(literals)
            if symbol < 256 {
                try append(UInt8(symbol))
                continue
            }
            if symbol == 256 { return }
            guard symbol < 286 else { throw .isDamaged }
            let length = try value(symbol - 257, Self.lengthBases, Self.lengthBits)
            let distanceSymbol = try self.symbol(distances)
            guard distanceSymbol < 30 else { throw .isDamaged }
            let distance = try value(distanceSymbol, Self.distanceBases, Self.distanceBits)
            guard distance <= output.count else { throw .isDamaged }
            for _ in 0..<length { try append(output[output.count - distance]) }
        }
    }

    /// Reads the codes of a block, which are compressed themselves.
    private mutating func readCodes() throws(Problem) -> (literals: PrefixCode, distances: PrefixCode) {
        let literalCount = try bits(5) + 257
        let distanceCount = try bits(5) + 1
        let count = try bits(4) + 4
        guard literalCount <= 286, distanceCount <= 30 else { throw .isDamaged }
        var lengths = [Int](repeating: 0, count: 19)
        for index in Self.orderOfLengths.prefix(count) { lengths[index] = try bits(3) }
        guard let code = PrefixCode(lengths) else { throw .isDamaged }
        lengths = []
        while lengths.count < literalCount + distanceCount {
            switch try symbol(code) {
            case 16:
                guard let last = lengths.last else { throw .isDamaged }
                lengths += [Int](repeating: last, count: 3 + (try bits(2)))
            case 17: lengths += [Int](repeating: 0, count: 3 + (try bits(3)))
            case 18: lengths += [Int](repeating: 0, count: 11 + (try bits(7)))
            case let length: lengths.append(length)
            }
        }
        guard lengths.count == literalCount + distanceCount, lengths[256] > 0,
            let literals = PrefixCode(Array(lengths[..<literalCount])),
            let distances = PrefixCode(Array(lengths[literalCount...]))
        else { throw .isDamaged }
        return (literals, distances)
    }

    // MARK: Input and output

    private mutating func byte() throws(Problem) -> UInt8 {
        guard place < input.count else { throw .isTruncated }
        place += 1
        return input[place - 1]
    }

    /// Reads a number of some bytes, the lowest first.
    private mutating func number(of count: Int) throws(Problem) -> Int {
        var number = 0
        for index in 0..<count { number |= Int(try byte()) << (8 * index) }
        return number
    }

    private mutating func bits(_ count: Int) throws(Problem) -> Int {
        while buffered < count {
            buffer |= UInt32(try byte()) << buffered
            buffered += 8
        }
        let value = buffer & (1 << count - 1)
        buffer >>= count
        buffered -= count
        return Int(value)
    }

    private mutating func symbol(_ code: PrefixCode) throws(Problem) -> Int {
        var reading = PrefixCode.Reading()
        while let length = reading.nextLength {
            if let symbol = code.symbol(adding: try bits(1), of: length, to: &reading) { return symbol }
        }
        throw .isDamaged
    }

    private mutating func value(_ symbol: Int, _ bases: [Int], _ extra: [Int]) throws(Problem) -> Int {
        bases[symbol] + (try bits(extra[symbol]))
    }

    private mutating func append(_ byte: UInt8) throws(Problem) {
        guard limits.allows(output.count + 1, from: place) else { throw .isTooLong }
        output.append(byte)
    }

    // MARK: Tables

    private static let lengthBits = (0..<28).map { $0 < 8 ? 0 : $0 / 4 - 1 } + [0]
    private static let lengthBases: [Int] = {
        var base = 3
        return lengthBits.dropLast().map { bits in
            defer { base += 1 << bits }
            return base
        } + [258]
    }()
    private static let distanceBits = (0..<30).map { $0 < 4 ? 0 : $0 / 2 - 1 }
    private static let distanceBases: [Int] = {
        var base = 1
        return distanceBits.map { bits in
            defer { base += 1 << bits }
            return base
        }
    }()
    private static let orderOfLengths = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]
}

/// A prefix code of RFC 1951, which the lengths of its codes determine.
struct PrefixCode {
    /// The bits of a code that were read so far.
    struct Reading {
        fileprivate var code = 0
        fileprivate var first = 0
        fileprivate var index = 0
        fileprivate var length = 0

        /// The length with the next bit; nil if no code is that long.
        var nextLength: Int? { length < 15 ? length + 1 : nil }
    }

    /// The numbers of codes by their length.
    private var counts = [Int](repeating: 0, count: 16)
    /// The symbols in the order of their codes.
    private let symbols: [Int]

    /// Creates a code. Returns nil if the lengths belong to none. A code with one symbol, or none, may be incomplete.
    init?(_ lengths: [Int]) {
        for length in lengths { counts[length] += 1 }
        let used = lengths.count - counts[0]
        counts[0] = 0
        var left = 1
        for length in 1...15 {
            left = left * 2 - counts[length]
            guard left >= 0 else { return nil }
        }
        guard left == 0 || used <= 1 else { return nil }
        symbols = lengths.indices.filter { lengths[$0] > 0 }.sorted { (lengths[$0], $0) < (lengths[$1], $1) }
    }

    /// Adds a bit, and returns the symbol if the code is complete.
    func symbol(adding bit: Int, of length: Int, to reading: inout Reading) -> Int? {
        reading.code |= bit
        let offset = reading.code - reading.first
        guard offset >= counts[length] else { return symbols[reading.index + offset] }
        reading.index += counts[length]
        reading.first = (reading.first + counts[length]) << 1
        reading.code <<= 1
        reading.length = length
        return nil
    }

    static let fixedLiterals = PrefixCode(
        complete: (0..<288).map { $0 < 144 ? 8 : $0 < 256 ? 9 : $0 < 280 ? 7 : 8 })
    static let fixedDistances = PrefixCode(complete: [Int](repeating: 5, count: 32))

    /// Creates a code of lengths that certainly belong to one.
    private init(complete lengths: [Int]) {
        for length in lengths { counts[length] += 1 }
        symbols = lengths.indices.sorted { (lengths[$0], $0) < (lengths[$1], $1) }
    }
}

/// The checksums of gzip and zlib.
private enum Checksums {
    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { sum, _ in sum & 1 == 1 ? 0xedb8_8320 ^ (sum >> 1) : sum >> 1 }
    }

    static func crc32(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        ~bytes.reduce(0xffff_ffff) { sum, byte in table[Int((sum ^ UInt32(byte)) & 255)] ^ (sum >> 8) }
    }

    static func adler32(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        var (low, high): (UInt32, UInt32) = (1, 0)
        for byte in bytes {
            low = (low + UInt32(byte)) % 65521
            high = (high + low) % 65521
        }
        return high << 16 | low
    }
}
