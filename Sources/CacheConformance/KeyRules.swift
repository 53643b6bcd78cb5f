/// Keys are bytes of any length, including zero. Different keys never share an entry.
extension Rule {
    static let keys: [Self] =
        anyBytes.map { name, key in
            Self("A key may be \(name).") { trial in
                let entry = Sample.entry(1)
                try await trial.roundTrip(entry, at: key)
                try await trial.expectListed([key])
                try await trial.store.remove(key)
                try await trial.expect(nil, at: key)
            }
        }
        + alike.map { name, keys in
            Self("Keys that \(name) are different keys.") { trial in
                for (number, key) in keys.enumerated() {
                    try await trial.store.set(Sample.entry(number), for: key)
                }
                for (number, key) in keys.enumerated() {
                    try await trial.expect(Sample.entry(number), at: key)
                }
                try await trial.expectListed(keys)
                try await trial.store.remove(keys[0])
                try await trial.expect(nil, at: keys[0])
                try await trial.expect(Sample.entry(1), at: keys[1])
                try await trial.expectListed(Array(keys.dropFirst()))
            }
        }
        + [
            Self("A key made from text and one made from the same bytes are the same key.") { trial in
                try await trial.store.set(Sample.entry(1), for: "a/é")
                try await trial.expect(Sample.entry(1), at: CacheKey(bytes: Array("a/é".utf8)))
                try await trial.store.set(Sample.entry(2), for: CacheKey(bytes: Array("a/é".utf8)))
                try await trial.expect(Sample.entry(2), at: "a/é")
                try await trial.expectListed(["a/é"])
                try await trial.store.set(Sample.entry(3), for: "")
                try await trial.expect(Sample.entry(3), at: CacheKey(bytes: []))
            }
        ]

    private static let anyBytes: [(name: String, key: CacheKey)] = [
        ("empty", ""),
        ("a zero byte", CacheKey(bytes: [0])),
        ("bytes that are not UTF-8", CacheKey(bytes: [0xff, 0xfe, 0xc3, 0x28, 0x80])),
        ("every possible byte", CacheKey(bytes: UInt8.min...UInt8.max)),
        ("10 KB long", CacheKey(String(repeating: "0123456789abcdef", count: 640))),
        ("text of any script", "schlüssel 鍵 ключ مفتاح 🔑"),
        ("text with special characters of files, shells and databases", "../a\\b:c?d*e|f<g>\"h'i;--%_$(j)\n"),
    ]

    private static let alike: [(name: String, keys: [CacheKey])] = [
        ("differ in case", ["a", "A", "ß", "ẞ", "SS"]),
        ("differ in how accents are composed", ["\u{e9}", "e\u{301}", "\u{c5}", "\u{212b}", "A\u{30a}"]),
        ("differ in white space at the start or end", ["a", "a ", " a", "a\n", "a\t", "a\r\n"]),
        (
            "differ in zero bytes at the start or end",
            [
                CacheKey(bytes: [97]), CacheKey(bytes: [97, 0]), CacheKey(bytes: [97, 0, 0]), CacheKey(bytes: [0, 97]),
                CacheKey(bytes: [97, 0, 98]), CacheKey(bytes: []), CacheKey(bytes: [0]),
            ]
        ),
        ("are prefixes of one another", ["a", "ab", "abc", "a/", "a/b", "a.b"]),
        ("are paths to the same file", ["a/b", "./a/b", "a//b", "/a/b", "a/b/", "c/../a/b", ".", "..", "/"]),
        ("are the same number", ["1", "01", "1.0", "1e0", "+1", "0x1"]),
        (
            "are 10 KB long and differ in the last byte",
            ["x", "y", "z"].map { last in CacheKey(String(repeating: "k", count: 10_239) + last) }
        ),
        (
            "are not UTF-8",
            [
                CacheKey(bytes: [0xff]), CacheKey(bytes: [0xfe]), CacheKey(bytes: [0xff, 0xff]),
                CacheKey(bytes: [0xc3]), CacheKey(bytes: [0xef, 0xbf, 0xbd]),
            ]
        ),
        (
            "are bytes and text forms of these bytes",
            [CacheKey(bytes: [0x00, 0xff]), "0x00ff", "00ff", "00FF", "AP8=", "AP8", "%00%FF", "%00%ff"]
        ),
    ]
}
