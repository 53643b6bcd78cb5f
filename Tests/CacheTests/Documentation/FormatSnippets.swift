import Foundation
import Testing

@testable import TangoCache

/// A reader that is written after the page on the format, on files that a store has written.
@Suite struct FormatSnippets {
    private let place = ScratchFolder()

    @Test(arguments: Array(0...300) + [1000, 65_536, 70_001])
    func theDigestIsTheOneOfThePage(_ count: Int) {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
        var plain = PlainDigest(seed: UInt64(count))
        plain.add(bytes)
        plain.add(UInt64(count))
        var digest = Digest(seed: UInt64(count))
        bytes.withUnsafeBytes { digest.combine($0) }
        digest.combine(UInt64(count))
        #expect(digest.value == plain.value)
    }

    @Test(
        arguments: [
            ([], 0xf919_2aeb_c956_dae2),
            (Array("a".utf8), 0xec27_fed3_a5ce_be6f),
            (Array("users/1".utf8), 0x4628_835f_a38f_c7d1),
            (Array(0...15), 0x5e04_0172_02d4_338a),
            (Array(0...16), 0x44fc_007d_303d_384b),
            (Array(0...128), 0xca91_7427_9018_2c96),
        ] as [([UInt8], UInt64)])
    func theDigestsOfThePageAreRight(_ bytes: [UInt8], _ digest: UInt64) {
        #expect(CacheKey(bytes: bytes).digest == digest)
    }

