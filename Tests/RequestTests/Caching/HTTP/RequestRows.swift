/// RFC 9111, 5.2.1 and 4.1: what a request says about answers from a cache, and which answer is for which request.
enum RequestRows {
    typealias Row = ConformanceRow

    static let all = directives + varying

    private static func ask(
        _ name: String, _ control: String, stored: String = "max-age=3600", also headers: [(String, String)] = [],
        after wait: Double = 5, from source: Row.Source
    ) -> Row {
        .reuse(
            name, [("Cache-Control", stored)] + headers, after: wait, asking: [("Cache-Control", control)], from: source
        )
    }

    private static let tag = [("ETag", "\"a\"")]

    static let directives: [Row] = [
        ask("9111 §5.2.1.1 max-age=0 wants the server to be asked", "max-age=0", from: .server),
        ask("9111 §5.2.1.1 max-age=0 wants the server to be asked at once", "max-age=0", after: 0, from: .server),
        ask("9111 §5.2.1.1 max-age=0 is asked with a condition", "max-age=0", also: tag, from: .confirmed),
        ask("9111 §5.2.1.1 max-age below the age wants a newer answer", "max-age=4", from: .server),
        ask("9111 §5.2.1.1 max-age equal to the age will do", "max-age=5", from: .cache),
        ask("9111 §5.2.1.1 max-age above the age will do", "max-age=600", from: .cache),
        ask("9111 §5.2.1.1 max-age counts the Age that came", "max-age=600", also: [("Age", "1800")], from: .server),
        ask("9111 §5.2.1.1 max-age that is no number is 0", "max-age=foo", from: .server),
        ask(
            "9111 §5.2.1.1 max-age makes nothing fresh that is stale", "max-age=600", stored: "max-age=2", from: .server
        ),
        ask(
            "8246 §2 a reload of what is immutable needs no server", "max-age=0", stored: "max-age=3600, immutable",
            from: .cache),
        ask(
            "8246 §2 but a forced reload does", "no-cache", stored: "max-age=3600, immutable", also: tag,
            from: .confirmed),
        ask(
            "8246 §2 and so does one that is stale", "max-age=0", stored: "max-age=2, immutable", also: tag,
            from: .confirmed),
        ask("9111 §5.2.1.2 max-stale takes what is as stale", "max-stale=1000", stored: "max-age=1", from: .cache),
        ask("9111 §5.2.1.2 max-stale takes nothing staler", "max-stale=3", stored: "max-age=1", from: .server),
        ask("9111 §5.2.1.2 max-stale at its limit", "max-stale=4", stored: "max-age=1", from: .cache),
        ask(
            "9111 §5.2.1.2 max-stale without a number takes anything", "max-stale", stored: "max-age=1", after: 9e8,
            from: .cache),
        ask(
            "9111 §5.2.1.2 max-stale that is no number is ignored", "max-stale=foo", stored: "max-age=1", from: .server),
        ask(
            "9111 §5.2.1.2 max-stale counts the Age that came", "max-stale=1000", stored: "max-age=1500",
            also: [("Age", "2000")], from: .cache),
        ask(
            "9111 §5.2.1.2 max-stale does not go before must-revalidate", "max-stale=1000",
            stored: "max-age=1, must-revalidate", from: .server),
        ask(
            "9111 §5.2.1.2 max-stale does not go before no-cache", "max-stale=1000", stored: "max-age=1, no-cache",
            from: .server),
        ask("9111 §5.2.1.3 min-fresh wants it to stay fresh", "min-fresh=2000", stored: "max-age=1500", from: .server),
        ask("9111 §5.2.1.3 min-fresh that it stays", "min-fresh=1000", stored: "max-age=1500", from: .cache),
        ask(
            "9111 §5.2.1.3 min-fresh counts the Age that came", "min-fresh=1000", stored: "max-age=1500",
            also: [("Age", "1000")], from: .server),
        ask("9111 §5.2.1.3 min-fresh that is no number is ignored", "min-fresh=x", from: .cache),
        ask("9111 §5.2.1.4 no-cache wants the server to be asked", "no-cache", from: .server),
        ask("9111 §5.2.1.4 no-cache is read in any case", "No-Cache", from: .server),
        ask("9111 §5.2.1.4 no-cache asks with an ETag", "no-cache", also: tag, from: .confirmed),
        ask(
            "9111 §5.2.1.4 no-cache asks with a Last-Modified", "no-cache", also: [("Last-Modified", "{-1000}")],
            from: .server),
        ask("9111 §5.2.1.5 no-store takes nothing from the cache", "no-store", from: .server),
        ask("9111 §5.2.1.6 no-transform changes nothing", "no-transform", from: .cache),
        ask("9111 §5.2.1 unknown directives change nothing", "nothing-to-see-here", from: .cache),
        ask("9111 §5.2.1.7 only-if-cached takes what is fresh", "only-if-cached", from: .cache),
        Row(
            "9111 §5.2.1.5 no-store keeps nothing either",
            .get([("Cache-Control", "no-store")], reply: [("Cache-Control", "max-age=60")]),
            .get(reply: []).from(.server)),
        Row(
            "9111 §5.2.1.5 what was kept before stays",
            .get(reply: [("Cache-Control", "max-age=60")], body: "a"),
            .get([("Cache-Control", "no-store")], reply: [("Cache-Control", "max-age=60")], body: "b").reads("b"),
            .get().from(.cache).reads("a")),
        Row(
            "9111 §5.2.1.7 only-if-cached is answered with 504 where nothing is kept",
            .get([("Cache-Control", "only-if-cached")]).from(.cache).is_(504).reads("")),
        Row(
            "9111 §5.2.1.7 only-if-cached is answered with 504 where it is stale",
            .get(reply: [("Cache-Control", "max-age=2")]),
            .get([("Cache-Control", "only-if-cached")]).after(5).from(.cache).is_(504)),
        Row(
            "9111 §5.2.1.7 only-if-cached goes together with max-stale",
            .get(reply: [("Cache-Control", "max-age=2")]),
            .get([("Cache-Control", "only-if-cached, max-stale=60")]).after(5).from(.cache).is_(200)),
        Row(
            "9111 §5.2.1.7 only-if-cached with another variant is answered with 504",
            .get([("Foo", "1")], reply: [("Cache-Control", "max-age=60"), ("Vary", "Foo")]),
            .get([("Foo", "2"), ("Cache-Control", "only-if-cached")]).from(.cache).is_(504)),
        .reuse(
            "9111 §5.4 Pragma: no-cache counts without Cache-Control", [("Cache-Control", "max-age=60")],
            asking: [("Pragma", "no-cache")], from: .server),
        .reuse(
            "9111 §5.4 Pragma is ignored beside Cache-Control", [("Cache-Control", "max-age=60")],
            asking: [("Pragma", "no-cache"), ("Cache-Control", "max-age=50")], from: .cache),
        .reuse(
            "9111 §5.4 Pragma with other words is ignored", [("Cache-Control", "max-age=60")],
            asking: [("Pragma", "foo")], from: .cache),
        Row(
            "9111 §5.2 directives of the request are forwarded",
            .get([("Cache-Control", "max-age=0, foo")], reply: []).forwards("Cache-Control", "max-age=0, foo")),
    ]

