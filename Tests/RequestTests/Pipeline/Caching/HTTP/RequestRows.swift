/// RFC 9111, 5.2.1 and 4.1: cache directives of requests, and the selection of variants.
enum RequestRows {
    typealias Row = ConformanceRow

    static let all = directives + varying

    private static func row(
        _ name: String, _ control: String, stored: String = "max-age=3600", also headers: [(String, String)] = [],
        after wait: Double = 5, from source: Row.Source
    ) -> Row {
        .reuse(
            name, [("Cache-Control", stored)] + headers, after: wait, asking: [("Cache-Control", control)], from: source
        )
    }

    private static let tag = [("ETag", "\"a\"")]

    static let directives: [Row] = [
        row("9111 §5.2.1.1 max-age=0 requires a request", "max-age=0", from: .server),
        row("9111 §5.2.1.1 max-age=0 requires a request even at age 0", "max-age=0", after: 0, from: .server),
        row("9111 §5.2.1.1 max-age=0 revalidates with a condition", "max-age=0", also: tag, from: .confirmed),
        row("9111 §5.2.1.1 max-age below the age requires a request", "max-age=4", from: .server),
        row("9111 §5.2.1.1 max-age equal to the age is satisfied", "max-age=5", from: .cache),
        row("9111 §5.2.1.1 max-age above the age is satisfied", "max-age=600", from: .cache),
        row("9111 §5.2.1.1 max-age includes the received Age", "max-age=600", also: [("Age", "1800")], from: .server),
        row("9111 §5.2.1.1 an invalid max-age counts as 0", "max-age=foo", from: .server),
        row(
            "9111 §5.2.1.1 max-age does not make a stale response fresh", "max-age=600", stored: "max-age=2",
            from: .server
        ),
        row(
            "8246 §2 a reload of an immutable response needs no request", "max-age=0",
            stored: "max-age=3600, immutable",
            from: .cache),
        row(
            "8246 §2 a forced reload of an immutable response needs a request", "no-cache",
            stored: "max-age=3600, immutable", also: tag,
            from: .confirmed),
        row(
            "8246 §2 a reload of a stale immutable response needs a request", "max-age=0",
            stored: "max-age=2, immutable", also: tag,
            from: .confirmed),
        row("9111 §5.2.1.2 max-stale allows less staleness", "max-stale=1000", stored: "max-age=1", from: .cache),
        row("9111 §5.2.1.2 max-stale allows no more staleness", "max-stale=3", stored: "max-age=1", from: .server),
        row("9111 §5.2.1.2 max-stale allows equal staleness", "max-stale=4", stored: "max-age=1", from: .cache),
        row(
            "9111 §5.2.1.2 max-stale without a number allows any staleness", "max-stale", stored: "max-age=1",
            after: 9e8,
            from: .cache),
        row(
            "9111 §5.2.1.2 an invalid max-stale is ignored", "max-stale=foo", stored: "max-age=1", from: .server),
        row(
            "9111 §5.2.1.2 max-stale includes the received Age", "max-stale=1000", stored: "max-age=1500",
            also: [("Age", "2000")], from: .cache),
        row(
            "9111 §5.2.1.2 must-revalidate overrides max-stale", "max-stale=1000",
            stored: "max-age=1, must-revalidate", from: .server),
        row(
            "9111 §5.2.1.2 no-cache overrides max-stale", "max-stale=1000", stored: "max-age=1, no-cache",
            from: .server),
        row(
            "9111 §5.2.1.3 min-fresh above the remaining freshness requires a request", "min-fresh=2000",
            stored: "max-age=1500", from: .server),
        row(
            "9111 §5.2.1.3 min-fresh below the remaining freshness is satisfied", "min-fresh=1000",
            stored: "max-age=1500", from: .cache),
        row(
            "9111 §5.2.1.3 min-fresh includes the received Age", "min-fresh=1000", stored: "max-age=1500",
            also: [("Age", "1000")], from: .server),
        row("9111 §5.2.1.3 an invalid min-fresh is ignored", "min-fresh=x", from: .cache),
        row("9111 §5.2.1.4 no-cache requires a request", "no-cache", from: .server),
        row("9111 §5.2.1.4 no-cache of a request is case-insensitive", "No-Cache", from: .server),
        row("9111 §5.2.1.4 no-cache revalidates with an ETag", "no-cache", also: tag, from: .confirmed),
        row(
            "9111 §5.2.1.4 no-cache revalidates with a Last-Modified", "no-cache", also: [("Last-Modified", "{-1000}")],
            from: .server),
        row("9111 §5.2.1.5 no-store does not read the cache", "no-store", from: .server),
        row("9111 §5.2.1.6 no-transform changes nothing", "no-transform", from: .cache),
        row("9111 §5.2.1 unknown directives change nothing", "nothing-to-see-here", from: .cache),
        row("9111 §5.2.1.7 only-if-cached uses a fresh response", "only-if-cached", from: .cache),
        Row(
            "9111 §5.2.1.5 no-store does not store the response",
            .get([("Cache-Control", "no-store")], reply: [("Cache-Control", "max-age=60")]),
            .get(reply: []).from(.server)),
        Row(
            "9111 §5.2.1.5 no-store leaves the cached response",
            .get(reply: [("Cache-Control", "max-age=60")], body: "a"),
            .get([("Cache-Control", "no-store")], reply: [("Cache-Control", "max-age=60")], body: "b").reads("b"),
            .get().from(.cache).reads("a")),
        Row(
            "9111 §5.2.1.7 only-if-cached returns 504 if nothing is cached",
            .get([("Cache-Control", "only-if-cached")]).from(.cache).is_(504).reads("")),
        Row(
            "9111 §5.2.1.7 only-if-cached returns 504 if the response is stale",
            .get(reply: [("Cache-Control", "max-age=2")]),
            .get([("Cache-Control", "only-if-cached")]).after(5).from(.cache).is_(504)),
        Row(
            "9111 §5.2.1.7 only-if-cached can be combined with max-stale",
            .get(reply: [("Cache-Control", "max-age=2")]),
            .get([("Cache-Control", "only-if-cached, max-stale=60")]).after(5).from(.cache).is_(200)),
        Row(
            "9111 §5.2.1.7 only-if-cached returns 504 for another variant",
            .get([("Foo", "1")], reply: [("Cache-Control", "max-age=60"), ("Vary", "Foo")]),
            .get([("Foo", "2"), ("Cache-Control", "only-if-cached")]).from(.cache).is_(504)),
        .reuse(
            "9111 §5.4 Pragma: no-cache counts without Cache-Control", [("Cache-Control", "max-age=60")],
            asking: [("Pragma", "no-cache")], from: .server),
        .reuse(
            "9111 §5.4 Pragma is ignored beside Cache-Control", [("Cache-Control", "max-age=60")],
            asking: [("Pragma", "no-cache"), ("Cache-Control", "max-age=50")], from: .cache),
        .reuse(
            "9111 §5.4 Pragma with another value is ignored", [("Cache-Control", "max-age=60")],
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
        vary("another value does not match", "Foo", first: [("Foo", "1")], then: [("Foo", "2")], from: .server),
        vary("a missing field does not match a value", "Foo", first: [("Foo", "1")], then: [], from: .server),
        vary("a value does not match a missing field", "Foo", first: [], then: [("Foo", "1")], from: .server),
        vary("a field that is missing in both matches", "Foo", first: [], then: [], from: .cache),
        vary("an empty field does not match a missing one", "Foo", first: [], then: [("Foo", "")], from: .server),
        vary(
            "other fields make no difference", "Foo", first: [("Foo", "1"), ("Other", "2")],
            then: [("Foo", "1"), ("Other", "3")], from: .cache),
        vary(
            "two fields match", "Foo, Bar", first: [("Foo", "1"), ("Bar", "a")], then: [("Foo", "1"), ("Bar", "a")],
            from: .cache),
        vary(
            "the first of two fields does not match", "Foo, Bar", first: [("Foo", "1"), ("Bar", "a")],
            then: [("Foo", "2"), ("Bar", "a")],
            from: .server),
        vary(
            "the second of two fields does not match", "Foo, Bar", first: [("Foo", "1"), ("Bar", "a")],
            then: [("Foo", "1"), ("Bar", "b")], from: .server),
        vary(
            "two missing fields do not match values", "Foo, Bar", first: [("Foo", "1"), ("Bar", "a")], then: [],
            from: .server),
        vary("three fields match", "Foo, Bar, Baz", first: three, then: three, from: .cache),
        vary(
            "three fields match in another order", "Foo, Bar, Baz", first: three, then: three.reversed(), from: .cache),
        vary(
            "one of three fields does not match, in another order", "Foo, Bar, Baz", first: three,
            then: [("Foo", "1"), ("Baz", "789"), ("Bar", "abcde")], from: .server),
        vary(
            "one of three fields is missing in both", "Foo, Bar, Baz", first: [("Foo", "1"), ("Baz", "7")],
            then: [("Foo", "1"), ("Baz", "7")], from: .cache),
        vary(
            "names are case-insensitive, with another value", "fOO", first: [("Foo", "1")], then: [("foO", "2")],
            from: .server),
        vary(
            "names are case-insensitive, with the same value", "fOO", first: [("Foo", "1")], then: [("foO", "1")],
            from: .cache),
        vary(
            "several Vary fields form one list", "Foo", "Bar", first: [("Foo", "1"), ("Bar", "a")],
            then: [("Foo", "1"), ("Bar", "b")], from: .server),
        vary("a repeated name counts once", "Foo, foo", first: [("Foo", "1")], then: [("Foo", "1")], from: .cache),
        vary("an empty Vary is ignored", "", first: [("Foo", "1")], then: [("Foo", "2")], from: .cache),
        vary("* never matches", "*", first: [("Foo", "1")], then: [("Foo", "1")], from: .server),
        vary("* twice never matches", "*, *", first: [], then: [], from: .server),
        vary("* in two fields never matches", "*", "*", first: [], then: [], from: .server),
        vary("* after an empty element never matches", ", *", first: [], then: [], from: .server),
        vary("* after an empty field never matches", "", "*", first: [], then: [], from: .server),
        vary("* before a name never matches", "*, Foo", first: [("Foo", "1")], then: [("Foo", "1")], from: .server),
        vary("* after a name never matches", "Foo, *", first: [("Foo", "1")], then: [("Foo", "1")], from: .server),
        vary("* does not name a field", "*", first: [("*", "1")], then: [("*", "1")], from: .server),
        vary(
            "spaces around elements make no difference", "Foo", first: [("Foo", "1,2")], then: [("Foo", " 1, 2 ")],
            from: .cache),
        vary(
            "several fields form one list", "Foo", first: [("Foo", "1, 2")], then: [("Foo", "1"), ("Foo", "2")],
            from: .cache),
        vary(
            "the order of an unknown list makes a difference", "Foo", first: [("Foo", "1, 2")], then: [("Foo", "2, 1")],
            from: .server),
        vary(
            "the case of an unknown value makes a difference", "Foo", first: [("Foo", "a")], then: [("Foo", "A")],
            from: .server),
        vary(
            "the order of languages with equal weights makes no difference", "Accept-Language",
            first: [("Accept-Language", "en, de")], then: [("Accept-Language", "de, en")], from: .cache),
        vary(
            "the case of languages makes no difference", "Accept-Language", first: [("Accept-Language", "en, de")],
            then: [("Accept-Language", "eN, De")], from: .cache),
        vary(
            "spaces between languages make no difference", "Accept-Language", first: [("Accept-Language", "en, de")],
            then: [("Accept-Language", " en ,   de")], from: .cache),
        vary(
            "other weights of languages make a difference", "Accept-Language",
            first: [("Accept-Language", "en, de;q=0.5")],
            then: [("Accept-Language", "en;q=0.5, de")], from: .server),
        vary(
            "another notation of a weight makes no difference", "Accept-Language",
            first: [("Accept-Language", "en;q=1.0, de;q=0.5")], then: [("Accept-Language", "de;q=0.500, en")],
            from: .cache),
        vary(
            "content in the preferred language matches", "Accept-Language",
            first: [("Accept-Language", "en, de")], then: [("Accept-Language", "fr;q=0.5, de;q=1.0")],
            also: [("Content-Language", "de")], from: .cache),
        vary(
            "content in a less preferred language does not match", "Accept-Language",
            first: [("Accept-Language", "en, de")],
            then: [("Accept-Language", "fr, de;q=0.5")], also: [("Content-Language", "de")], from: .server),
        vary(
            "content in one of two equally preferred languages does not match", "Accept-Language",
            first: [("Accept-Language", "en, de")],
            then: [("Accept-Language", "fr, de")], also: [("Content-Language", "de")], from: .server),
        vary(
            "the order of encodings makes no difference", "Accept-Encoding", first: [("Accept-Encoding", "gzip, br")],
            then: [("Accept-Encoding", "br,gzip")], from: .cache),
        vary(
            "other encodings make a difference", "Accept-Encoding", first: [("Accept-Encoding", "gzip")],
            then: [("Accept-Encoding", "br")], from: .server),
        vary(
            "the order of types makes no difference", "Accept", first: [("Accept", "text/html, text/plain;q=0.5")],
            then: [("Accept", "text/plain; q=0.5,text/html")], from: .cache),
        vary(
            "Authorization is part of the key anyway", "Authorization", first: [("Authorization", "a")],
            then: [("Authorization", "a")], from: .cache),
        Row(
            "9111 §4.1 two variants are cached",
            .get([("Foo", "1")], reply: [("Cache-Control", "max-age=60"), ("Vary", "Foo")], body: "one"),
            .get([("Foo", "2")], reply: [("Cache-Control", "max-age=60"), ("Vary", "Foo")], body: "two").from(.server),
            .get([("Foo", "1")]).from(.cache).reads("one"), .get([("Foo", "2")]).from(.cache).reads("two")),
        Row(
            "9111 §4.1 the most recent Date wins among matching responses",
            .get(
                [("Foo", "1")], reply: [("Cache-Control", "max-age=60"), ("Vary", "Foo"), ("Date", "{-1}")], body: "old"
            ),
            .get([("Foo", "2")], reply: [("Cache-Control", "max-age=60"), ("Date", "{-0}")], body: "new").after(3),
            .get([("Foo", "1")]).from(.cache).reads("new")),
        Row(
            "9111 §4.1 the most recent Date wins over the latest arrival",
            .get(
                [("Foo", "1")], reply: [("Cache-Control", "max-age=60"), ("Vary", "Foo"), ("Date", "{0}")], body: "new"),
            .get([("Foo", "2")], reply: [("Cache-Control", "max-age=60"), ("Date", "{-20}")], body: "old").after(1),
            .get([("Foo", "1")]).from(.cache).reads("new")),
        Row(
            "9111 §4.1 responses to a URL may vary by different fields",
            .get([("Foo", "1")], reply: [("Cache-Control", "max-age=60"), ("Vary", "Foo")], body: "one"),
            .get(
                [("Foo", "2"), ("Bar", "1")], reply: [("Cache-Control", "max-age=60"), ("Vary", "Bar")], body: "two"),
            .get([("Foo", "1")]).from(.cache).reads("one"),
            .get([("Foo", "3"), ("Bar", "1")]).from(.cache).reads("two")),
        Row(
            "9111 §4.1 at most eight variants are cached",
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
