/// RFC 9111, 4.3, and RFC 9110, 13: asking whether what is kept is right, and being asked.
enum ValidatingRows {
    typealias Row = ConformanceRow

    static let all = asking + asked + updates + heads

    private static let brief = ("Cache-Control", "max-age=2")
    private static let long = ("Cache-Control", "max-age=3600")
    private static let tag = ("ETag", "\"abcdef\"")
    private static let old = ("Last-Modified", "Wed, 01 Jan 2020 00:00:00 GMT")

    static let asking: [Row] = [
        Row(
            "9111 §4.3.1 a strong ETag is asked about", .get(reply: [brief, tag]),
            .get(reply: [brief, tag]).after(5).from(.confirmed).forwards("If-None-Match", "\"abcdef\"").is_(200)),
        Row(
            "9111 §4.3.1 a weak ETag is asked about", .get(reply: [brief, ("ETag", "W/\"a\"")]),
            .get(reply: [brief, ("ETag", "W/\"a\"")]).after(5).from(.confirmed).forwards("If-None-Match", "W/\"a\"")),
        Row(
            "9111 §4.3.1 an ETag without quotes is asked about as it is", .get(reply: [brief, ("ETag", "abc")]),
            .get(reply: [brief, ("ETag", "abc")]).after(5).from(.confirmed).forwards("If-None-Match", "abc")),
        Row(
            "9111 §4.3.1 a Last-Modified is asked about",
            .get(reply: [brief, ("Last-Modified", "Wed, 01 Jan 2020 00:00:00 GMT")]),
            .get(reply: [brief, ("Last-Modified", "Wed, 01 Jan 2020 00:00:00 GMT")]).after(5).from(.confirmed)
                .forwards("If-Modified-Since", "Wed, 01 Jan 2020 00:00:00 GMT").withholds("If-None-Match")),
        Row(
            "9111 §4.3.1 both are asked about",
            .get(reply: [brief, tag, ("Last-Modified", "Wed, 01 Jan 2020 00:00:00 GMT")]),
            .get(reply: [brief, tag]).after(5).from(.confirmed).forwards("If-None-Match", "\"abcdef\"")
                .forwards("If-Modified-Since", "Wed, 01 Jan 2020 00:00:00 GMT")),
        Row(
            "9111 §4.3.1 a Last-Modified in another format is asked about as it is",
            .get(reply: [brief, ("Last-Modified", "Wednesday, 01-Jan-20 00:00:00 GMT")]),
            .get().after(5).forwards("If-Modified-Since", "Wednesday, 01-Jan-20 00:00:00 GMT")),
        Row(
            "9111 §4.3.1 a Last-Modified that is no date is not asked about",
            .get(reply: [brief, ("Last-Modified", "yesterday")]), .get().after(5).withholds("If-Modified-Since")),
        Row(
            "9111 §4.3.1 without a validator there is no condition", .get(reply: [brief]),
            .get().after(5).from(.server).withholds("If-None-Match").withholds("If-Modified-Since")),
        Row(
            "9111 §4.3.1 the first request has no condition",
            .get(reply: [brief, tag]).withholds("If-None-Match").withholds("If-Modified-Since")),
        Row(
            "9111 §4.3.1 the fields that chose the response are sent",
            .get([("Abc", "123")], reply: [brief, tag, ("Vary", "Abc")]),
            .get([("Abc", "123")], reply: [brief, tag, ("Vary", "Abc")]).after(5).from(.confirmed).forwards(
                "Abc", "123")),
        Row(
            "9111 §4.1 another variant is not asked about", .get([("Abc", "1")], reply: [long, tag, ("Vary", "Abc")]),
            .get([("Abc", "2")], reply: [long, ("Vary", "Abc")]).from(.server).withholds("If-None-Match")),
        Row(
            "9111 §4.3.3 a confirmed response is fresh again", .get(reply: [brief, tag], body: "one"),
            .get(reply: [brief, tag]).after(5).from(.confirmed).reads("one"), .get().after(1).from(.cache).reads("one")),
        Row(
            "9111 §4.3.3 another answer takes its place", .get(reply: [brief, tag], body: "one"),
            .get(reply: [long, ("ETag", "\"new\"")], body: "two").after(5).from(.server).reads("two"),
            .get().after(5).from(.cache).reads("two")),
        Row(
            "9111 §4.3.3 an answer that may not be kept takes it away", .get(reply: [brief, tag], body: "one"),
            .get(reply: [("Cache-Control", "no-store")], body: "two").after(5).from(.server).reads("two"),
            .get(reply: [long]).from(.server).withholds("If-None-Match")),
        Row(
            "9111 §4.3.3 404 takes it away", .get(reply: [brief, tag]),
            .get(status: 404).after(5).from(.server).is_(404),
            .get(reply: [long]).from(.server).withholds("If-None-Match")),
        Row(
            "9111 §4.3.3 an error of the server leaves it there", .get(reply: [brief, tag], body: "one"),
            .get(status: 500).after(5).from(.server).is_(500),
            .get(reply: [brief, tag]).from(.confirmed).reads("one")),
        Row(
            "9111 §4.3.3 401 leaves it there", .get(reply: [brief, tag], body: "one"),
            .get(status: 401).after(5).from(.server).is_(401),
            .get(reply: [brief, tag]).from(.confirmed).reads("one")),
        Row(
            "9111 §4.3.4 a 304 for another strong ETag confirms nothing", .get(reply: [brief, tag], body: "one"),
            .get(reply: [long, tag], body: "two").confirming([("ETag", "\"other\"")]).after(5).from(.server).is_(200)
                .reads("two").with { $0.reply.knowsConditions = true }.withholds("If-None-Match")),
        Row(
            "9111 §4.3.4 a 304 for another ETag confirms by the same strong date",
            .get(reply: [brief, tag, old], body: "one"),
            .get(reply: [brief, tag]).confirming([long, ("ETag", "\"other\""), old]).after(5).from(.confirmed)
                .reads("one").has("ETag", "\"other\""),
            .get().after(60).from(.cache).reads("one").has("ETag", "\"other\"")),
        Row(
            "9111 §4.3.4 but not by one that is weak",
            .get(reply: [brief, tag, ("Last-Modified", "{@0}")], body: "one"),
            .get(reply: [long, tag], body: "two").confirming([("ETag", "\"other\""), ("Last-Modified", "{@0}")])
                .after(5).from(.server).is_(200).reads("two").withholds("If-None-Match")),
        Row(
            "9111 §4.3.4 a 304 without an ETag confirms what was asked about", .get(reply: [brief, tag], body: "one"),
            .get(reply: [brief, tag]).confirming([long]).after(5).from(.confirmed).reads("one"),
            .get().after(60).from(.cache).reads("one")),
        Row(
            "9111 §4.3.4 a weak ETag in a 304 names the same content",
            .get(reply: [brief, ("ETag", "W/\"a\"")], body: "one"),
            .get(reply: [brief, ("ETag", "W/\"a\"")]).after(5).from(.confirmed).reads("one")),
    ]