    private static func vary(
        _ name: String, _ vary: String..., first: [(String, String)], then: [(String, String)],
        also headers: [(String, String)] = [], from source: Row.Source
    ) -> Row {
        .reuse(
            "9111 §4.1 \(name)", [("Cache-Control", "max-age=5000")] + headers + vary.map { ("Vary", $0) },
            asking: then, first: first, from: source)
    }

    private static let three = [("Foo", "1"), ("Bar", "abc"), ("Baz", "789")]

    static let varying: [Row] = [
        vary("the same value matches", "Foo", first: [("Foo", "1")], then: [("Foo", "1")], from: .cache),
        vary("another value does not", "Foo", first: [("Foo", "1")], then: [("Foo", "2")], from: .server),
        vary("a missing field is another value", "Foo", first: [("Foo", "1")], then: [], from: .server),
        vary("a field that was missing is another value", "Foo", first: [], then: [("Foo", "1")], from: .server),
        vary("a field that is missing in both is the same", "Foo", first: [], then: [], from: .cache),
        vary("an empty field is not a missing one", "Foo", first: [], then: [("Foo", "")], from: .server),
        vary(
            "other fields make no difference", "Foo", first: [("Foo", "1"), ("Other", "2")],
            then: [("Foo", "1"), ("Other", "3")], from: .cache),
        vary(
            "two fields match", "Foo, Bar", first: [("Foo", "1"), ("Bar", "a")], then: [("Foo", "1"), ("Bar", "a")],
            from: .cache),
        vary(
            "one of two does not", "Foo, Bar", first: [("Foo", "1"), ("Bar", "a")], then: [("Foo", "2"), ("Bar", "a")],
            from: .server),
        vary(
            "the other of two does not", "Foo, Bar", first: [("Foo", "1"), ("Bar", "a")],
            then: [("Foo", "1"), ("Bar", "b")], from: .server),
        vary("both are missing", "Foo, Bar", first: [("Foo", "1"), ("Bar", "a")], then: [], from: .server),
        vary("three fields match", "Foo, Bar, Baz", first: three, then: three, from: .cache),
        vary(
            "three fields match in another order", "Foo, Bar, Baz", first: three, then: three.reversed(), from: .cache),
        vary(
            "one of three does not, in another order", "Foo, Bar, Baz", first: three,
            then: [("Foo", "1"), ("Baz", "789"), ("Bar", "abcde")], from: .server),
        vary(
            "one of three is missing in both", "Foo, Bar, Baz", first: [("Foo", "1"), ("Baz", "7")],
            then: [("Foo", "1"), ("Baz", "7")], from: .cache),
        vary("names are read in any case", "fOO", first: [("Foo", "1")], then: [("foO", "2")], from: .server),
        vary("names in any case match", "fOO", first: [("Foo", "1")], then: [("foO", "1")], from: .cache),
        vary(
            "several Vary are one list", "Foo", "Bar", first: [("Foo", "1"), ("Bar", "a")],
            then: [("Foo", "1"), ("Bar", "b")], from: .server),
        vary("a name twice is one", "Foo, foo", first: [("Foo", "1")], then: [("Foo", "1")], from: .cache),
        vary("an empty Vary is none", "", first: [("Foo", "1")], then: [("Foo", "2")], from: .cache),
        vary("* never matches", "*", first: [("Foo", "1")], then: [("Foo", "1")], from: .server),
        vary("* twice never matches", "*, *", first: [], then: [], from: .server),
        vary("* in two fields never matches", "*", "*", first: [], then: [], from: .server),
        vary("* behind an empty element never matches", ", *", first: [], then: [], from: .server),
        vary("* behind an empty field never matches", "", "*", first: [], then: [], from: .server),
        vary("* before a name never matches", "*, Foo", first: [("Foo", "1")], then: [("Foo", "1")], from: .server),
        vary("* behind a name never matches", "Foo, *", first: [("Foo", "1")], then: [("Foo", "1")], from: .server),
        vary("a field named * does not help", "*", first: [("*", "1")], then: [("*", "1")], from: .server),
        vary(
            "blanks around elements make no difference", "Foo", first: [("Foo", "1,2")], then: [("Foo", " 1, 2 ")],
            from: .cache),
        vary(
            "several fields are one list", "Foo", first: [("Foo", "1, 2")], then: [("Foo", "1"), ("Foo", "2")],
            from: .cache),
        vary(
            "the order of an unknown list makes a difference", "Foo", first: [("Foo", "1, 2")], then: [("Foo", "2, 1")],
            from: .server),
        vary(
            "the case of an unknown value makes a difference", "Foo", first: [("Foo", "a")], then: [("Foo", "A")],
            from: .server),
        vary(
            "the order of languages wanted as much makes none", "Accept-Language",
            first: [("Accept-Language", "en, de")], then: [("Accept-Language", "de, en")], from: .cache),
        vary(
            "the case of languages makes none", "Accept-Language", first: [("Accept-Language", "en, de")],
            then: [("Accept-Language", "eN, De")], from: .cache),
        vary(
            "blanks between languages make none", "Accept-Language", first: [("Accept-Language", "en, de")],
            then: [("Accept-Language", " en ,   de")], from: .cache),
        vary(
            "the weight of languages does", "Accept-Language", first: [("Accept-Language", "en, de;q=0.5")],
            then: [("Accept-Language", "en;q=0.5, de")], from: .server),
        vary(
            "the same weight in other words does not", "Accept-Language",
            first: [("Accept-Language", "en;q=1.0, de;q=0.5")], then: [("Accept-Language", "de;q=0.500, en")],
            from: .cache),
        vary(
            "content in the language that is wanted most is right", "Accept-Language",
            first: [("Accept-Language", "en, de")], then: [("Accept-Language", "fr;q=0.5, de;q=1.0")],
            also: [("Content-Language", "de")], from: .cache),
        vary(
            "content in one that is wanted less is not", "Accept-Language", first: [("Accept-Language", "en, de")],
            then: [("Accept-Language", "fr, de;q=0.5")], also: [("Content-Language", "de")], from: .server),
        vary(
            "nor one of two that are wanted as much", "Accept-Language", first: [("Accept-Language", "en, de")],
            then: [("Accept-Language", "fr, de")], also: [("Content-Language", "de")], from: .server),
        vary(
            "the order of encodings makes no difference", "Accept-Encoding", first: [("Accept-Encoding", "gzip, br")],
            then: [("Accept-Encoding", "br,gzip")], from: .cache),
        vary(
            "other encodings do", "Accept-Encoding", first: [("Accept-Encoding", "gzip")],
            then: [("Accept-Encoding", "br")], from: .server),
        vary(
            "the order of types makes no difference", "Accept", first: [("Accept", "text/html, text/plain;q=0.5")],
            then: [("Accept", "text/plain; q=0.5,text/html")], from: .cache),
        vary(
            "Authorization is part of the key anyway", "Authorization", first: [("Authorization", "a")],
            then: [("Authorization", "a")], from: .cache),
        Row(
            "9111 §4.1 two variants are kept",
            .get([("Foo", "1")], reply: [("Cache-Control", "max-age=60"), ("Vary", "Foo")], body: "one"),
            .get([("Foo", "2")], reply: [("Cache-Control", "max-age=60"), ("Vary", "Foo")], body: "two").from(.server),
            .get([("Foo", "1")]).from(.cache).reads("one"), .get([("Foo", "2")]).from(.cache).reads("two")),
        Row(
            "9111 §4.1 of several that match the most recent Date counts",
            .get(
                [("Foo", "1")], reply: [("Cache-Control", "max-age=60"), ("Vary", "Foo"), ("Date", "{-1}")], body: "old"
            ),
            .get([("Foo", "2")], reply: [("Cache-Control", "max-age=60"), ("Date", "{-0}")], body: "new").after(3),
            .get([("Foo", "1")]).from(.cache).reads("new")),
        Row(
            "9111 §4.1 of several that match the most recent Date counts, not the last to come",
            .get(
                [("Foo", "1")], reply: [("Cache-Control", "max-age=60"), ("Vary", "Foo"), ("Date", "{0}")], body: "new"),
            .get([("Foo", "2")], reply: [("Cache-Control", "max-age=60"), ("Date", "{-20}")], body: "old").after(1),
            .get([("Foo", "1")]).from(.cache).reads("new")),
        Row(
            "9111 §4.1 what varied by one field may vary by another",
            .get([("Foo", "1")], reply: [("Cache-Control", "max-age=60"), ("Vary", "Foo")], body: "one"),
            .get(
                [("Foo", "2"), ("Bar", "1")], reply: [("Cache-Control", "max-age=60"), ("Vary", "Bar")], body: "two"),
            .get([("Foo", "1")]).from(.cache).reads("one"),
            .get([("Foo", "3"), ("Bar", "1")]).from(.cache).reads("two")),
        Row(
            "9111 §4.1 more than eight variants are too many",
            .get([("Foo", "1")], reply: [("Cache-Control", "max-age=60"), ("Vary", "Foo")]),
            .get([("Foo", "2")], reply: [("Cache-Control", "max-age=60"), ("Vary", "Foo")]),
            .get([("Foo", "3")], reply: [("Cache-Control", "max-age=60"), ("Vary", "Foo")]),
            .get([("Foo", "4")], reply: [("Cache-Control", "max-age=60"), ("Vary", "Foo")]),
            .get([("Foo", "5")], reply: [("Cache-Control", "max-age=60"), ("Vary", "Foo")]),
            .get([("Foo", "6")], reply: [("Cache-Control", "max-age=60"), ("Vary", "Foo")]),
            .get([("Foo", "7")], reply: [("Cache-Control", "max-age=60"), ("Vary", "Foo")]),
            .get([("Foo", "8")], reply: [("Cache-Control", "max-age=60"), ("Vary", "Foo")]),
            .get([("Foo", "9")], reply: [("Cache-Control", "max-age=60"), ("Vary", "Foo")]),
            .get([("Foo", "9")]).from(.cache), .get([("Foo", "1")]).from(.server)),
    ]
}
