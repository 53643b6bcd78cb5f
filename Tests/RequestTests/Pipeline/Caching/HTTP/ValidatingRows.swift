/// RFC 9111, 4.3, and RFC 9110, 13: revalidation of cached responses, and conditional requests of callers.
enum ValidatingRows {
    typealias Row = ConformanceRow

    static let all = revalidation + conditions + updates + heads

    private static let brief = ("Cache-Control", "max-age=2")
    private static let long = ("Cache-Control", "max-age=3600")
    private static let tag = ("ETag", "\"abcdef\"")
    private static let old = ("Last-Modified", "Wed, 01 Jan 2020 00:00:00 GMT")

    static let revalidation: [Row] = [
        Row(
            "9111 §4.3.1 a strong ETag is sent", .get(reply: [brief, tag]),
            .get(reply: [brief, tag]).after(5).from(.confirmed).forwards("If-None-Match", "\"abcdef\"").is_(200)),
        Row(
            "9111 §4.3.1 a weak ETag is sent", .get(reply: [brief, ("ETag", "W/\"a\"")]),
            .get(reply: [brief, ("ETag", "W/\"a\"")]).after(5).from(.confirmed).forwards("If-None-Match", "W/\"a\"")),
        Row(
            "9111 §4.3.1 an ETag without quotes is sent unchanged", .get(reply: [brief, ("ETag", "abc")]),
            .get(reply: [brief, ("ETag", "abc")]).after(5).from(.confirmed).forwards("If-None-Match", "abc")),
        Row(
            "9111 §4.3.1 a Last-Modified is sent",
            .get(reply: [brief, ("Last-Modified", "Wed, 01 Jan 2020 00:00:00 GMT")]),
            .get(reply: [brief, ("Last-Modified", "Wed, 01 Jan 2020 00:00:00 GMT")]).after(5).from(.confirmed)
                .forwards("If-Modified-Since", "Wed, 01 Jan 2020 00:00:00 GMT").withholds("If-None-Match")),
        Row(
            "9111 §4.3.1 both validators are sent",
            .get(reply: [brief, tag, ("Last-Modified", "Wed, 01 Jan 2020 00:00:00 GMT")]),
            .get(reply: [brief, tag]).after(5).from(.confirmed).forwards("If-None-Match", "\"abcdef\"")
                .forwards("If-Modified-Since", "Wed, 01 Jan 2020 00:00:00 GMT")),
        Row(
            "9111 §4.3.1 a Last-Modified in another format is sent unchanged",
            .get(reply: [brief, ("Last-Modified", "Wednesday, 01-Jan-20 00:00:00 GMT")]),
            .get().after(5).forwards("If-Modified-Since", "Wednesday, 01-Jan-20 00:00:00 GMT")),
        Row(
            "9111 §4.3.1 an invalid Last-Modified is not sent",
            .get(reply: [brief, ("Last-Modified", "yesterday")]), .get().after(5).withholds("If-Modified-Since")),
        Row(
            "9111 §4.3.1 without a validator there is no condition", .get(reply: [brief]),
            .get().after(5).from(.server).withholds("If-None-Match").withholds("If-Modified-Since")),
        Row(
            "9111 §4.3.1 the first request has no condition",
            .get(reply: [brief, tag]).withholds("If-None-Match").withholds("If-Modified-Since")),
        Row(
            "9111 §4.3.1 the fields that selected the response are sent",
            .get([("Abc", "123")], reply: [brief, tag, ("Vary", "Abc")]),
            .get([("Abc", "123")], reply: [brief, tag, ("Vary", "Abc")]).after(5).from(.confirmed).forwards(
                "Abc", "123")),
        Row(
            "9111 §4.1 the ETag of another variant is not sent",
            .get([("Abc", "1")], reply: [long, tag, ("Vary", "Abc")]),
            .get([("Abc", "2")], reply: [long, ("Vary", "Abc")]).from(.server).withholds("If-None-Match")),
        Row(
            "9111 §4.3.3 a revalidated response is fresh again", .get(reply: [brief, tag], body: "one"),
            .get(reply: [brief, tag]).after(5).from(.confirmed).reads("one"), .get().after(1).from(.cache).reads("one")),
        Row(
            "9111 §4.3.3 a new response replaces the cached one", .get(reply: [brief, tag], body: "one"),
            .get(reply: [long, ("ETag", "\"new\"")], body: "two").after(5).from(.server).reads("two"),
            .get().after(5).from(.cache).reads("two")),
        Row(
            "9111 §4.3.3 a response that must not be stored removes the cached one",
            .get(reply: [brief, tag], body: "one"),
            .get(reply: [("Cache-Control", "no-store")], body: "two").after(5).from(.server).reads("two"),
            .get(reply: [long]).from(.server).withholds("If-None-Match")),
        Row(
            "9111 §4.3.3 404 removes the cached response", .get(reply: [brief, tag]),
            .get(status: 404).after(5).from(.server).is_(404),
            .get(reply: [long]).from(.server).withholds("If-None-Match")),
        Row(
            "9111 §4.3.3 a server error leaves the cached response", .get(reply: [brief, tag], body: "one"),
            .get(status: 500).after(5).from(.server).is_(500),
            .get(reply: [brief, tag]).from(.confirmed).reads("one")),
        Row(
            "9111 §4.3.3 401 leaves the cached response", .get(reply: [brief, tag], body: "one"),
            .get(status: 401).after(5).from(.server).is_(401),
            .get(reply: [brief, tag]).from(.confirmed).reads("one")),
        Row(
            "9111 §4.3.4 a 304 with another strong ETag does not confirm the response",
            .get(reply: [brief, tag], body: "one"),
            .get(reply: [long, tag], body: "two").confirming([("ETag", "\"other\"")]).after(5).from(.server).is_(200)
                .reads("two").with { $0.reply.knowsConditions = true }.withholds("If-None-Match")),
        Row(
            "9111 §4.3.4 a 304 with another ETag confirms the response if the strong date is equal",
            .get(reply: [brief, tag, old], body: "one"),
            .get(reply: [brief, tag]).confirming([long, ("ETag", "\"other\""), old]).after(5).from(.confirmed)
                .reads("one").has("ETag", "\"other\""),
            .get().after(60).from(.cache).reads("one").has("ETag", "\"other\"")),
        Row(
            "9111 §4.3.4 a 304 with another ETag does not confirm the response if the date is weak",
            .get(reply: [brief, tag, ("Last-Modified", "{@0}")], body: "one"),
            .get(reply: [long, tag], body: "two").confirming([("ETag", "\"other\""), ("Last-Modified", "{@0}")])
                .after(5).from(.server).is_(200).reads("two").withholds("If-None-Match")),
        Row(
            "9111 §4.3.4 a 304 without an ETag confirms the response", .get(reply: [brief, tag], body: "one"),
            .get(reply: [brief, tag]).confirming([long]).after(5).from(.confirmed).reads("one"),
            .get().after(60).from(.cache).reads("one")),
        Row(
            "9111 §4.3.4 a 304 with the same weak ETag confirms the response",
            .get(reply: [brief, ("ETag", "W/\"a\"")], body: "one"),
            .get(reply: [brief, ("ETag", "W/\"a\"")]).after(5).from(.confirmed).reads("one")),
    ]

