/// Bytes at a fixed address, so that one system call can write many blocks.
///
/// An array lends its address to a closure only, and closures cannot be nested once for each element of a queue.
/// Sharing a block is safe because its bytes are written once, before it is shared.
final class Block: @unchecked Sendable {
    let start: UnsafeRawPointer
    let count: Int

    init(_ bytes: some Collection<UInt8>) {
        count = bytes.count
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, count), alignment: 16)
        memory.copyBytes(from: bytes)
        start = UnsafeRawPointer(memory.baseAddress!)
    }

    deinit { start.deallocate() }
}

/// A part of a block that is to be sent.
struct Segment {
    let block: Block
    var offset: Int
    let end: Int

    init(_ block: Block, from offset: Int, to end: Int) {
        self.block = block
        self.offset = offset
        self.end = end
    }

    init(_ block: Block) {
        self.init(block, from: 0, to: block.count)
    }

    var count: Int { end - offset }
}

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
