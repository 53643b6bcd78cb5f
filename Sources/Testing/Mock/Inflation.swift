import TangoCZlib

/// Decodes bytes in the formats of gzip and deflate (RFC 1950, 1951 and 1952) with zlib.
struct Inflation {
    enum Problem: Error {
        /// The input ends before its end is announced.
        case isTruncated
        case isDamaged
        case isTooLong
        case noLibrary(String)
    }

    /// A format, by its number in zlib.
    private enum Format: Int32 {
        case gzip = 31
        case zlib = 15
        /// The plain blocks that some servers send as `deflate`.
        case blocks = -15
    }

    let limits: Decompression
    private(set) var output = Data()

    init(_ limits: Decompression) {
        self.limits = limits
    }

    mutating func readGzip(_ input: Data) throws(Problem) {
        try read(input, .gzip)
    }

    mutating func readDeflate(_ input: Data) throws(Problem) {
        let head = input.prefix(2).map(Int.init)
        guard head.count == 2 else { throw .isTruncated }
        let isZlib = head[0] & 15 == 8 && head[0] >> 4 < 8 && (head[0] << 8 | head[1]) % 31 == 0
        try read(input, isZlib ? .zlib : .blocks)
    }

    private mutating func read(_ input: Data, _ format: Format) throws(Problem) {
        if let reason = tango_zlib_load() { throw .noLibrary(String(cString: reason)) }
        var stream = tango_z_stream()
        guard tango_inflate_init(&stream, format.rawValue) == Int32(TANGO_Z_OK) else { throw .isDamaged }
        defer { tango_inflate_end(&stream) }
        var room = [UInt8](repeating: 0, count: 16_384)
        // A body of more than 4 GB fits in no stub.
        stream.avail_in = UInt32(clamping: input.count)
        while true {
            let (code, count) = Self.step(&stream, input, &room)
            guard limits.allows(output.count + count, from: Int(stream.total_in)) else { throw .isTooLong }
            output += room[..<count]
            switch code {
            case TANGO_Z_STREAM_END:
                guard stream.avail_in == 0 else { throw .isDamaged }
                return
            case TANGO_Z_OK where count > 0 || stream.avail_in > 0: continue
            case TANGO_Z_OK, TANGO_Z_BUF_ERROR: throw .isTruncated
            default: throw .isDamaged
            }
        }
    }

    /// Decodes as much as there is room for.
    private static func step(
        _ stream: inout tango_z_stream, _ input: Data, _ room: inout [UInt8]
    ) -> (code: Int, count: Int) {
        input.withUnsafeBytes { input in
            room.withUnsafeMutableBufferPointer { room in
                let start = input.assumingMemoryBound(to: UInt8.self).baseAddress
                stream.next_in = start.map { $0 + Int(stream.total_in) }
                stream.next_out = room.baseAddress
                stream.avail_out = UInt32(room.count)
                let code = tango_inflate(&stream)
                return (Int(code), room.count - Int(stream.avail_out))
            }
        }
    }
}
