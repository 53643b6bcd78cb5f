/// RFC 9111, 4.2: the freshness lifetime and the age of a response.
enum FreshnessRows {
    typealias Row = ConformanceRow

    static let all = lifetimes + parsing + dates + ages + heuristics

    static let lifetimes: [Row] = [
        .reuse("9111 §4.2 a response without freshness or a validator is not reused", [], from: .server),
        .reuse("9111 §4.2.1 max-age makes a response fresh", [("Cache-Control", "max-age=60")], from: .cache),
        .reuse(
            "9111 §4.2.1 a response is stale once its age reaches max-age", [("Cache-Control", "max-age=5")],
            from: .server),
        .reuse("9111 §4.2.1 max-age=0 is never fresh", [("Cache-Control", "max-age=0")], after: 0, from: .server),
        .reuse(
            "9111 §4.2.1 s-maxage is ignored by a private cache", [("Cache-Control", "s-maxage=3600, max-age=1")],
            from: .server),
        .reuse(
            "9111 §4.2.1 s-maxage is ignored in a separate field",
            [("Cache-Control", "s-maxage=3600"), ("Cache-Control", "max-age=1")], from: .server),
        .reuse(
            "9111 §4.2.1 s-maxage does not shorten max-age", [("Cache-Control", "s-maxage=1, max-age=3600")],
            from: .cache),
        .reuse(
            "9111 §4.2.1 s-maxage alone makes no response fresh", [("Cache-Control", "s-maxage=3600")], from: .server),
        .reuse(
            "9111 §4.2.1 max-age overrides a past Expires",
            [("Cache-Control", "max-age=3600"), ("Expires", "{-10000}")], from: .cache),
        .reuse(
            "9111 §4.2.1 max-age overrides an invalid Expires",
            [("Cache-Control", "max-age=3600"), ("Expires", "0")], from: .cache),
        .reuse(
            "9111 §4.2.1 max-age=0 overrides a future Expires",
            [("Cache-Control", "max-age=0"), ("Expires", "{10000}")], from: .server),
        .reuse("9111 §5.3 a future Expires makes a response fresh", [("Expires", "{3600}")], from: .cache),
        .reuse("9111 §5.3 a past Expires makes a response stale", [("Expires", "{-3600}")], from: .server),
        .reuse(
            "9111 §5.3 an Expires equal to now makes a response stale", [("Expires", "{0}")], after: 0, from: .server),
        .reuse(
            "9111 §4.2.1 an Expires before a fast Date is past",
            [("Expires", "{300}"), ("Date", "{400}")], from: .server),
        .reuse(
            "9111 §4.2.1 a fast Date does not shorten an Expires after it",
            [("Expires", "{420}"), ("Date", "{400}")], from: .cache),
        .reuse(
            "9110 §6.6.1 an invalid Date counts as the time of arrival", [("Expires", "{10}"), ("Date", "foo")],
            from: .cache),
        .reuse(
            "9110 §6.6.1 a missing Date counts as the time of arrival", [("Expires", "{10}"), ("No-Date", "")],
            from: .cache),
        .reuse(
            "9111 §4.2.1 two equal Expires count as one",
            [("Expires", "{3600}"), ("Expires", "{3600}")], from: .cache),
        .reuse(
            "9111 §4.2.1 two different Expires make a response stale",
            [("Expires", "{3600}"), ("Expires", "{7200}")], from: .server),
        .reuse(
            "9213 §3 CDN-Cache-Control is ignored", [("CDN-Cache-Control", "max-age=3600")], from: .server),
        .reuse(
            "9213 §3 CDN-Cache-Control does not shorten max-age",
            [("CDN-Cache-Control", "max-age=0"), ("Cache-Control", "max-age=3600")], from: .cache),
        .reuse(
            "9213 §3 CDN-Cache-Control: no-store is ignored",
            [("CDN-Cache-Control", "no-store"), ("Cache-Control", "max-age=3600")], from: .cache),
        .reuse("9111 §5.2 Surrogate-Control is ignored", [("Surrogate-Control", "max-age=3600")], from: .server),
    ]

