/// Bytes that stay at one place in memory, so that the system can be handed many of them in one call.
///
/// An array gives out its address for the time of a closure only, which cannot be nested as deep as a queue is long.
/// The bytes are written once, before anybody else sees them: that is why sharing them is safe.
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

/// A part of a block that has to be sent.
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
