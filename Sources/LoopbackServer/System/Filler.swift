/// The bytes of bodies that are generated: byte `i` is `i % 251`, so a client can check what it got at any place.
enum Filler {
    static let period = 251

    /// A whole number of periods, so that it can follow itself.
    static let block = Block((0..<(period * 1024)).map { UInt8($0 % period) })

    /// The longest segment that begins at a position of the body.
    static func segment(from position: Int, upTo end: Int) -> Segment {
        let offset = position % block.count
        return Segment(block, from: offset, to: min(block.count, offset + end - position))
    }
}