    private static func control(_ name: String, _ value: String..., from source: Row.Source) -> Row {
        .reuse("9111 §5.2 \(name)", value.map { ("Cache-Control", $0) }, from: source)
    }

    static let parsing: [Row] = [
        control("names are case-insensitive", "MaX-aGe=3600", from: .cache),
        control("unknown directives are ignored", "foobar, max-age=3600", from: .cache),
        control("unknown directives with values are ignored", "foo=bar, max-age=3600", from: .cache),
        control("a quoted number is valid", "max-age=\"3600\"", from: .cache),
        control("single quotes are not quotes", "max-age='3600'", from: .server),
        control(
            "max-age within a quoted string does not count", "extension=\"max-age=3600\", max-age=1", from: .server),
        control(
            "a second max-age within a quoted string does not count", "max-age=1, ext=\"max-age=3600\"", from: .server),
        control("a comma within quotes does not split a list", "ext=\"a, no-store\", max-age=3600", from: .cache),
        control("an escaped quote does not end a string", "ext=\"a\\\", no-store\", max-age=3600", from: .cache),
        control("directives after an unclosed quote count", "max-age=3600, ext=\"a, no-store", from: .server),
        control("a space before the = makes another name", "max-age =3600", from: .server),
        control("a space after the = makes the number invalid", "max-age= 3600", from: .server),
        control("leading zeros are allowed", "max-age=003600", from: .cache),
        control("a number of 31 bits", "max-age=2147483648", from: .cache),
        control("a number of more than 32 bits", "max-age=99999999999", from: .cache),
        control("a number of more than 64 bits", "max-age=99999999999999999999999999", from: .cache),
        control("a decimal is invalid", "max-age=3600.0", from: .server),
        control("a negative number is invalid", "max-age=-3600", from: .server),
        control("letters before a number make it invalid", "max-age=a3600", from: .server),
        control("letters after a number make it invalid", "max-age=3600a", from: .server),
        control("max-age without a value is stale", "max-age", from: .server),
        control("max-age with an empty value is stale", "max-age=", from: .server),
        control("equal duplicates count once", "max-age=3600, max-age=3600", from: .cache),
        control("the shorter of different duplicates counts if it is last", "max-age=3600, max-age=1", from: .server),
        control("the shorter of different duplicates counts if it is first", "max-age=1, max-age=3600", from: .server),
        control("the shorter of different fields counts", "max-age=3600", "max-age=1", from: .server),
        control("several fields form one list", "public", "max-age=3600", from: .cache),
        control("empty elements are ignored", ", ,max-age=3600,, ", from: .cache),
        control("spaces are optional", "public,max-age=3600,foo", from: .cache),
        control("tabs count as spaces", "public,\tmax-age=3600", from: .cache),
        control("a name with a space is invalid", "max age=3600", from: .server),
    ]

    private static func expires(_ name: String, _ value: String, from source: Row.Source) -> Row {
        .reuse("9111 §5.3 Expires \(name)", [("Expires", value)], from: source)
    }