    static let conditions: [Row] = [
        Row(
            "9111 §4.3.2 If-None-Match with the cached ETag returns 304", .get(reply: [long, tag]),
            .get([("If-None-Match", "\"abcdef\"")]).from(.cache).is_(304).reads("")),
        Row(
            "9110 §15.4.5 a 304 has the ETag", .get(reply: [long, tag]),
            .get([("If-None-Match", "\"abcdef\"")]).from(.cache).is_(304).has("ETag", "\"abcdef\"")),
        Row(
            "9110 §15.4.5 a 304 has no length", .get(reply: [long, tag, ("Content-Length", "8")]),
            .get([("If-None-Match", "\"abcdef\"")]).from(.cache).is_(304).lacks("Content-Length")),
        Row(
            "9111 §4.3.2 If-None-Match with another ETag returns the whole response",
            .get(reply: [long, tag], body: "one"),
            .get([("If-None-Match", "\"other\"")]).from(.cache).is_(200).reads("one")),
        Row(
            "9111 §4.3.2 If-None-Match overrides If-Modified-Since if it matches",
            .get(reply: [long, tag, ("Last-Modified", "{-5000}")]),
            .get([("If-None-Match", "\"abcdef\""), ("If-Modified-Since", "{-10000}")]).from(.cache).is_(304)),
        Row(
            "9111 §4.3.2 If-None-Match overrides If-Modified-Since if it does not match",
            .get(reply: [long, tag, ("Last-Modified", "{-5000}")]),
            .get([("If-None-Match", "\"x\""), ("If-Modified-Since", "{-1}")]).from(.cache).is_(200)),
        Row(
            "9110 §13.1.2 tags are compared weakly", .get(reply: [long, ("ETag", "W/\"abcdef\"")]),
            .get([("If-None-Match", "\"abcdef\"")]).from(.cache).is_(304)),
        Row(
            "9110 §13.1.2 weak tags match", .get(reply: [long, ("ETag", "W/\"abcdef\"")]),
            .get([("If-None-Match", "W/\"abcdef\"")]).from(.cache).is_(304)),
        Row(
            "9110 §13.1.2 the first of several matches", .get(reply: [long, tag]),
            .get([("If-None-Match", "\"abcdef\", \"1\", \"2\"")]).from(.cache).is_(304)),
        Row(
            "9110 §13.1.2 the middle of several matches", .get(reply: [long, tag]),
            .get([("If-None-Match", "\"1\", \"abcdef\", \"2\"")]).from(.cache).is_(304)),
        Row(
            "9110 §13.1.2 the last of several matches", .get(reply: [long, tag]),
            .get([("If-None-Match", "\"1\", \"2\", \"abcdef\"")]).from(.cache).is_(304)),
        Row(
            "9110 §13.1.2 a tag in another field matches", .get(reply: [long, tag]),
            .get([("If-None-Match", "\"1\""), ("If-None-Match", "\"abcdef\"")]).from(.cache).is_(304)),
        Row(
            "9110 §13.1.2 a comma within a tag does not split it", .get(reply: [long, ("ETag", "\"a,b\"")]),
            .get([("If-None-Match", "\"x\", \"a,b\"")]).from(.cache).is_(304)),
        Row(
            "9110 §8.8.3 a backslash in a tag has no meaning", .get(reply: [long, ("ETag", "\"b\"")]),
            .get([("If-None-Match", "\"a\\\", \"b\"")]).from(.cache).is_(304)),
        Row(
            "9110 §8.8.3 a tag that ends in a backslash is found", .get(reply: [long, ("ETag", "\"b\\\"")]),
            .get([("If-None-Match", "\"a\", \"b\\\", \"c\"")]).from(.cache).is_(304)),
        Row(
            "9110 §13.1.2 * matches a cached response", .get(reply: [long, tag]),
            .get([("If-None-Match", "*")]).from(.cache).is_(304)),
        Row(
            "9110 §13.1.2 tags with characters beyond ASCII match", .get(reply: [long, ("ETag", "\"abcü\"")]),
            .get([("If-None-Match", "\"abcü\"")]).from(.cache).is_(304)),
        Row(
            "9111 §4.3.2 If-Modified-Since with the cached date returns 304",
            .get(reply: [long, ("Last-Modified", "{-3000}")]),
            .get([("If-Modified-Since", "{-3000}")]).from(.cache).is_(304)),
        Row(
            "9111 §4.3.2 If-Modified-Since with a later date returns 304",
            .get(reply: [long, ("Last-Modified", "{-3000}")]),
            .get([("If-Modified-Since", "{-2000}")]).from(.cache).is_(304)),
        Row(
            "9111 §4.3.2 If-Modified-Since with an earlier date returns the whole response",
            .get(reply: [long, ("Last-Modified", "{-3000}")]),
            .get([("If-Modified-Since", "{-4000}")]).from(.cache).is_(200)),
        Row(
            "9111 §4.3.2 without Last-Modified the Date is compared", .get(reply: [long]),
            .get([("If-Modified-Since", "{0}")]).after(10).from(.cache).is_(304)),
        Row(
            "9111 §4.3.2 without Last-Modified an earlier date returns the whole response", .get(reply: [long]),
            .get([("If-Modified-Since", "{-3000}")]).after(10).from(.cache).is_(200)),
        Row(
            "9110 §13.1.3 dates in the format of RFC 850 count",
            .get(reply: [long, ("Last-Modified", "Wed, 01 Jan 2020 00:00:00 GMT")]),
            .get([("If-Modified-Since", "Wednesday, 01-Jan-20 00:00:00 GMT")]).from(.cache).is_(304)),
        Row(
            "9110 §13.1.3 an invalid date is ignored", .get(reply: [long, ("Last-Modified", "{-3000}")]),
            .get([("If-Modified-Since", "now")]).from(.cache).is_(200)),
        Row(
            "9111 §4.3.2 a status other than 200 is returned unchanged", .get(reply: [long, tag], status: 404),
            .get([("If-None-Match", "\"abcdef\"")]).from(.cache).is_(404)),
        Row(
            "9111 §4.3.2 a stale response is revalidated before 304 is returned",
            .get(reply: [brief, ("Last-Modified", "Wed, 01 Jan 2020 00:00:00 GMT")]),
            .get(
                [("If-Modified-Since", "Wed, 01 Jan 2020 00:00:00 GMT")],
                reply: [brief, ("Last-Modified", "Wed, 01 Jan 2020 00:00:00 GMT")]
            ).after(5).is_(304).from(.confirmed)),
        Row(
            "9111 §4.3.2 a stale response with the same tag is revalidated with that tag", .get(reply: [brief, tag]),
            .get([("If-None-Match", "\"abcdef\"")], reply: [brief, tag]).after(5).is_(304).from(.confirmed)
                .forwards("If-None-Match", "\"abcdef\"")),
        Row(
            "9111 §4.3.2 a stale response with another tag is revalidated with both tags",
            .get(reply: [brief, tag], body: "one"),
            .get([("If-None-Match", "\"old\"")], reply: [brief, tag]).after(5).is_(200).from(.confirmed).reads("one")
                .forwards("If-None-Match", "\"old\", \"abcdef\"")),
        Row(
            "9111 §4.3.2 a 304 for the tag of the caller is returned to the caller",
            .get(reply: [brief, tag], body: "one"),
            .get([("If-None-Match", "\"old\"")], reply: [brief, ("ETag", "\"old\"")]).after(5).is_(304).from(.server)),
        Row(
            "9110 §13.1.2 without a cached response the condition is forwarded",
            .get([("If-None-Match", "\"x\"")], reply: [long, ("ETag", "\"x\"")]).from(.server).is_(304)
                .forwards("If-None-Match", "\"x\""),
            .get(reply: [long, tag]).from(.server)),
        Row(
            "9110 §13.1.2 a tag without quotes is forwarded unchanged",
            .get([("If-None-Match", "abcdef")], reply: []).forwards("If-None-Match", "abcdef")),
        Row(
            "9110 §13.1.1 If-Match is forwarded", .get(reply: [long, tag]),
            .get([("If-Match", "\"abcdef\"")], reply: [long, tag]).from(.server).forwards("If-Match", "\"abcdef\"")),
        Row(
            "9110 §13.1.4 If-Unmodified-Since is forwarded", .get(reply: [long, tag]),
            .get([("If-Unmodified-Since", "{0}")], reply: [long, tag]).from(.server)),
        Row(
            "9111 §4.3.2 a HEAD with a matching condition returns 304", .get(reply: [long, tag]),
            .send("HEAD", [("If-None-Match", "\"abcdef\"")]).from(.cache).is_(304)),
    ]