    static let asked: [Row] = [
        Row(
            "9111 §4.3.2 If-None-Match with the ETag that is kept is answered with 304", .get(reply: [long, tag]),
            .get([("If-None-Match", "\"abcdef\"")]).from(.cache).is_(304).reads("")),
        Row(
            "9110 §15.4.5 a 304 has the ETag", .get(reply: [long, tag]),
            .get([("If-None-Match", "\"abcdef\"")]).from(.cache).is_(304).has("ETag", "\"abcdef\"")),
        Row(
            "9110 §15.4.5 a 304 has no length", .get(reply: [long, tag, ("Content-Length", "8")]),
            .get([("If-None-Match", "\"abcdef\"")]).from(.cache).is_(304).lacks("Content-Length")),
        Row(
            "9111 §4.3.2 another ETag is answered with all of it", .get(reply: [long, tag], body: "one"),
            .get([("If-None-Match", "\"other\"")]).from(.cache).is_(200).reads("one")),
        Row(
            "9111 §4.3.2 If-None-Match goes before If-Modified-Since",
            .get(reply: [long, tag, ("Last-Modified", "{-5000}")]),
            .get([("If-None-Match", "\"abcdef\""), ("If-Modified-Since", "{-10000}")]).from(.cache).is_(304)),
        Row(
            "9111 §4.3.2 also where it does not match",
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
            "9110 §13.1.2 one in another field matches", .get(reply: [long, tag]),
            .get([("If-None-Match", "\"1\""), ("If-None-Match", "\"abcdef\"")]).from(.cache).is_(304)),
        Row(
            "9110 §13.1.2 a comma within a tag parts nothing", .get(reply: [long, ("ETag", "\"a,b\"")]),
            .get([("If-None-Match", "\"x\", \"a,b\"")]).from(.cache).is_(304)),
        Row(
            "9110 §8.8.3 a backslash in a tag has no meaning", .get(reply: [long, ("ETag", "\"b\"")]),
            .get([("If-None-Match", "\"a\\\", \"b\"")]).from(.cache).is_(304)),
        Row(
            "9110 §8.8.3 a tag that ends in a backslash is found", .get(reply: [long, ("ETag", "\"b\\\"")]),
            .get([("If-None-Match", "\"a\", \"b\\\", \"c\"")]).from(.cache).is_(304)),
        Row(
            "9110 §13.1.2 * matches what is kept", .get(reply: [long, tag]),
            .get([("If-None-Match", "*")]).from(.cache).is_(304)),
        Row(
            "9110 §13.1.2 tags with other than ASCII match", .get(reply: [long, ("ETag", "\"abcü\"")]),
            .get([("If-None-Match", "\"abcü\"")]).from(.cache).is_(304)),
        Row(
            "9111 §4.3.2 If-Modified-Since with the date that is kept is answered with 304",
            .get(reply: [long, ("Last-Modified", "{-3000}")]),
            .get([("If-Modified-Since", "{-3000}")]).from(.cache).is_(304)),
        Row(
            "9111 §4.3.2 and with a later date", .get(reply: [long, ("Last-Modified", "{-3000}")]),
            .get([("If-Modified-Since", "{-2000}")]).from(.cache).is_(304)),
        Row(
            "9111 §4.3.2 an earlier date is answered with all of it",
            .get(reply: [long, ("Last-Modified", "{-3000}")]),
            .get([("If-Modified-Since", "{-4000}")]).from(.cache).is_(200)),
        Row(
            "9111 §4.3.2 without Last-Modified the Date counts", .get(reply: [long]),
            .get([("If-Modified-Since", "{0}")]).after(10).from(.cache).is_(304)),
        Row(
            "9111 §4.3.2 a date before that is answered with all of it", .get(reply: [long]),
            .get([("If-Modified-Since", "{-3000}")]).after(10).from(.cache).is_(200)),
        Row(
            "9110 §13.1.3 dates in the format of RFC 850 count",
            .get(reply: [long, ("Last-Modified", "Wed, 01 Jan 2020 00:00:00 GMT")]),
            .get([("If-Modified-Since", "Wednesday, 01-Jan-20 00:00:00 GMT")]).from(.cache).is_(304)),
        Row(
            "9110 §13.1.3 what is no date is ignored", .get(reply: [long, ("Last-Modified", "{-3000}")]),
            .get([("If-Modified-Since", "now")]).from(.cache).is_(200)),
        Row(
            "9111 §4.3.2 a status other than 200 is answered with itself", .get(reply: [long, tag], status: 404),
            .get([("If-None-Match", "\"abcdef\"")]).from(.cache).is_(404)),
        Row(
            "9111 §4.3.2 stale: it is confirmed first, and 304 is the answer",
            .get(reply: [brief, ("Last-Modified", "Wed, 01 Jan 2020 00:00:00 GMT")]),
            .get(
                [("If-Modified-Since", "Wed, 01 Jan 2020 00:00:00 GMT")],
                reply: [brief, ("Last-Modified", "Wed, 01 Jan 2020 00:00:00 GMT")]
            ).after(5).is_(304).from(.confirmed)),
        Row(
            "9111 §4.3.2 stale, with the tag that is kept", .get(reply: [brief, tag]),
            .get([("If-None-Match", "\"abcdef\"")], reply: [brief, tag]).after(5).is_(304).from(.confirmed)
                .forwards("If-None-Match", "\"abcdef\"")),
        Row(
            "9111 §4.3.2 stale, with another tag: both are asked about", .get(reply: [brief, tag], body: "one"),
            .get([("If-None-Match", "\"old\"")], reply: [brief, tag]).after(5).is_(200).from(.confirmed).reads("one")
                .forwards("If-None-Match", "\"old\", \"abcdef\"")),
        Row(
            "9111 §4.3.2 stale, and the caller's own copy is right", .get(reply: [brief, tag], body: "one"),
            .get([("If-None-Match", "\"old\"")], reply: [brief, ("ETag", "\"old\"")]).after(5).is_(304).from(.server)),
        Row(
            "9110 §13.1.2 without anything kept the condition is the server's",
            .get([("If-None-Match", "\"x\"")], reply: [long, ("ETag", "\"x\"")]).from(.server).is_(304)
                .forwards("If-None-Match", "\"x\""),
            .get(reply: [long, tag]).from(.server)),
        Row(
            "9110 §13.1.2 a tag without quotes is forwarded as it is",
            .get([("If-None-Match", "abcdef")], reply: []).forwards("If-None-Match", "abcdef")),
        Row(
            "9110 §13.1.1 If-Match is for the server", .get(reply: [long, tag]),
            .get([("If-Match", "\"abcdef\"")], reply: [long, tag]).from(.server).forwards("If-Match", "\"abcdef\"")),
        Row(
            "9110 §13.1.4 If-Unmodified-Since is for the server", .get(reply: [long, tag]),
            .get([("If-Unmodified-Since", "{0}")], reply: [long, tag]).from(.server)),
        Row(
            "9111 §4.3.2 a HEAD with a condition is answered with 304", .get(reply: [long, tag]),
            .send("HEAD", [("If-None-Match", "\"abcdef\"")]).from(.cache).is_(304)),
    ]