    static let dates: [Row] = [
        expires("beyond 31 bits", "Tue, 19 Jan 2038 14:14:08 GMT", from: .cache),
        expires("far in the future", "Sun, 21 Nov 2286 04:46:39 GMT", from: .cache),
        expires("in the format of RFC 850", "Thursday, 18-Aug-50 02:01:18 GMT", from: .cache),
        expires("in the format of asctime", "Thu Aug  8 02:01:18 2050", from: .cache),
        expires("in the format of asctime with two digits", "Thu Aug 18 02:01:18 2050", from: .cache),
        expires("with a weekday in another case", "THU, 18 Aug 2050 02:01:18 GMT", from: .cache),
        expires("with a month in another case", "Thu, 18 AUG 2050 02:01:18 GMT", from: .cache),
        expires("with a zone in another case", "Thu, 18 Aug 2050 02:01:18 gMT", from: .cache),
        expires("of 0 is in the past", "0", from: .server),
        expires("of -1 is in the past", "-1", from: .server),
        expires("that is empty is in the past", "", from: .server),
        expires("with UTC is in the past", "Thu, 18 Aug 2050 02:01:18 UTC", from: .server),
        expires("with another zone is in the past", "Thu, 18 Aug 2050 02:01:18 AEST", from: .server),
        expires("with two digits for the year is in the past", "Thu, 18 Aug 50 02:01:18 GMT", from: .server),
        expires("without a comma is in the past", "Thu 18 Aug 2050 02:01:18 GMT", from: .server),
        expires("with several spaces is in the past", "Thu, 18  Aug  2050 02:01:18 GMT", from: .server),
        expires("with hyphens is in the past", "Thu, 18-Aug-2050 02:01:18 GMT", from: .server),
        expires("with dots in the time is in the past", "Thu, 18 Aug 2050 02.01.18 GMT", from: .server),
        expires("with one digit for the hour is in the past", "Thu, 18 Aug 2050 2:01:18 GMT", from: .server),
        expires("on a day that does not exist is in the past", "Thu, 31 Feb 2050 02:01:18 GMT", from: .server),
        expires("at an hour that does not exist is in the past", "Thu, 18 Aug 2050 25:01:18 GMT", from: .server),
        expires("with text after it is in the past", "Thu, 18 Aug 2050 02:01:18 GMT foo", from: .server),
        expires("as a number of seconds is in the past", "3600", from: .server),
    ]

    private static func age(_ name: String, _ values: String..., limit: Int = 3600, from source: Row.Source) -> Row {
        .reuse(
            "9111 §5.1 \(name)", [("Cache-Control", "max-age=\(limit)")] + values.map { ("Age", $0) }, from: source)
    }

    static let ages: [Row] = [
        age("an Age above max-age is stale", "7200", from: .server),
        age("the Age is added to the time in the cache", "3596", from: .server),
        age("an Age below max-age is fresh", "1800", from: .cache),
        age("an invalid Age is ignored", "abc", from: .cache),
        age("a negative Age is ignored", "-7200", from: .cache),
        age("an Age with a fraction is ignored", "7200.0", from: .cache),
        age("an Age of 2147483647 is stale", "2147483647", from: .server),
        age("an Age of 2147483648 is stale", "2147483648", from: .server),
        age("an Age of 2147483649 is stale", "2147483649", from: .server),
        age("an Age beyond 64 bits is stale", "99999999999999999999999", from: .server),
        age("the first of a list of ages counts if it is old", "7200, 0", from: .server),
        age("the first of a list of ages counts if it is young", "0, 7200", from: .cache),
        age("the first of several Age fields counts if it is old", "7200", "0", from: .server),
        age("the first of several Age fields counts if it is young", "0", "7200", from: .cache),
        age("an age of 0 twice is 0", "0, 0", from: .cache),
        age("an age of 0 in two fields is 0", "0", "0", from: .cache),
        age("two equal ages below max-age are fresh", "3600", "3600", limit: 10_000, from: .cache),
        age("an empty Age is ignored", "", from: .cache),
        .reuse(
            "9111 §4.2.3 an old Date makes a response old",
            [("Cache-Control", "max-age=60"), ("Date", "{-100}")], from: .server),
        .reuse(
            "9111 §4.2.3 a Date in the future does not make a response younger",
            [("Cache-Control", "max-age=5"), ("Date", "{1000}")], from: .server),
        .reuse(
            "9111 §4.2.3 an Age above Expires minus Date is stale, with a slow Date",
            [("Date", "{-10}"), ("Expires", "{10}"), ("Age", "25")], after: 0, from: .server),
        .reuse(
            "9111 §4.2.3 an Age above Expires minus Date is stale, with a fast Date",
            [("Date", "{10}"), ("Expires", "{20}"), ("Age", "15")], after: 0, from: .server),
        Row(
            "9111 §4.2.3 the duration of the request counts towards the age",
            .get(reply: [("Cache-Control", "max-age=10")]).with { $0.reply.delay = 8 }, .get().after(3).from(.server)),
        Row(
            "9111 §4.2.3 a clock that goes back makes ages unknown",
            .get(reply: [("Cache-Control", "max-age=60")]), .get().after(-3600).from(.server)),
        Row(
            "9111 §4.2.3 a clock that goes back a little is tolerated",
            .get(reply: [("Cache-Control", "max-age=60")]), .get().after(-10).from(.cache)),
        Row(
            "9111 §5.1 a served response has its Age",
            .get(reply: [("Cache-Control", "max-age=60")]), .get().after(7).from(.cache).has("Age", "7")),
        Row(
            "9111 §5.1 the served Age includes the received Age",
            .get(reply: [("Cache-Control", "max-age=600"), ("Age", "30")]),
            .get().after(7).from(.cache).has("Age", "37")),
        Row(
            "9111 §5.1 the Age is also served with Expires",
            .get(reply: [("Expires", "{3600}"), ("Age", "30")]), .get().after(7).from(.cache).has("Age", "37")),
        Row(
            "9111 §5.1 several ages are replaced by one",
            .get(reply: [("Cache-Control", "max-age=600"), ("Age", "30"), ("Age", "99")]),
            .get().after(7).from(.cache).has("Age", "37")),
        Row(
            "9111 §5.1 an invalid Age is replaced",
            .get(reply: [("Cache-Control", "max-age=600"), ("Age", "abc")]),
            .get().after(7).from(.cache).has("Age", "7")),
        Row(
            "9110 §6.6.1 the Date is served unchanged", .get(reply: [("Expires", "{3600}")]),
            .get().after(7).from(.cache).has("Date", "{-7}")),
        Row(
            "9110 §6.6.1 a missing Date is added",
            .get(reply: [("Cache-Control", "max-age=60"), ("No-Date", "")]).lacks("Date"),
            .get().after(7).from(.cache).has("Date", "{-7}")),
        Row(
            "9110 §6.6.1 an invalid Date is served unchanged",
            .get(reply: [("Cache-Control", "max-age=60"), ("Date", "foo")]),
            .get().after(7).from(.cache).has("Date", "foo")),
    ]

