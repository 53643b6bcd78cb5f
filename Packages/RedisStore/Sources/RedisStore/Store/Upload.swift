import Synchronization
import TangoCache

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The chunks of a body on their way to the server. They have a generation of their own, so that readers of the old body
/// go on.
struct Upload: Sendable {
    /// The entry without its body.
    let entry: CacheEntry
    let generation: [UInt8]
    private(set) var count = 0
    private(set) var size = 0
    private var sum = SipState(0, 0)
    /// The bytes that do not fill a word yet.
    private var tail: [UInt8] = []
    private let chunkSize: Int

    /// Chunks of a writer that is never committed are removed by the server after this time.
    private static let life = "3600000"

    init(_ entry: CacheEntry, chunkSize: Int) {
        var entry = entry
        entry.body = Data()
        self.entry = entry
        self.chunkSize = chunkSize
        generation = (0..<16).map { _ in Array("0123456789abcdef".utf8)[Int.random(in: 0..<16)] }
    }

    var isEmpty: Bool { count == 0 }

    /// The checksum of all bytes so far.
    var checksum: UInt64 {
        var sum = sum
        var last = UInt64(truncatingIfNeeded: size) << 56
        for (shift, byte) in tail.enumerated() { last |= UInt64(byte) << UInt64(shift * 8) }
        sum.add(last)
        return sum.value
    }

    /// Uploads bytes in chunks.
    mutating func add(_ bytes: Data, to store: RedisStore) async throws {
        var rest = bytes
        while !rest.isEmpty {
            let chunk = Data(rest.prefix(chunkSize))
            rest = rest.dropFirst(chunkSize)
            var commands = Commands()
            commands.begin(5, expecting: .string)
            commands.word("SET")
            commands.word(store.names.chunk(count, of: generation))
            let check = Self.checksum(of: chunk, count, generation)
            commands.word(Swift.withUnsafeBytes(of: check.bigEndian) { Data($0) } + chunk)
            commands.word("PX")
            commands.word(Self.life)
            if case .error(let text) = try await store.perform(commands, isBulk: true).first {
                throw Refusal(text: text).error
            }
            note(chunk)
        }
    }

    /// Returns the checksum of a chunk, which differs for each place and body.
    static func checksum(of chunk: Data, _ number: Int, _ generation: [UInt8]) -> UInt64 {
        let place = generation.withUnsafeBytes { SipState.hash($0) }
        return chunk.withUnsafeBytes { SipState.hash($0, place, UInt64(number)) }
    }

    private mutating func note(_ chunk: Data) {
        count += 1
        size += chunk.count
        var bytes = chunk[...]
        while !tail.isEmpty, tail.count < 8, let byte = bytes.popFirst() { tail.append(byte) }
        if tail.count == 8 {
            sum.add(tail.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
            tail = []
        }
        guard tail.isEmpty else { return }
        let whole = bytes.count / 8 * 8
        bytes.prefix(whole).withUnsafeBytes { words in
            for offset in stride(from: 0, to: whole, by: 8) {
                sum.add(UInt64(littleEndian: words.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
            }
        }
        tail = Array(bytes.dropFirst(whole))
    }

    /// Removes the chunks, as far as the server can be reached.
    func abandon(in store: RedisStore) {
        guard count > 0 else { return }
        let chunks = (0..<count).map { store.names.chunk($0, of: generation) }
        Task.detached { [weak store] in
            var commands = Commands()
            commands.add([Array("UNLINK".utf8)] + chunks)
            _ = try? await store?.perform(commands)
        }
    }
}

/// The target of a writer: it uploads whole chunks, and holds the rest.
final class UploadTarget: CacheWriter.Target {
    private struct State {
        var upload: Upload
        var rest: Data
    }

    private let store: RedisStore
    private let key: CacheKey
    private let state: Mutex<State>

    init(_ store: RedisStore, _ key: CacheKey, _ entry: CacheEntry) {
        self.store = store
        self.key = key
        let upload = Upload(entry, chunkSize: store.configuration.chunkSize)
        state = Mutex(State(upload: upload, rest: entry.body))
    }

    func write(_ portion: Data) async throws {
        var (upload, rest) = state.withLock { ($0.upload, $0.rest) }
        rest.append(portion)
        let size = store.configuration.chunkSize
        while rest.count > size {
            try await upload.add(Data(rest.prefix(size)), to: store)
            // A slice, because the bytes of a long portion would be copied for each chunk.
            rest = rest.dropFirst(size)
            save(upload, rest)
        }
        save(upload, Data(rest))
    }

    func commit() async throws {
        try await write(Data())
        var (upload, rest) = state.withLock { ($0.upload, $0.rest) }
        if !upload.isEmpty {
            try await upload.add(rest, to: store)
            save(upload, Data())
        }
        _ = try await store.commit(upload, for: key, moment: "", lastPortion: rest)
    }

    func abandon() {
        state.withLock { $0.upload }.abandon(in: store)
    }

    private func save(_ upload: Upload, _ rest: Data) {
        state.withLock { $0 = State(upload: upload, rest: rest) }
    }
}
