import Synchronization
import TangoCHiredis

/// A parser of replies. It belongs to one thread.
struct ReplyParser: ~Copyable {
    private let parser: OpaquePointer

    /// Returns nil if there is no memory.
    init?() {
        guard let parser = tango_hiredis_create() else { return nil }
        self.parser = parser
    }

    deinit {
        tango_hiredis_free(parser)
    }

    /// Adds received bytes. Returns false if the bytes before them were invalid.
    func feed(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let start = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
        return tango_hiredis_feed(parser, start, bytes.count) == 0
    }

    enum Step {
        /// There is a reply, until the next step.
        case reply
        case needsMore
        case invalid
    }

    func next() -> Step {
        switch tango_hiredis_next(parser) {
        case 1: .reply
        case 0: .needsMore
        default: .invalid
        }
    }

    /// The type of the reply, as a number of hiredis.
    var type: Int32 { tango_hiredis_reply(parser).pointee.values.pointee.type }

    /// A copy of the reply.
    var reply: Reply {
        var position = 0
        return Reply(tango_hiredis_reply(parser).pointee, at: &position)
    }

    func pass(to receiver: any Receiver) {
        receiver.receive(self)
    }

    /// Takes the reply with its memory, without a copy.
    func take(_ pool: ReplyPool) -> ReplyMemory {
        var memory = pool.take()
        tango_hiredis_exchange(parser, &memory.reply)
        return ReplyMemory(memory, pool)
    }
}

/// A reply in the memory that the parser has written it to.
///
/// Nothing changes it as long as the object exists.
final class ReplyMemory: Sendable {
    private let owned: ReplyPool.Memory
    private let pool: ReplyPool
    private var memory: tango_redis_reply { owned.reply }

    fileprivate init(_ memory: ReplyPool.Memory, _ pool: ReplyPool) {
        owned = memory
        self.pool = pool
    }

    deinit {
        pool.give(owned)
    }

    static let string = tango_redis_string
    static let array = tango_redis_array
    static let error = tango_redis_error

    /// The number of parts.
    var count: Int { memory.count }

    /// Returns the type of a part, as a number of hiredis.
    func type(at position: Int) -> Int {
        Int(memory.values[position].type)
    }

    /// Returns the number of a part, or the number of elements of an array.
    func number(at position: Int) -> Int {
        Int(memory.values[position].integer)
    }

    /// Calls a closure with the text of a part.
    func withText<Result>(at position: Int, _ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try body(memory.text(of: memory.values[position]))
    }
}

extension ReplyMemory {
    /// The refusal of the command, except for keys of the wrong type.
    var refusal: Refusal? {
        guard type(at: 0) == Self.error else { return nil }
        let text = withText(at: 0) { String(decoding: $0, as: UTF8.self) }
        return text.hasPrefix("WRONGTYPE") ? nil : Refusal(text: text)
    }
}

/// Memory of replies that is used again: the system's allocator would return large blocks to the kernel each time.
final class ReplyPool: Sendable {
    /// It is unchecked because it holds pointers, which have one owner at a time.
    fileprivate struct Memory: @unchecked Sendable {
        var reply = tango_redis_reply()
    }

    private static let limit = 8
    private static let longest = 1 << 20
    private let free = Mutex<[Memory]>([])

    deinit {
        for var memory in free.withLock({ $0 }) { tango_hiredis_free_reply(&memory.reply) }
    }

    fileprivate func take() -> Memory {
        free.withLock { $0.popLast() } ?? Memory()
    }

    fileprivate func give(_ memory: Memory) {
        let isKept = free.withLock { free in
            guard free.count < Self.limit, memory.reply.byte_capacity <= Self.longest else { return false }
            free.append(memory)
            return true
        }
        if isKept { return }
        var memory = memory
        tango_hiredis_free_reply(&memory.reply)
    }
}