    private static func update(_ name: String, _ one: String, _ two: String, kept value: String) -> Row {
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
        ].map { update($0.0, $0.1, $0.2, kept: $0.2) }
        + [("Content-Length", "5", "10"), ("Content-Encoding", "a", "b"), ("Content-Range", "a", "b")].map {
            update($0.0, $0.1, $0.2, kept: $0.1)
        } + [
            Row(
                "9111 §3.2 fields that the 304 leaves out stay", .get(reply: [brief, tag, ("Test", "1")]),
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
                "9111 §3.2 several fields take the place of one", .get(reply: [brief, tag, ("a", "1")]),
                .get(reply: [brief, tag]).confirming([brief, tag, ("a", "2"), ("a", "3")]).after(5).has("a", "2, 3"),
                .get().after(1).from(.cache).has("a", "2, 3")),
            Row(
                "9111 §3.2 the Age begins anew", .get(reply: [brief, tag, ("Age", "1000")]),
                .get(reply: [brief, tag]).confirming([long, tag]).after(5).from(.confirmed).lacks("Age"),
                .get().after(7).from(.cache).has("Age", "7")),
            Row(
                "9111 §4.1 a 304 may say that it depends on more",
                .get([("Abc", "1"), ("Def", "1")], reply: [brief, tag, ("Vary", "Abc")], body: "one"),
                .get([("Abc", "1"), ("Def", "2")], reply: [brief, tag])
                    .confirming([long, tag, ("Vary", "Def")]).after(5).from(.confirmed).reads("one"),
                .get([("Abc", "1"), ("Def", "2")]).from(.cache).reads("one").has("Vary", "Def"),
                .get([("Abc", "1"), ("Def", "1")], reply: [("Cache-Control", "no-store")]).from(.server),
                .get([("Abc", "2"), ("Def", "2")], reply: [("Cache-Control", "no-store")]).from(.server)),
            Row(
                "9111 §4.1 or on something that no request has", .get(reply: [brief, tag], body: "one"),
                .get(reply: [brief, tag]).confirming([long, tag, ("Vary", "*")]).after(5).from(.confirmed).reads("one"),
                .get(reply: [brief]).from(.server).withholds("If-None-Match")),
            Row(
                "9111 §3.2 the Age of the 304 counts", .get(reply: [brief, tag]),
                .get(reply: [brief, tag]).confirming([long, tag, ("Age", "100")]).after(5).from(.confirmed).has(
                    "Age", "100"),
                .get().after(7).from(.cache).has("Age", "107")),
            Row(
                "9111 §3.2 a cookie of the 304 is delivered but not kept", .get(reply: [brief, tag]),
                .get(reply: [brief, tag]).confirming([long, tag, ("Set-Cookie", "a=b")]).after(5).from(.confirmed)
                    .has("Set-Cookie", "a=b"),
                .get().after(7).from(.cache).lacks("Set-Cookie")),
            Row(
                "9111 §5.2.2.4 nor is one that the no-cache of what is kept names",
                .get(reply: [("Cache-Control", "max-age=5, no-cache=\"a\""), tag, ("a", "1")]),
                .get(reply: [tag]).confirming([tag, ("a", "2")]).after(10).from(.confirmed).has("a", "2"),
                .get().after(1).from(.cache).lacks("a")),
            Row(
                "9111 §5.2.2.4 a field of the 304 that no-cache names is delivered but not kept",
                .get(reply: [brief, tag, ("a", "1")]),
                .get(reply: [brief, tag]).confirming([
                    ("Cache-Control", "max-age=3600, no-cache=\"a\""), tag, ("a", "2"),
                ])
                .after(5).from(.confirmed).has("a", "2"),
                .get().after(7).from(.cache).lacks("a")),
            Row(
                "9111 §3.2 fields of the connection are not taken over", .get(reply: [brief, tag]),
                .get(reply: [brief, tag]).confirming([long, tag, ("Connection", "x"), ("x", "1")]).after(5).from(
                    .confirmed
                )
                .lacks("Connection").lacks("x")),
            Row(
                "9111 §3.2 a no-cache of the 304 counts from then on", .get(reply: [brief, tag]),
                .get(reply: [brief, tag]).confirming([("Cache-Control", "no-cache"), tag]).after(5).from(.confirmed),
                .get(reply: [brief, tag]).from(.confirmed)),
        ]

