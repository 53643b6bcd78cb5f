import Synchronization
import TangoCache

/// Reads of entries. Single keys are read together: those that follow shortly after a read wait for its end, or for more
/// keys, and then share the next one.
///
/// So a lone read is sent at once, and many reads at once share commands and round trips.
final class Reads: Sendable {
    /// A task that waits for an entry. Its continuation is unsafe because a checked one needs memory for each read; it is
    /// resumed once, by `Lookup`.
    struct Waiter: Sendable {
        let name: [UInt8]
        let continuation: UnsafeContinuation<Place, any Error>
    }

    /// The place of an entry in the result of a lookup.
    struct Place: Sendable {
        let found: Found
        let position: Int
    }

    /// The number of keys that are read together.
    static let limit = ReadQueue<Waiter>.limit

    private let queue = Mutex(ReadQueue<Waiter>())
    private let names: Names
    private let loop: Loop
    private let pool = ReplyPool()

    init(_ names: Names, _ loop: Loop) {
        self.names = names
        self.loop = loop
    }

    /// Reads the entry under a name, alone or with others.
    nonisolated(nonsending) func read(_ name: [UInt8]) async throws -> Place {
        try await withUnsafeThrowingContinuation { continuation in
            let waiter = Waiter(name: name, continuation: continuation)
            send(
                queue.withLock { queue in
                    queue.add(waiter)
                    return queue.next(now: .now)
                })
        }
    }

    /// Reads entries with one command.
    nonisolated(nonsending) func read(_ names: [[UInt8]]) async throws -> Found {
        try await withUnsafeThrowingContinuation { continuation in
            do {
                try submit(names, Lookup(names.count, pool) { continuation.resume(with: $0) })
            } catch {
                continuation.resume(throwing: error)
            }
        }
    }

    private func send(_ batch: [Waiter]) {
        var batch = batch
        while !batch.isEmpty {
            do {
                let lookup = Lookup(batch.count, pool) { [self, batch] result in
                    // The server reads the next entries while these are decoded.
                    send(queue.withLock { $0.next(after: 1, now: .now) })
                    for (position, waiter) in batch.enumerated() {
                        waiter.continuation.resume(with: result.map { Place(found: $0, position: position) })
                    }
                }
                return try submit(batch.map(\.name), lookup)
            } catch {
                let next = queue.withLock { $0.next(after: 1, now: .now) }
                for waiter in batch { waiter.continuation.resume(throwing: error) }
                batch = next
            }
        }
    }

    private func submit(_ entryNames: [[UInt8]], _ lookup: Lookup) throws(CacheError) {
        let isSingle = entryNames.count == 1
        var commands = Commands()
        commands.reserve(entryNames.reduce(96 + names.base.count) { $0 + $1.count + names.base.count + 16 })
        commands.begin(entryNames.count + 1, expecting: isSingle ? .string : .array)
        commands.word(isSingle ? "GET" : "MGET")
        for name in entryNames { commands.word(names.base, UInt8(ascii: "e"), name) }
        // The incarnation is read after the entries. If it is still theirs, no removal was lost before they were read.
        commands.begin(4, expecting: .array)
        commands.word("ZRANGE")
        commands.word(names.base, UInt8(ascii: "i"), [])
        commands.word("0")
        commands.word("0")
        try loop.submit(commands, to: lookup, within: loop.configuration.budget)
    }
}

/// The entries that a lookup has read, in the form in which they are stored.
struct Found: Sendable {
    private let memory: ReplyMemory
    /// The mark of the index that was read after them.
    let mark: [UInt8]

    fileprivate init(_ memory: ReplyMemory, mark: [UInt8]) {
        self.memory = memory
        self.mark = mark
    }

    enum Value {
        case missing
        /// A value that is not a string.
        case foreign
        case string(UnsafeRawBufferPointer)
    }

    /// Calls a closure with the value at a position.
    func withValue<Result>(at position: Int, _ body: (Value) throws -> Result) rethrows -> Result {
        let part = memory.type(at: 0) == ReplyMemory.array ? position + 1 : position
        switch memory.type(at: part) {
        case ReplyMemory.string: return try memory.withText(at: part) { try body(.string($0)) }
        case ReplyMemory.error: return try body(.foreign)
        default: return try body(.missing)
        }
    }
}

/// Receives the replies of a read: the entries, and then the mark of the index.
private final class Lookup: Receiver {
    private struct State {
        var memory: ReplyMemory?
        var mark: Reply?
    }

    private let count: Int
    private let pool: ReplyPool
    private let completion: @Sendable (Result<Found, any Error>) -> Void
    private let state = Mutex(State())

    init(_ count: Int, _ pool: ReplyPool, _ completion: @escaping @Sendable (Result<Found, any Error>) -> Void) {
        self.count = count
        self.pool = pool
        self.completion = completion
    }

    func receive(_ parser: borrowing ReplyParser) {
        state.withLock { state in
            if state.memory == nil { state.memory = parser.take(pool) } else { state.mark = parser.reply }
        }
    }

    func finish(_ failure: CacheError?) {
        if let failure { return completion(.failure(failure)) }
        let (memory, mark) = state.withLock { ($0.memory, $0.mark) }
        completion(Result { try found(memory, mark) })
    }

    private func found(_ memory: ReplyMemory?, _ mark: Reply?) throws -> Found {
        guard let memory, let mark else { throw Handshake.garbled }
        for refusal in [memory.refusal, mark.refusal].compactMap(\.self) { throw refusal.error }
        let isComplete =
            count == 1
            ? memory.count == 1
            : memory.type(at: 0) == ReplyMemory.array && memory.number(at: 0) == count && memory.count == count + 1
        guard isComplete else { throw Handshake.garbled }
        return Found(memory, mark: Array(mark.parts?.first?.data ?? .init()))
    }
}