    @Test func theFactsOfThePageAreRight() {
        let facts = MetadataCoding.encode(metadata: ["etag": "x"], tags: ["users"])
        #expect(
            facts.map { String(UInt($0) + 256, radix: 16).suffix(2) }.joined(separator: " ")
                == "01 04 65 74 61 67 01 78 01 05 75 73 65 72 73")
    }

    @Test(arguments: [16_385, 65_536, 200_000], [false, true])
    func theFileOfAnEntryIsAsThePageSays(_ count: Int, _ isPortioned: Bool) async throws {
        let store = try DiskStore(directory: place.url)
        var entry = CacheEntry(body: Data((0..<count).map { UInt8(truncatingIfNeeded: $0) }), pinned: true)
        (entry.metadata, entry.tags) = (["etag": "x"], ["users"])
        entry.written = Date(timeIntervalSinceReferenceDate: 1000.5)
        entry.expires = Date(timeIntervalSinceReferenceDate: 4e9)
        if isPortioned {
            let writer = try await store.writer(for: "users/1", entry: entry)
            try await writer.commit()
        } else {
            try await store.set(entry, for: "users/1")
        }
        let file = try #require(place.files.first { $0.hasPrefix("bodies/") })
        try check(file: file, entry, pinned: true)
        await store.close()
    }

    @Test func theFolderIsAsThePageSays() async throws {
        let store = try DiskStore(directory: place.url)
        let entry = CacheEntry(
            body: Data(count: 16_385), metadata: ["etag": "x"], expires: Date(timeIntervalSinceReferenceDate: 4e9),
            tags: ["users"], written: Date(timeIntervalSinceReferenceDate: 1000.5))
        try await store.set(entry, for: "users/1")
        let files = place.files
        let body = try #require(files.first { $0.hasPrefix("bodies/") })
        let instance = body.dropFirst("bodies/".count).prefix(8)
        #expect(body.hasSuffix("/\(instance)00000000"))
        let index = ["index/entries.sqlite", "index/entries.sqlite-shm", "index/entries.sqlite-wal"]
        #expect(files == [body] + index + ["instances/\(instance)", "lock"])
        try check(file: body, entry, pinned: false)
        await store.close()
    }

    @Test(arguments: [100, 16_384, 16_385]) func theRowOfAnEntryIsAsThePageSays(_ count: Int) async throws {
        let store = try DiskStore(directory: place.url)
        var entry = CacheEntry(body: Data(repeating: 7, count: count), metadata: ["etag": "x"], tags: ["users"])
        entry.written = Date(timeIntervalSinceReferenceDate: 1000.5)
        try await store.set(entry, for: "users/1")
        let database = try Database(place.path + "/index/entries.sqlite", .reader, timeout: 1000)
        let statement = try database.statement(
            "SELECT hash, flags, length, written, expires, file, checksum, key, facts, body FROM entry")
        defer { statement.reset() }
        #expect(try statement.step())
        let file = statement.optionalInteger(5)
        let facts = Array(statement.bytes(8))
        #expect(UInt64(bitPattern: statement.integer(0)) == 0x4628_835f_a38f_c7d1)
        #expect(statement.integer(1) == 2)
        #expect(statement.integer(2) == Int64(count))
        #expect(statement.real(3) == 1000.5)
        #expect(statement.optionalReal(4) == nil)
        #expect((file != nil) == (count > 16_384))
        #expect(Array(statement.bytes(7)) == Array("users/1".utf8))
        #expect(facts == MetadataCoding.encode(entry))
        #expect(statement.bytes(9).count == (file == nil ? count : 0))

        var digest = PlainDigest(seed: UInt64(2 + 256 * count))
        digest.add(1000.5.bitPattern)
        digest.add(UInt64.max)
        if let file { digest.add(UInt64(bitPattern: file)) }
        digest.add(Array("users/1".utf8))
        digest.add(facts)
        if file == nil { digest.add(Array(entry.body)) }
        #expect(UInt64(bitPattern: statement.integer(6)) == digest.value)
        await store.close()
    }

    @Test func theDatabaseIsSetUpAsThePageSays() async throws {
        let store = try DiskStore(directory: place.url, version: 3)
        try await store.set(CacheEntry(body: Data(count: 100), tags: ["users"], pinned: true), for: "users/1")
        let database = try Database(place.path + "/index/entries.sqlite", .reader, timeout: 1000)
        #expect(try database.integer("PRAGMA application_id") == 0x546e_676f)
        #expect(try database.integer("PRAGMA user_version") == 3)
        #expect(try database.integer("PRAGMA page_size") == 4096)
        #expect(try database.integer("SELECT count(*) FROM pragma_journal_mode WHERE journal_mode = 'wal'") == 1)
        #expect(try database.integer("SELECT count(*) FROM tag WHERE name = CAST('users' AS BLOB) AND id = 1") == 1)
        #expect(
            try database.integer(
                """
                SELECT count(*) FROM total
                WHERE id = 1 AND count = 1 AND pinned_count = 1 AND pinned_bytes = bytes AND application = 3
                """) == 1)
        #expect(try database.integer("SELECT bytes FROM total") == 100 + 7 + 8 + 128)
        await store.close()
    }

    /// Reads the file of an entry as the page describes it.
    private func check(file name: String, _ entry: CacheEntry, pinned: Bool) throws {
        let bytes = Array(try Data(contentsOf: place.url.appendingPathComponent(name)))
        let plain = PlainDigest()
        let key = Array("users/1".utf8)
        let facts: [UInt8] = [1, 4, 0x65, 0x74, 0x61, 0x67, 1, 0x78, 1, 5, 0x75, 0x73, 0x65, 0x72, 0x73]
        let body = 64 + key.count + facts.count
        let table = body + entry.body.count
        #expect(Array(bytes[..<4]) == Array("TNGO".utf8))
        #expect(plain.word(bytes, at: 4, 2) == 1)
        #expect(plain.word(bytes, at: 6, 2) == (pinned ? 3 : 2))
        #expect(plain.word(bytes, at: 8, 4) == UInt64(key.count))
        #expect(plain.word(bytes, at: 12, 4) == UInt64(facts.count))
        #expect(plain.word(bytes, at: 16) == UInt64(entry.body.count))
        #expect(plain.word(bytes, at: 24) == 1000.5.bitPattern)
        #expect(plain.word(bytes, at: 32) == 4e9.bitPattern)
        #expect(Array(bytes[40..<56]) == Array(repeating: 0, count: 16))
        #expect(Array(bytes[64..<body]) == key + facts)
        #expect(Array(bytes[body..<table]) == Array(entry.body))
        let starts = Array(stride(from: body, to: table, by: 65_536))
        #expect(bytes.count == table + 8 * starts.count)
        for (number, start) in starts.enumerated() {
            var digest = PlainDigest()
            digest.add(Array(bytes[start..<min(start + 65_536, table)]))
            #expect(plain.word(bytes, at: table + 8 * number) == digest.value)
        }
        var checksum = PlainDigest()
        checksum.add(Array(bytes[..<56]))
        checksum.add(Array(bytes[64..<body]))
        checksum.add(Array(bytes[table...]))
        #expect(plain.word(bytes, at: 56) == checksum.value)
    }
}

