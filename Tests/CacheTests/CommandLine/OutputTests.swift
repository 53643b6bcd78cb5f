import Foundation
import TangoCache
import Testing

@testable import CacheTool

@Suite struct OutputTests {
    private let now = Date(timeIntervalSince1970: 1_000_000_000)

    @Test(arguments: [
        (0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (1234, "1.2 kB"), (99_949, "99.9 kB"), (99_950, "100 kB"),
        (999_499, "999 kB"), (999_500, "1.0 MB"), (123_456_789, "123 MB"), (5_000_000_000, "5.0 GB"),
        (Int.max, "9.2 EB"),
    ])
    func sizesAreShort(_ bytes: Int, _ text: String) {
        #expect(Human.size(bytes) == text)
    }

    @Test(
        arguments: [
            (0.0, "now"), (30, "30 s ago"), (-30, "in 30 s"), (89, "89 s ago"), (90, "1 min ago"), (7200, "2 h ago"),
            (172_800, "2 d ago"), (-864_000, "in 10 d"), (94_608_000, "3 y ago"), (1e300, "1000000 y ago"),
            (-.infinity, "in 1000000 y"),
        ] as [(Double, String)])
    func agesAreRelative(_ seconds: Double, _ text: String) {
        #expect(Human.age(now.addingTimeInterval(-seconds), at: now) == text)
    }

    @Test(
        arguments: [
            (0.0, "1970-01-01T00:00:00Z"), (1_000_000_000, "2001-09-09T01:46:40Z"), (1e300, nil), (-.infinity, nil),
            (.nan, nil),
        ] as [(Double, String?)])
    func datesAreUniversal(_ seconds: Double, _ text: String?) {
        #expect(Human.date(Date(timeIntervalSince1970: seconds)) == text)
    }

    @Test(arguments: [
        (CacheKey("users/1"), "users/1"), ("größe ☃", "größe ☃"), ("", "0x"), ("a\nb", "0x610a62"),
        ("a\u{1b}[31m", "0x611b5b33316d"), ("a\u{202e}b", "0x61e280ae62"), (CacheKey(bytes: [0xff, 0]), "0xff00"),
    ])
    func keysThatCannotBePrintedAreHexadecimal(_ key: CacheKey, _ text: String) {
        #expect(key.shown == text)
    }

    @Test(arguments: [("abcdefghij", 10, "abcdefghij"), ("abcdefghijk", 10, "abcde…hijk"), ("abc", 2, "a…")])
    func longTextLosesItsMiddle(_ text: String, _ limit: Int, _ short: String) {
        #expect(text.shortened(to: limit) == short)
    }

    @Test func columnsAreAligned() {
        var table = Table([("NAME", .left), ("SIZE", .right), ("REST", .left)])
        table.append(["a", "1000", "x"])
        table.append(["longer", "1", ""])
        #expect(
            table.lines(isTerminal: false) == [
                "NAME    SIZE  REST",
                "a       1000  x",
                "longer     1",
            ])
        #expect(table.lines(isTerminal: true)[0] == "\u{1b}[1mNAME    SIZE  REST\u{1b}[0m")
    }

    @Test func documentsKeepTheirOrder() {
        let document = JSON.object([
            ("b", .number(1)), ("a", .list([.null, .flag(true), .list([]), .object([])])), ("c", .text(nil)),
        ])
        #expect(
            document.document == """
                {
                  "b": 1,
                  "a": [
                    null,
                    true,
                    [],
                    {}
                  ],
                  "c": null
                }
                """)
    }

    @Test(arguments: ["", "\"quoted\" \\", "line\nline\r\t\u{0}\u{1f}\u{7f}\u{85}\u{2028}", "größe 👩‍👩‍👧", "a/b"])
    func textsComeBackFromDocuments(_ text: String) throws {
        let document = JSON.object([(text, .text(text))]).document
        let read = try JSONDecoder().decode([String: String].self, from: Data(document.utf8))
        #expect(read == [text: text])
        #expect(document.unicodeScalars.allSatisfy { $0 == "\n" || $0.properties.generalCategory != .control })
    }

    @Test(arguments: [
        (Order.key, ["a", "b", "c", "d"]), (.size, ["b", "a", "c", "d"]), (.written, ["d", "a", "b", "c"]),
        (.expires, ["c", "b", "a", "d"]),
    ])
    func listsAreSorted(_ order: Order, _ keys: [String]) {
        let items = [
            CacheItem(key: "d", size: 3, written: now - 10),
            CacheItem(key: "a", size: 2, written: now),
            CacheItem(key: "c", size: 3, written: now, expires: now),
            CacheItem(key: "b", size: 1, written: now, expires: now + 1),
        ]
        #expect(order.sort(items).map { $0.key.shown } == keys)
    }

    @Test func filtersMustAllHold() {
        let item = CacheItem(key: "users/1", size: 100, written: now - 60, expires: now, tags: ["a"], pinned: true)
        var filter = Filter()
        #expect(filter.accepts(item, at: now))
        filter = Filter(
            prefix: "users/", tag: "a", largerThan: 99, olderThan: 59, isExpired: true, isPinned: true)
        #expect(filter.accepts(item, at: now))
        let refusals: [(inout Filter) -> Void] = [
            { $0.prefix = "user/" }, { $0.tag = "b" }, { $0.largerThan = 100 }, { $0.olderThan = 60 },
        ]
        for refuse in refusals {
            var other = filter
            refuse(&other)
            #expect(!other.accepts(item, at: now))
        }
        #expect(!filter.accepts(item, at: now - 1))
        #expect(!Filter(isPinned: true).accepts(CacheItem(key: "a", size: 1, written: now), at: now))
    }
}