    private static func heuristic(_ status: Int, from source: Row.Source) -> Row {
        .reuse(
            "9111 §4.2.2 \(status) is \(source == .cache ? "" : "not ")reused by heuristics",
            [("Last-Modified", "{-86400}")], status: status, from: source)
    }

    static let heuristics: [Row] =
        [200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501].map { heuristic($0, from: .cache) }
        + [201, 202, 302, 303, 307, 400, 403, 500, 502, 503, 504, 599].map { heuristic($0, from: .server) } + [
            .reuse(
                "9111 §4.2.2 public allows heuristics for any status",
                [("Last-Modified", "{-86400}"), ("Cache-Control", "public")], status: 599, from: .cache),
            .reuse(
                "9111 §4.2.2 a response is fresh for a tenth of the time since its last change",
                [("Last-Modified", "{@-1000}")], after: 99,
                from: .cache),
            .reuse(
                "9111 §4.2.2 a response is stale after a tenth of the time since its last change",
                [("Last-Modified", "{@-1000}")], after: 101, from: .confirmed),
            .reuse(
                "9111 §4.2.2 heuristic freshness is at most a week", [("Last-Modified", "{@-1000000000}")],
                after: 8 * 86_400, from: .confirmed),
            .reuse(
                "9111 §4.2.2 a Last-Modified in the future gives no heuristic freshness",
                [("Last-Modified", "{@1000}")],
                from: .confirmed),
            .reuse(
                "9111 §4.2.2 Expires disables heuristics",
                [("Last-Modified", "{@-100000}"), ("Expires", "{-1}")], from: .confirmed),
            .reuse(
                "9111 §4.2.2 Pragma: no-cache without Cache-Control disables heuristics",
                [("Last-Modified", "{@-100000}"), ("Pragma", "no-cache")], from: .confirmed),
            .reuse(
                "9111 §4.2.2 an ETag alone gives no heuristic freshness", [("ETag", "\"a\"")], from: .confirmed),
            Row(
                "9111 §4.2.2 heuristics also apply to URLs with a query",
                .get(reply: [("Last-Modified", "{@-86400}")]).to("/a?b=c"), .get().to("/a?b=c").after(5).from(.cache)),
        ]
}