struct PlainDigest {
    static let a: UInt64 = 0x9e37_79b9_7f4a_7c15
    static let b: UInt64 = 0xc2b2_ae3d_27d4_eb4f
    static let c: UInt64 = 0xa076_1d64_78bd_642f
    static let d: UInt64 = 0xe703_7ed1_a0b4_28db
    static let e: UInt64 = 0x8ebc_6af0_9c88_c6e3

    var value: UInt64

    init(seed: UInt64 = 0) { value = seed ^ Self.e }

    mutating func add(_ number: UInt64) { value = fold(number ^ Self.c, value ^ Self.d) }

    mutating func add(_ bytes: [UInt8]) {
        let (a, b, c, d) = (Self.a, Self.b, Self.c, Self.d)
        guard !bytes.isEmpty else { return add(0) }
        var rest = bytes
        var lane = value
        if rest.count > 128 {
            var lanes = [lane ^ a, lane ^ b, lane ^ c, lane ^ d, lane &+ a, lane &+ b, lane &+ c, lane &+ d]
            while rest.count > 128 {
                for (number, mask) in [a, b, c, d, b, c, d, a].enumerated() {
                    let (one, other) = (word(rest, at: 16 * number), word(rest, at: 16 * number + 8))
                    lanes[number] = fold(one ^ mask, other ^ lanes[number])
                }
                rest.removeFirst(128)
            }
            let first = fold(lanes[0] ^ d, lanes[1]) ^ fold(lanes[2] ^ a, lanes[3])
            let second = fold(lanes[4] ^ b, lanes[5]) ^ fold(lanes[6] ^ c, lanes[7])
            lane = fold(first ^ a, second ^ b)
        }
        while rest.count > 16 {
            lane = fold(word(rest, at: 0) ^ b, word(rest, at: 8) ^ lane)
            rest.removeFirst(16)
        }
        let (low, high) = tail(rest)
        lane = fold(low ^ c, high ^ lane)
        value = fold(lane ^ d, UInt64(bytes.count) ^ Self.e)
    }

    func tail(_ rest: [UInt8]) -> (UInt64, UInt64) {
        let count = rest.count
        if count >= 8 { return (word(rest, at: 0), word(rest, at: count - 8)) }
        if count >= 4 { return (word(rest, at: 0, 4), word(rest, at: count - 4, 4)) }
        return (UInt64(rest[0]) | UInt64(rest[count / 2]) << 8, UInt64(rest[count - 1]))
    }

    func word(_ bytes: [UInt8], at offset: Int, _ count: Int = 8) -> UInt64 {
        bytes[offset..<(offset + count)].reversed().reduce(0) { word, byte in word << 8 | UInt64(byte) }
    }

    func fold(_ one: UInt64, _ other: UInt64) -> UInt64 {
        let product = one.multipliedFullWidth(by: other)
        return product.high ^ product.low
    }
}
