/// The bytes of generated bodies: byte `i` is `i % 251`, so that a client can check any part of them.
enum Filler {
    static let period = 251

    /// A block of whole periods, so that it can be repeated.
    static let block = Block((0..<(period * 1024)).map { UInt8($0 % period) })

    /// Returns the longest available segment that begins at a position of the body.
    static func segment(from position: Int, upTo end: Int) -> Segment {
        let offset = position % block.count
        return Segment(block, from: offset, to: min(block.count, offset + end - position))
    }
}