    private static func update(_ name: String, _ one: String, _ two: String, expecting value: String) -> Row {
        Row(
            "9111 §3.2 \(name) \(value == two ? "is" : "is not") updated by a 304",
            .get(reply: [brief, tag, (name, one)], body: "12345"),
            .get(reply: [brief, tag]).confirming([brief, tag, ("Date", "{0}"), (name, two)]).after(5).from(.confirmed)
                .has(name, value),
            .get().after(1).from(.cache).has(name, value))
    }

    static let updates: [Row] =
        [
            ("Test-Header", "a", "b"), ("X-Test-Header", "a", "b"), ("Content-Foo", "a", "b"),
            ("X-Content-Foo", "a", "b"),
            ("Content-Type", "text/plain", "text/plain;charset=utf-8"), ("Content-Location", "/foo", "/bar"),
            ("Content-MD5", "rL0Y20zC+Fzt72VPzMSk2A==", "N7UdGUp1E+RbVvZSTy1R8g=="),
            ("Content-Security-Policy", "default-src 'self'", "default-src 'self' cdn.example.com"),
            ("X-Frame-Options", "deny", "sameorigin"), ("X-XSS-Protection", "1", "1; mode=block"),
            ("Expires", "Fri, 01 Jan 2038 01:01:01 GMT", "Mon, 11 Jan 2038 11:11:11 GMT"), ("Link", "<a>", "<b>"),
        ].map { update($0.0, $0.1, $0.2, expecting: $0.2) }
        + [("Content-Length", "5", "10"), ("Content-Encoding", "a", "b"), ("Content-Range", "a", "b")].map {
            update($0.0, $0.1, $0.2, expecting: $0.1)
        } + [
            Row(
                "9111 §3.2 fields that the 304 omits stay", .get(reply: [brief, tag, ("Test", "1")]),
                .get(reply: [brief, tag]).confirming([tag]).after(5).from(.confirmed).has("Test", "1")),
            Row(
                "9111 §3.2 Cache-Control is updated", .get(reply: [brief, tag]),
                .get(reply: [brief, tag]).confirming([long, tag]).after(5).from(.confirmed)
                    .has("Cache-Control", "max-age=3600"),
                .get().after(1000).from(.cache)),
            Row(
                "9111 §3.2 Date is updated", .get(reply: [brief, tag]),
                .get(reply: [brief, tag]).confirming([tag, ("Date", "{0}")]).after(5).from(.confirmed).has(
                    "Date", "{0}")),
            Row(
                "9111 §3.2 several fields replace one", .get(reply: [brief, tag, ("a", "1")]),
                .get(reply: [brief, tag]).confirming([brief, tag, ("a", "2"), ("a", "3")]).after(5).has("a", "2, 3"),
                .get().after(1).from(.cache).has("a", "2, 3")),
            Row(
                "9111 §3.2 the Age starts again", .get(reply: [brief, tag, ("Age", "1000")]),
                .get(reply: [brief, tag]).confirming([long, tag]).after(5).from(.confirmed).lacks("Age"),
                .get().after(7).from(.cache).has("Age", "7")),
            Row(
                "9111 §4.1 a 304 may add a field that the response varies by",
                .get([("Abc", "1"), ("Def", "1")], reply: [brief, tag, ("Vary", "Abc")], body: "one"),
                .get([("Abc", "1"), ("Def", "2")], reply: [brief, tag])
                    .confirming([long, tag, ("Vary", "Def")]).after(5).from(.confirmed).reads("one"),
                .get([("Abc", "1"), ("Def", "2")]).from(.cache).reads("one").has("Vary", "Def"),
                .get([("Abc", "1"), ("Def", "1")], reply: [("Cache-Control", "no-store")]).from(.server),
                .get([("Abc", "2"), ("Def", "2")], reply: [("Cache-Control", "no-store")]).from(.server)),
            Row(
                "9111 §4.1 a response is not used after a 304 with Vary: *", .get(reply: [brief, tag], body: "one"),
                .get(reply: [brief, tag]).confirming([long, tag, ("Vary", "*")]).after(5).from(.confirmed).reads("one"),
                .get(reply: [brief]).from(.server).withholds("If-None-Match")),
            Row(
                "9111 §3.2 the Age of the 304 counts", .get(reply: [brief, tag]),
                .get(reply: [brief, tag]).confirming([long, tag, ("Age", "100")]).after(5).from(.confirmed).has(
                    "Age", "100"),
                .get().after(7).from(.cache).has("Age", "107")),
            Row(
                "9111 §3.2 a cookie of the 304 is delivered but not stored", .get(reply: [brief, tag]),
                .get(reply: [brief, tag]).confirming([long, tag, ("Set-Cookie", "a=b")]).after(5).from(.confirmed)
                    .has("Set-Cookie", "a=b"),
                .get().after(7).from(.cache).has("Set-Cookie", "a=b")),
            Row(
                "9111 §5.2.2.4 a field that no-cache of the cached response names is delivered but not stored",
                .get(reply: [("Cache-Control", "max-age=5, no-cache=\"a\""), tag, ("a", "1")]),
                .get(reply: [tag]).confirming([tag, ("a", "2")]).after(10).from(.confirmed).has("a", "2"),
                .get().after(1).from(.cache).lacks("a")),
            Row(
                "9111 §5.2.2.4 a field that no-cache of the 304 names is delivered but not stored",
                .get(reply: [brief, tag, ("a", "1")]),
                .get(reply: [brief, tag]).confirming([
                    ("Cache-Control", "max-age=3600, no-cache=\"a\""), tag, ("a", "2"),
                ])
                .after(5).from(.confirmed).has("a", "2"),
                .get().after(7).from(.cache).lacks("a")),
            Row(
                "9111 §3.2 connection fields of the 304 are not used", .get(reply: [brief, tag]),
                .get(reply: [brief, tag]).confirming([long, tag, ("Connection", "x"), ("x", "1")]).after(5).from(
                    .confirmed
                )
                .lacks("Connection").lacks("x")),
            Row(
                "9111 §3.2 a no-cache of the 304 applies from then on", .get(reply: [brief, tag]),
                .get(reply: [brief, tag]).confirming([("Cache-Control", "no-cache"), tag]).after(5).from(.confirmed),
                .get(reply: [brief, tag]).from(.confirmed)),
        ]

