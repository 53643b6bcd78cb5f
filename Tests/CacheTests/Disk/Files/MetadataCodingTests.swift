import Foundation
import Testing

@testable import TangoCache

@Suite struct FactsTests {
    private static let table: [([String: String], Set<String>)] = [
        ([:], []),
        (["a": "b"], []),
        ([:], ["tag"]),
        (["": ""], [""]),
        (["etag": "\"x\"", "content-type": "text/plain", "é": "🎏"], ["users", "posts", "\u{0}"]),
        (["long": String(repeating: "x", count: 20_000)], [String(repeating: "y", count: 300)]),
        (Dictionary(uniqueKeysWithValues: (0..<200).map { ("\($0)", "\($0 * $0)") }), Set((0..<200).map { "t\($0)" })),
    ]

    @Test(arguments: table) func factsComeBack(_ metadata: [String: String], _ tags: Set<String>) throws {
        let bytes = MetadataCoding.encode(CacheEntry(body: Data(), metadata: metadata, tags: tags))
        let facts = try #require(bytes.withUnsafeBytes { MetadataCoding.decode($0) })
        #expect(facts.metadata == metadata)
        #expect(facts.tags == tags)
    }

    @Test func noFactsAreNoBytes() {
        #expect(MetadataCoding.encode(CacheEntry(body: Data([1]), expires: Date(), pinned: true)) == [])
    }

    @Test func theSameFactsAreTheSameBytes() {
        let names = (0..<100).map { "name \($0)" }
        var one: [String: String] = [:]
        var other: [String: String] = Dictionary(minimumCapacity: 1_000)
        for name in names { one[name] = name }
        for name in names.reversed() { other[name] = name }
        let bytes = MetadataCoding.encode(metadata: one, tags: Set(names))
        #expect(bytes == MetadataCoding.encode(metadata: other, tags: Set(names.reversed())))
    }

    @Test func theBytesAreThese() {
        let bytes = MetadataCoding.encode(metadata: ["b": "2", "a": "1"], tags: ["z", "y"])
        #expect(bytes == [2, 1, 97, 1, 49, 1, 98, 1, 50, 2, 1, 121, 1, 122])
    }

    @Test func truncatedOrExtendedFactsAreInvalid() {
        let bytes = MetadataCoding.encode(metadata: ["name": "value", "a": "b"], tags: ["tag"])
        for count in 1..<bytes.count {
            #expect(bytes[..<count].withUnsafeBytes { MetadataCoding.decode($0) } == nil)
        }
        #expect((bytes + [0]).withUnsafeBytes { MetadataCoding.decode($0) } == nil)
    }

    @Test(
        arguments: [
            [0xff], [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], [1, 0xff, 0xff, 0xff, 0x7f],
            [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f], [0x80, 0x80, 0x80], [0, 1, 1, 0xff],
            [0, 0xff, 0xff, 0xff, 0xff, 0x0f], [1, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 0],
        ] as [[UInt8]]) func garbageIsNothing(_ bytes: [UInt8])
    {
        #expect(bytes.withUnsafeBytes { MetadataCoding.decode($0) } == nil)
    }

    @Test func anyBytesAreReadWithoutHarm() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<20_000 {
            let bytes = (0..<Int.random(in: 0...40)).map { _ in UInt8(truncatingIfNeeded: random.next()) >> 3 }
            guard let facts = bytes.withUnsafeBytes({ MetadataCoding.decode($0) }) else { continue }
            let again = MetadataCoding.encode(metadata: facts.metadata, tags: facts.tags)
            #expect(again.withUnsafeBytes { MetadataCoding.decode($0) }?.metadata == facts.metadata)
        }
    }
}
