import Testing

@testable import TangoCache

@Suite struct CacheKeyTests {
    @Test(arguments: ["", "a", "abc", "exactly 15 bytes", "longer than sixteen bytes", "é", "a\u{0}b"])
    func textAndItsBytesAreTheSameKey(_ text: String) {
        let one = CacheKey(text)
        let other = CacheKey(bytes: Array(text.utf8))
        #expect(one == other)
        #expect(one.hashValue == other.hashValue)
        #expect(one.digest == other.digest)
        #expect(one.bytes == other.bytes)
        #expect(one.count == other.count)
        #expect(one.text == other.text)
        #expect(one.description == other.description)
    }

    @Test(arguments: [
        ("\u{e9}", "e\u{301}"), ("a", "A"), ("a", "a "), ("a", "a\u{0}"), ("", "\u{0}"), ("a", "ab"),
        ("a long key that ends in 1", "a long key that ends in 2"),
    ])
    func textsThatOnlyLookTheSameAreDifferentKeys(_ one: String, _ other: String) {
        #expect(CacheKey(one) != CacheKey(other))
        #expect(CacheKey(one).digest != CacheKey(other).digest)
        #expect(Set([CacheKey(one), CacheKey(other)]).count == 2)
    }

    @Test func aKeyIsFoundInASet() {
        let keys = Set((0..<1_000).map { CacheKey("key-\($0)") })
        #expect(keys.count == 1_000)
        #expect((0..<1_000).allSatisfy { keys.contains(CacheKey(bytes: Array("key-\($0)".utf8))) })
        #expect(!keys.contains("key-1000"))
    }

    @Test func aKeyMayBeMadeFromALiteralASliceOrAnySequence() {
        let number = 7
        #expect("key-\(number)" as CacheKey == CacheKey("key-7"))
        #expect(CacheKey(String("a key in a text".dropFirst(2).prefix(3))) == "key")
        #expect(CacheKey(bytes: [0, 107, 101, 121, 0][1..<4]) == "key")
        #expect(CacheKey(bytes: sequence(first: 97) { $0 < 99 ? $0 + 1 : nil }) == "abc")
    }

    @Test(
        arguments: [
            ([], "", ""),
            ([97, 98], "ab", "ab"),
            ([0xc3, 0xa9], "é", "é"),
            ([97, 0, 98], "a\u{0}b", "0x610062"),
            ([10], "\n", "0x0a"),
            ([0xff, 0x00, 0x0f], nil, "0xff000f"),
            ([0xc3], nil, "0xc3"),
        ] as [([UInt8], String?, String)])
    func aKeyIsShownAsTextWhereItCanBe(_ bytes: [UInt8], _ text: String?, _ description: String) {
        let key = CacheKey(bytes: bytes)
        #expect(key.text == text)
        #expect(key.description == description)
        #expect(key.bytes == bytes)
        #expect(key.count == bytes.count)
    }

    @Test(arguments: [
        ("abc", "", true), ("abc", "a", true), ("abc", "abc", true), ("abc", "abcd", false), ("abc", "b", false),
        ("abc", "A", false), ("", "", true), ("", "a", false), ("\u{e9}", "e", false), ("e\u{301}", "e", true),
    ])
    func prefixesAreBytes(_ key: String, _ prefix: String, _ isPrefix: Bool) {
        #expect(CacheKey(key).hasPrefix(CacheKey(prefix)) == isPrefix)
        #expect(CacheKey(bytes: Array(key.utf8)).hasPrefix(CacheKey(bytes: Array(prefix.utf8))) == isPrefix)
    }

    @Test func prefixesMayCutACharacter() {
        #expect(CacheKey("é").hasPrefix(CacheKey(bytes: [0xc3])))
    }
}