    static let heads: [Row] = [
        Row(
            "9111 §4.3.5 a HEAD for a stale response is forwarded", .get(reply: [brief]),
            .send("HEAD", reply: [brief]).after(5).from(.server)),
        Row(
            "9111 §4.3.5 fields of a HEAD response update the cached response",
            .get(reply: [brief, ("Test", "1")], body: "one"),
            .send("HEAD", reply: [long, ("Test", "2")]).after(5).from(.server),
            .get().after(5).from(.cache).has("Test", "2").reads("one")),
        Row(
            "9111 §4.3.5 fields that a HEAD response omits stay", .get(reply: [brief, ("Test", "1")]),
            .send("HEAD", reply: [long]).after(5), .get().from(.cache).has("Test", "1")),
        Row(
            "9111 §4.3.5 a HEAD response with another ETag makes the cached one obsolete", .get(reply: [brief, tag]),
            .send("HEAD", reply: [long, ("ETag", "\"new\"")]).after(5),
            .get(reply: [long]).from(.server).withholds("If-None-Match")),
        Row(
            "9111 §4.3.5 a HEAD response with another Last-Modified makes the cached one obsolete",
            .get(reply: [brief, ("Last-Modified", "{-100}")]),
            .send("HEAD", reply: [long, ("Last-Modified", "{-10}")]).after(5), .get(reply: [long]).from(.server)),
        Row(
            "9111 §4.3.5 a HEAD response with another length makes the cached one obsolete",
            .get(reply: [brief, ("Content-Length", "3")], body: "one"),
            .send("HEAD", reply: [long, ("Content-Length", "4")]).after(5), .get(reply: [long]).from(.server)),
        Row(
            "9111 §4.3.5 a HEAD response with another status changes nothing", .get(reply: [brief, tag]),
            .send("HEAD", reply: [long, ("Test", "2")], status: 410).after(5).is_(410),
            .get(reply: [brief, tag]).from(.confirmed)),
        Row(
            "9111 §4.3.1 a conditional HEAD revalidates the cached response", .get(reply: [brief, tag], body: "one"),
            .send("HEAD", reply: [brief, tag]).after(5).from(.confirmed).is_(200).reads(""),
            .get().after(1).from(.cache).reads("one")),
    ]
}