    static let heads: [Row] = [
        Row(
            "9111 §4.3.5 a HEAD of what is stale is sent on", .get(reply: [brief]),
            .send("HEAD", reply: [brief]).after(5).from(.server)),
        Row(
            "9111 §4.3.5 what it says is taken over", .get(reply: [brief, ("Test", "1")], body: "one"),
            .send("HEAD", reply: [long, ("Test", "2")]).after(5).from(.server),
            .get().after(5).from(.cache).has("Test", "2").reads("one")),
        Row(
            "9111 §4.3.5 what it leaves out stays", .get(reply: [brief, ("Test", "1")]),
            .send("HEAD", reply: [long]).after(5), .get().from(.cache).has("Test", "1")),
        Row(
            "9111 §4.3.5 another ETag makes what is kept obsolete", .get(reply: [brief, tag]),
            .send("HEAD", reply: [long, ("ETag", "\"new\"")]).after(5),
            .get(reply: [long]).from(.server).withholds("If-None-Match")),
        Row(
            "9111 §4.3.5 another Last-Modified does", .get(reply: [brief, ("Last-Modified", "{-100}")]),
            .send("HEAD", reply: [long, ("Last-Modified", "{-10}")]).after(5), .get(reply: [long]).from(.server)),
        Row(
            "9111 §4.3.5 another length does", .get(reply: [brief, ("Content-Length", "3")], body: "one"),
            .send("HEAD", reply: [long, ("Content-Length", "4")]).after(5), .get(reply: [long]).from(.server)),
        Row(
            "9111 §4.3.5 a status other than 200 says nothing", .get(reply: [brief, tag]),
            .send("HEAD", reply: [long, ("Test", "2")], status: 410).after(5).is_(410),
            .get(reply: [brief, tag]).from(.confirmed)),
        Row(
            "9111 §4.3.1 a HEAD is asked with a condition, and confirms", .get(reply: [brief, tag], body: "one"),
            .send("HEAD", reply: [brief, tag]).after(5).from(.confirmed).is_(200).reads(""),
            .get().after(1).from(.cache).reads("one")),
    ]
}
